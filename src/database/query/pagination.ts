import { hash } from 'node:crypto';
import { invalid } from '../../core/errors.ts';
import { filterCondition } from './filter.ts';
import { needsSql } from './folded.ts';
import { isKeySortValue, type KeyOrder, keyOfOrder, keySortValue } from './key-order.ts';
import { isMoment, type ListRule, type OrderColumn, type Where } from './list.ts';
import type { QueryContext } from './moments.ts';

export const defaultPageSize = 20;
export const maxPageSize = 100;
/** Maximum length of a search text, in characters. */
export const maxSearch = 500;

/** The arguments of every connection. */
export type ListArguments = {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  offset?: number | null;
  search?: string | null;
  filter?: Record<string, unknown> | null;
  /** `key`: of a JSON column. */
  orderBy?: { field: string; direction: 'asc' | 'desc'; key?: string | null } | null;
};

type Row = Record<string, unknown>;
type CursorValue = string | number | null;

/** A page of a list: its Prisma query, and how its rows become edges. */
export type Page = {
  /** The rows of the whole list, for counting. */
  where: Where;
  /** Whether Prisma cannot express the condition: src/compiled/sql/pages.ts reads the rows' keys instead. */
  needsSql: boolean;
  /** Whether it is sorted by a key, which limits the rows of the list to `maxRowsSortedByKey`. */
  isByKey: boolean;
  /** The rows of this page and one more, in reading order. */
  query: { where: Where; orderBy: Where[]; take: number; skip?: number };
  /** The cursor bounds that `query.where` adds to `where`. */
  keyset: KeysetBound[];
  /** How rows become a page, for code that does not use `connection`. */
  shape: PageShape;
  connection: (rows: Row[]) => PageOfRows;
};
export type PageShape = {
  size: number;
  /** Rows are read from the end of the list backwards. */
  backward: boolean;
  /** Whether the arguments imply rows on the unread side: before a forward page, after a backward one. */
  preceded: boolean;
  /** A cursor is the base64url of the JSON `[seal, value of the column sort, value of the column key]`. */
  cursor: { seal: string; sort: string; key: string; field: string; direction: 'asc' | 'desc' };
};
/** Rows whose `column` is beyond the value, or equal with a `key` beyond the id; `lt` means before, `gt` after. */
export type KeysetBound = {
  operator: 'lt' | 'gt';
  column: string;
  value: Date | CursorValue;
  key: string;
  id: string;
  /** In an order by a key of the column: the key, and whether rows without a value are beyond those with one. */
  ofKey: { key: string; missingBeyond: boolean } | null;
};
export type PageInfo = {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startCursor: string | null;
  endCursor: string | null;
};
export type PageOfRows = { edges: { cursor: string; node: Row }[]; pageInfo: PageInfo };

/**
 * Plans a page by keyset pagination: rows are found by the sort value and id of the cursor's row, so none is repeated
 * or skipped when rows come and go, or values are equal or missing. Throws 400 `invalid_request` naming the argument.
 */
export function planPage(rule: ListRule, given: ListArguments, context: QueryContext): Page {
  // Clients may send an empty cursor for the first page.
  const args = { ...given, after: given.after || null, before: given.before || null };
  const size = pageSize(args, rule.maxPageSize ?? maxPageSize);
  if (isLonger(args.search ?? '', maxSearch)) throw invalid(`search: must have at most ${maxSearch} characters`);
  const order = orderOf(rule, args);
  const backward = args.last != null;
  const seal = sealOfList(rule, args, order);
  const conditions: Where[] = [rule.rows(context.viewer)];
  const filter = filterCondition(rule, args.filter, context);
  if (filter) conditions.push(filter);
  // Ranked search runs before a page is planned, and then restricts the rule to the rows it found.
  if (args.search && rule.ranked) throw new Error(`planPage() was given a search of ${rule.model} that ranks`);
  if (args.search && rule.search) conditions.push(rule.search(args.search, context.viewer));
  const where = { AND: conditions };

  const keyset: KeysetBound[] = [];
  if (args.after) keyset.push(keysetBoundOf(order, readCursor(args.after, seal, order, 'after'), false));
  if (args.before) keyset.push(keysetBoundOf(order, readCursor(args.before, seal, order, 'before'), true));
  const valueOf = ({ [order.column]: value }: Row) =>
    order.ofKey === null ? sortValue(value) : keySortValue(value, order.ofKey);
  const cursorOf = (row: Row) => writeCursor(seal, valueOf(row), String(row[order.key]));
  const preceded = backward ? args.before != null : args.after != null || (args.offset ?? 0) > 0;

  return {
    where,
    needsSql: order.ofKey !== null || (filter !== null && needsSql(filter)),
    isByKey: order.ofKey !== null,
    query: {
      where:
        keyset.length > 0 && order.ofKey === null ? { AND: [...conditions, ...keyset.map(keysetCondition)] } : where,
      orderBy: orderBy(order, backward),
      take: size + 1,
      ...(args.offset && { skip: args.offset }),
    },
    keyset,
    shape: {
      size,
      backward,
      preceded,
      cursor: { seal, sort: order.column, key: order.key, field: order.field, direction: order.direction },
    },
    connection(rows) {
      const more = rows.length > size;
      const page = more ? rows.slice(0, size) : rows;
      const ordered = backward ? [...page].reverse() : page;
      return {
        edges: ordered.map((node) => new Edge(node, cursorOf)),
        pageInfo: {
          hasNextPage: backward ? preceded : more,
          hasPreviousPage: backward ? more : preceded,
          get startCursor() {
            return ordered[0] ? cursorOf(ordered[0]) : null;
          },
          get endCursor() {
            const end = ordered.at(-1);
            return end ? cursorOf(end) : null;
          },
        },
      };
    },
  };
}

