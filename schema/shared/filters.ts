import type { InputRef } from '@pothos/core';
import { grouped } from '../../src/core/validation.ts';
import { type Filtered, maxConditions, maxDepth } from '../../src/lists/filter.ts';
import { columnOf } from '../../src/lists/groups/index.ts';
import type { ListRule } from '../../src/lists/list.ts';
import { builder } from '../builder.ts';
import type { AnyInput } from './any-field.ts';
import { datamodel } from './datamodel.ts';
import { DateTimeRange, FloatFilter, IntFilter, JsonKeyFilter, TextFilter } from './filter-types.ts';

/**
 * A filter argument in GraphQL: the type of the values of `in` and `equals` or of the conditions of `ratio`, or the
 * name of the list of `relation`. All other kinds have types of their own.
 */
type FilterArgument = { description: string; type?: AnyInput; list?: string };
/** Descriptions, for readers of the schema, of what a rule allows to filter by. */
export type FilterTexts<Rule extends ListRule> = { [Name in keyof Rule['filters']]: FilterArgument };

const joining = new Set(['and', 'or', 'not']);
type FilterRef = ReturnType<typeof builder.inputRef<object>>;
const refs = new Map<string, FilterRef>();

/** The type `LeadFilter`, which other filters may refer to before it is implemented. */
function filterRef(name: string): FilterRef {
  const ref = refs.get(name) ?? builder.inputRef<object>(`${name}Filter`);
  refs.set(name, ref);
  return ref;
}

type ColumnOf = (column: string) => { nullable: boolean; type: string };

/** Declares the input type `LeadFilter` of a list; null for a list without filters. */
export const filterInput = <Rule extends ListRule>(name: string, rule: Rule, texts: FilterTexts<Rule>) =>
  Object.keys(texts).length === 0
    ? null
    : defineFilter(name, rule, texts, (column) => columnOf(datamodel, rule.model, column));

/** Declares the input type of a filter of rows with these columns. */
export function defineFilter(
  name: string,
  rule: Filtered,
  filter: Record<string, FilterArgument>,
  column: ColumnOf,
): InputRef {
  const self = filterRef(name);
  return self.implement({
    description:
      `Filters ${name} rows: a row must match every condition. One that is left out, or whose variable has no value, is no ` +
      `condition; null is refused. A filter has at most ${grouped(maxConditions)} conditions.`,
    fields: (t) => ({
      ...(Object.fromEntries(
        Object.entries(filter).map(([key, argument]) => {
          const filtered = rule.filters[key];
          if (!filtered || joining.has(key)) throw new Error(`${name} rows cannot be filtered by ${key}`);
          assertNullability(name, filtered, column);
          const type = filterType(filtered, column, argument);
          return [key, t.field({ type, description: argument.description })];
        }),
      ) as object),
      and: t.field({
        type: [self],
        description: 'Rows that match all of these filters. An empty list matches all rows.',
      }),
      or: t.field({
        type: [self],
        description: 'Rows that match at least one of these filters. An empty list matches no rows.',
      }),
      not: t.field({
        type: self,
        description: `Rows that do not match this filter. \`and\`, \`or\` and \`not\` can be nested ${maxDepth} levels deep.`,
      }),
    }),
  });
}

/** Throws if a rule contradicts the data model on whether a column is nullable. */
function assertNullability(name: string, filter: Filtered['filters'][string], columnOf: ColumnOf): void {
  if (!('column' in filter) || filter.kind === 'related' || filter.kind === 'present') return;
  const { nullable } = columnOf(filter.column);
  if (nullable !== 'nullable' in filter) {
    throw new Error(`the filter by ${name}.${filter.column} says ${nullable ? 'not ' : ''}that it may be null`);
  }
}

function filterType(
  filter: Filtered['filters'][string],
  columnOf: ColumnOf,
  { type, list }: FilterArgument,
): AnyInput | [AnyInput] {
  switch (filter.kind) {
    case 'range':
      return DateTimeRange;
    case 'present':
      return 'Boolean';
    case 'in':
      return [type as AnyInput];
    case 'number':
      return columnOf(filter.column).type === 'Int' ? IntFilter : FloatFilter;
    case 'text':
      return TextFilter;
    case 'keys':
      return [JsonKeyFilter];
    case 'ratio':
      return [type as AnyInput];
    case 'relation':
      return filterRef(list ?? '');
    case 'equals':
    case 'related':
      return type as AnyInput;
  }
}
