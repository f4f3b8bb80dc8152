import type { InputFieldMap, InputRef } from '@pothos/core';
import { grouped } from '../../src/core/validation.ts';
import { maxRowsSortedByKey, sortedCharacters } from '../../src/lists/key-order.ts';
import type { ListRule } from '../../src/lists/list.ts';
import { defaultPageSize, maxPageSize, maxSearch } from '../../src/lists/pagination.ts';
import { builder } from '../builder.ts';

/** Descriptions, for readers of the schema, of what a rule allows to sort by. */
export type OrderTexts<Rule extends ListRule> = { [Column in keyof Rule['orders']]: string };

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The direction in which a list is sorted. Rows without a value always come last.',
  values: {
    asc: { description: 'Ascending: smallest, oldest or alphabetically first.' },
    desc: { description: 'Descending: largest, newest or alphabetically last.' },
  } as const,
});

/** Declares the input type `LeadOrder` of a list of Lead rows. */
export function orderType<Rule extends ListRule>(
  name: string,
  row: string,
  rule: Rule,
  orders: OrderTexts<Rule>,
): InputRef {
  const byKey = Object.keys(orders).filter((field) => rule.orders[field]?.type === 'key');
  const field = builder.enumType(`${name}OrderField`, {
    description: `The properties by which ${row} rows can be ordered.`,
    values: Object.fromEntries(Object.entries<string>(orders).map(([key, description]) => [key, { description }])),
  });
  return builder.inputType(`${name}Order`, {
    description: `The order of a list of ${row} rows. Ties are ordered by ID.`,
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'The field to sort by.' }),
      direction: t.field({ type: OrderDirection, required: true, description: 'The sort direction.' }),
      ...(byKey.length > 0 && {
        key: t.string({
          description:
            `The key to sort by; required with ${byKey.map((field) => `\`${field}\``).join(' and ')}. In ascending ` +
            `order, texts come first, by their first ${sortedCharacters} characters, then numbers, then \`false\` and ` +
            '`true`. Rows without such a value always come last. A list of more than ' +
            `${grouped(maxRowsSortedByKey)} rows is refused: narrow its filter.`,
        }),
      }),
    }),
  });
}

type ArgumentTypes = { order: InputRef; filter: InputRef | null; search: string | undefined };

/** The arguments of all fields that return a list of this rule. */
export function listArguments(rule: ListRule, { order, filter, search }: ArgumentTypes): InputFieldMap {
  const max = rule.maxPageSize ?? maxPageSize;
  const usual = `${Object.keys(rule.orders)[0]}, ${rule.defaultDirection ?? 'desc'}`;
  const args = builder.args((t) => ({
    first: t.int({
      description: `Returns the first rows, from 0 to ${max}. Defaults to ${defaultPageSize} if neither \`first\` nor \`last\` is given.`,
    }),
    after: t.string({ description: 'Returns rows after this cursor.' }),
    last: t.int({ description: `Returns the last rows, from 0 to ${max}.` }),
    before: t.string({ description: 'Returns rows before this cursor.' }),
    offset: t.int({
      description:
        'Number of rows to skip, for numbered pages. Skipped rows are read too, so later pages cost more; a page ' +
        'by cursor always costs the same.',
    }),
    orderBy: t.field({ type: order, description: `The order of the list. Defaults to ${usual}.` }),
    ...(filter ? { filter: t.field({ type: filter, description: 'Which rows to return.' }) } : {}),
    ...(search ? { search: t.string({ description: `${search} At most ${maxSearch} characters.` }) } : {}),
  }));
  return args as unknown as InputFieldMap;
}