/** Counts characters, not UTF-16 code units; far longer texts are not traversed. */
const isLonger = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || Array.from(text).length > max);

/** An edge computes its cursor on demand. */
class Edge {
  readonly node: Row;
  readonly #cursorOf: (row: Row) => string;

  constructor(node: Row, cursorOf: (row: Row) => string) {
    this.node = node;
    this.#cursorOf = cursorOf;
  }

  get cursor(): string {
    return this.#cursorOf(this.node);
  }
}

export function pageSize({ first, last, after, before, offset }: ListArguments, max: number): number {
  if (first != null && last != null) throw invalid('first, last: use one of them, not both.');
  for (const [name, value] of Object.entries({ first, last })) {
    if (value != null && (value < 0 || value > max)) {
      throw invalid(`${name}: must be between 0 and ${max}, got ${value}.`);
    }
  }
  if (last != null && after != null) throw invalid('after: can only be used with first; with last, use before.');
  if (last == null && before != null) throw invalid('before: can only be used with last; with first, use after.');
  if (offset != null && offset < 0) throw invalid(`offset: must be 0 or more, got ${offset}.`);
  if (offset && (last != null || after != null))
    throw invalid('offset: can only be used with first, and without a cursor.');
  return first ?? last ?? defaultPageSize;
}

/** The order of a list: the argument's field, the column with its values, and the tie-breaking key. */
type Order = {
  field: string;
  direction: 'asc' | 'desc';
  column: string;
  type: OrderColumn['type'];
  key: string;
  /** The key of the JSON column that it sorts by. */
  ofKey: string | null;
};
type Sealed = Pick<Order, 'field' | 'direction'> & { ofKey?: string | null };

function orderOf(rule: ListRule, { orderBy }: ListArguments): Order {
  const field = orderBy?.field ?? Object.keys(rule.orders)[0];
  const found = field === undefined ? undefined : rule.orders[field];
  if (field === undefined || !found) throw invalid(`orderBy.field: this list cannot be sorted by ${field}.`);
  const direction = orderBy?.direction ?? rule.defaultDirection ?? 'desc';
  const ofKey = keyOfOrder(rule, field, orderBy?.key);
  const column = 'columns' in found ? found.columns?.[direction] : undefined;
  return { field, direction, column: column ?? field, type: found.type, key: rule.key ?? 'id', ofKey };
}

const flip = (direction: 'asc' | 'desc') => (direction === 'asc' ? 'desc' : 'asc');

function orderBy({ direction, column, key, ofKey }: Order, backward: boolean): Where[] {
  const sort = backward ? flip(direction) : direction;
  const byKey = (of: string): KeyOrder => ({ key: of, sort, nulls: backward ? 'first' : 'last' });
  if (ofKey !== null) return [{ [column]: byKey(ofKey) }, { [key]: sort }];
  return [{ [column]: sort }, { [key]: sort }];
}

/** Returns the bound for "after this cursor" in the order, or for "before" it. */
function keysetBoundOf(
  { direction, column, type, key, ofKey }: Order,
  cursor: [CursorValue, string],
  before: boolean,
): KeysetBound {
  const [value, id] = cursor;
  const operator = (before ? flip(direction) : direction) === 'asc' ? 'gt' : 'lt';
  const at = type === 'date' ? new Date(value as number) : value;
  return {
    operator,
    column,
    value: at,
    key,
    id,
    ofKey: ofKey === null ? null : { key: ofKey, missingBeyond: !before },
  };
}

/** The condition that a row is beyond a bound. */
export function keysetCondition({ operator, column, value, key, id }: KeysetBound): Where {
  // An index can use only the first condition; the second handles ties.
  return {
    AND: [
      { [column]: { [`${operator}e`]: value } },
      { OR: [{ [column]: { [operator]: value } }, { [column]: value, [key]: { [operator]: id } }] },
    ],
  };
}

const sortValue = (value: unknown): CursorValue => (value instanceof Date ? value.getTime() : (value as CursorValue));

/** Cached seals of unfiltered lists, which are few and in constant use. */
const sealCache = new Map<string, string>();

/** A short hash that binds a cursor to its context. */
export const sealOf = (bound: string): string => hash('sha256', bound, 'base64url').slice(0, 8);

/** Returns the seal of a list's cursors: they are bound to the list, its order, filter and search. */
export function sealOfList(
  rule: ListRule,
  { filter, search }: ListArguments,
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

export function readCursor(
  cursor: string,
  seal: string,
  order: Pick<Order, 'type'>,
  name: 'after' | 'before',
): [CursorValue, string] {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    parts = null;
  }
  const [of, value, id] = Array.isArray(parts) && parts.length === 3 ? parts : [];
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
