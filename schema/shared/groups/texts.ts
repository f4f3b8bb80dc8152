import type { GroupRule } from '../../../src/database/query/group.ts';
import type { ListRule } from '../../../src/database/query/list.ts';

type TextsOf<Names, Text> = [Names] extends [string] ? { [Name in Names]: Text } : undefined;
type OneOf<List> = List extends readonly (infer Name)[] ? Name : undefined;
/** A key of groups as the schema describes it; `type` is that of a column's values, when they are no texts. */
export type KeyText = { type?: unknown; description: string };

/** What a rule says that its rows can be grouped and measured by, told to the person who reads the schema. */
export type GroupTexts<Rule extends ListRule> = Rule extends { groups: infer Groups extends GroupRule }
  ? {
      moments: { [Name in Groups['moments'][number]]: string };
      by: { [Name in keyof Groups['by']]: KeyText };
    } & (Groups extends { numbers: infer Names } ? { numbers: TextsOf<OneOf<Names>, string> } : object) &
      (Groups extends { distinct: infer Names } ? { distinct: TextsOf<OneOf<Names>, string> } : object)
  : undefined;

/** The same, for whoever need not know of which list. */
export type AnyGroupTexts = {
  moments: Record<string, string>;
  by: Record<string, KeyText>;
  numbers?: Record<string, string>;
  distinct?: Record<string, string>;
};
