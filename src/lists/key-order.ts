import { invalid } from '../core/errors.ts';
import { grouped } from '../core/validation.ts';
import { checkKey } from './json-key.ts';
import { type ListRule, rangeOf } from './list.ts';

/** A list with more rows cannot be sorted by a key: no index has the values of a key in their order. */
export const maxRowsSortedByKey = 10_000;
/** Texts are sorted by their beginning, which a cursor contains. */
export const sortedCharacters = 200;

/**
 * An order by a key of a JSON column: texts, then numbers, then false and true. Other values, and rows without the key,
 * come last in either direction; they are first where a page is read backwards.
 */
export type KeyOrder = { key: string; sort: 'asc' | 'desc'; nulls: 'first' | 'last' };

/** Checks the argument `orderBy.key`. Throws 400 `invalid_request`. */
export function keyOfOrder(rule: ListRule, field: string, key: string | null | undefined): string | null {
  if (rule.orders[field]?.type === 'key') {
    if (key == null) throw invalid(`orderBy.key: name the key of ${field} to sort by.`);
    checkKey(key, 'orderBy.key');
    return key;
  }
  if (key != null) throw invalid(`orderBy.key: cannot be given with the field ${field}. Leave it out.`);
  return null;
}

/** 400 `invalid_request` for a list with too many rows to be sorted by a key. */
export function tooManyToSort(rule: ListRule) {
  const range = rangeOf(rule);
  return invalid(
    `orderBy.key: a list of more than ${grouped(maxRowsSortedByKey)} rows cannot be sorted by a key. Narrow ` +
      `${range ? `filter.${range}` : 'the filter'}, or sort by another field.`,
  );
}

/** Returns the value of a key that a row is sorted by, as JSON; null if it has none. */
export function keySortValue(json: unknown, key: string): string | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json) || !Object.hasOwn(json, key)) return null;
  const value = (json as Record<string, unknown>)[key];
  if (typeof value === 'string') return JSON.stringify(Array.from(value).slice(0, sortedCharacters).join(''));
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : null;
}

/** Whether a text is such a value, which the database can read. */
export function isKeySortValue(text: string): boolean {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
    return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
  } catch {
    return false;
  }
}
