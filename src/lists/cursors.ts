import { hash } from 'node:crypto';
import { invalid } from '../core/errors.ts';
import { isKeySortValue } from './key-order.ts';
import { isMoment, type ListRule, type OrderColumn } from './list.ts';

/** The sort value of a row in a cursor: milliseconds since 1970 for a moment. */
export type CursorValue = string | number | null;
/** What a list is narrowed to. */
type Listed = { filter?: object | null; search?: string | null };
/** What of an order a seal is made of. `ofKey` is the key of the JSON column that it sorts by. */
type Sealed = { field: string; direction: 'asc' | 'desc'; ofKey?: string | null };

/** Cached seals of unfiltered lists, which are few and in constant use. */
const sealCache = new Map<string, string>();

/** A short hash that binds a cursor to its context. */
export const sealOf = (bound: string): string => hash('sha256', bound, 'base64url').slice(0, 8);

/** Returns the seal of a list's cursors: they are bound to the list, its order, filter and search. */
export function sealOfList(
  rule: ListRule,
  { filter, search }: Listed,
  { field, direction, ofKey = null }: Sealed,
): string {
  const bound = [rule.model, field, direction, filter ?? null, search ?? null];
  const make = () => sealOf(JSON.stringify(ofKey === null ? bound : [...bound, ofKey]));
  if (filter || search || ofKey !== null) return make();
  const list = `${rule.model} ${field} ${direction}`;
  const seal = sealCache.get(list) ?? make();
  sealCache.set(list, seal);
  return seal;
}

export const writeCursor = (seal: string, value: CursorValue, id: string): string =>
  Buffer.from(JSON.stringify([seal, value, id])).toString('base64url');

/** Decodes a cursor, which is a JSON array of three parts in base64url; empty if it is none. */
export function decodeCursor(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) && parts.length === 3 ? parts : [];
  } catch {
    return [];
  }
}

/**
 * Returns the value and the id of the row that a cursor points to. Throws 400 if it is from another list, whose `seal`
 * differs, or not a cursor.
 */
export function readCursor(
  cursor: string,
  seal: string,
  order: Pick<OrderColumn, 'type'>,
  name: 'after' | 'before',
): [CursorValue, string] {
  const [of, value, id] = decodeCursor(cursor);
  if (typeof of === 'string' && of.length === seal.length && of !== seal) {
    throw invalid(`${name}: this cursor is from another list, order, filter or search. Start again without it.`);
  }
  if (of !== seal || !isText(id) || !isCursorValue(value, order.type)) {
    throw invalid(`${name}: is not a valid cursor. Pass the cursor of an edge, or endCursor, unchanged.`);
  }
  return [value, id];
}

function isCursorValue(value: unknown, type: OrderColumn['type']): value is CursorValue {
  if (type === 'key') return value === null || (isText(value) && isKeySortValue(value));
  if (type === 'text') return isText(value);
  if (!Number.isInteger(value)) return false;
  return type === 'date' ? isMoment(new Date(value as number)) : Math.abs(value as number) < 2 ** 31;
}

/** A string that PostgreSQL can compare: it rejects NUL. */
const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
