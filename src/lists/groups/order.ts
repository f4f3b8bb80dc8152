import { type Grouping, type GroupPosition, isCount } from '../group.ts';
import type { TextBinding } from '../sql/binding.ts';
import { isMissing, isMissingKey, typeOfKey } from './keys.ts';

/** A sort term of groups, and its value at a cursor. */
type Term = {
  expression: string;
  type: string;
  direction: 'asc' | 'desc';
  position: (at: GroupPosition) => string;
};

/**
 * Returns the sort terms of groups in order: groups without a value come last, and the keys break ties. `columns` are
 * those of the keys, `value` is the measure to sort by, null for the keys.
 */
export function termsOf({ keys, order }: Grouping, columns: readonly string[], value: string | null): Term[] {
  const terms = keys.flatMap((key, index): Term[] => {
    const expression = columns[index] as string;
    const position = ({ keys: at }: GroupPosition) => at[index] ?? '';
    const direction = value === null ? order.direction : 'asc';
    // In ascending order, the representation of a missing value already sorts last.
    const missing = direction === 'desc' ? isMissing(key, expression) : null;
    const last = (at: GroupPosition) => String(isMissingKey(key, position(at)));
    return [
      ...(missing ? [{ expression: missing, type: 'boolean', direction: 'asc' as const, position: last }] : []),
      { expression, type: typeOfKey(key), direction, position },
    ];
  });
  if (value === null) return terms;
  const position = (at: GroupPosition) => at.value ?? '0';
  if (order.by !== 'keys' && isCount(order.by)) {
    return [{ expression: value, type: 'numeric', direction: order.direction, position }, ...terms];
  }
  return [
    {
      expression: `(${value} IS NULL)`,
      type: 'boolean',
      direction: 'asc',
      position: (at) => String(at.value === null),
    },
    { expression: `coalesce(${value}, 0)`, type: 'numeric', direction: order.direction, position },
    ...terms,
  ];
}

export const orderOfTerms = (terms: Term[]): string =>
  terms.map(({ expression, direction }) => `${expression} ${direction}`).join(', ') || '1';

/** SQL for the condition that a group comes after the cursor. */
export function isAfter(binding: TextBinding, terms: Term[], after: GroupPosition | null): string {
  if (!after) return 'true';
  const compared = terms.map(({ expression, type, direction, position }) => {
    const value = `${binding.own(position(after), 'text')}::${type}`;
    return { is: `${expression} = ${value}`, beyond: `${expression} ${direction === 'asc' ? '>' : '<'} ${value}` };
  });
  const either = compared.map((term, index) =>
    [...compared.slice(0, index).map(({ is }) => is), term.beyond].join(' AND '),
  );
  return `(${either.map((all) => `(${all})`).join(' OR ') || 'false'})`;
}
