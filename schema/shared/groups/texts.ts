import type { GroupRule } from '../../../src/lists/group.ts';
import type { ListRule } from '../../../src/lists/list.ts';

type TextsOf<Names, Text> = [Names] extends [string] ? { [Name in Names]: Text } : undefined;
type OneOf<List> = List extends readonly (infer Name)[] ? Name : undefined;
/** A key of groups in the schema; `type` is that of the column's values, unless they are strings. */
export type KeyText = { type?: unknown; description: string };

/** Descriptions, for readers of the schema, of what a rule allows to group and measure by. */
export type GroupTexts<Rule extends ListRule> = Rule extends { groups: infer Groups extends GroupRule }
  ? {
      moments: { [Name in Groups['moments'][number]]: string };
      by: { [Name in keyof Groups['by']]: KeyText };
    } & (Groups extends { numbers: infer Names } ? { numbers: TextsOf<OneOf<Names>, string> } : object) &
      (Groups extends { distinct: infer Names } ? { distinct: TextsOf<OneOf<Names>, string> } : object)
  : undefined;

/** The same for any list. */
export type AnyGroupTexts = {
  moments: Record<string, string>;
  by: Record<string, KeyText>;
  numbers?: Record<string, string>;
  distinct?: Record<string, string>;
};
