import { invalid } from '../core/errors.ts';
import { lazy } from '../core/lazy.ts';
import { grouped } from '../core/validation.ts';
import type { Where } from '../database/query/delegate.ts';
import { type CursorValue, readCursor, sealOfList, writeCursor } from './cursors.ts';
import { filterCondition } from './filter.ts';
import { needsSql } from './folded.ts';
import { type KeyOrder, keyOfOrder, keySortValue } from './key-order.ts';
import type { ListRule, OrderColumn } from './list.ts';
import type { QueryContext } from './time/moments.ts';

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

/** A page of a list: its Prisma query, and how its rows become edges. */
export type Page = {
  /** The rows of the whole list, for counting. */
  where: Where;
  /** Whether Prisma cannot express the condition: src/lists/sql/pages.ts reads the rows' keys instead. */
  needsSql: boolean;
  /** Whether it is sorted by a key, which limits the rows of the list to `maxRowsSortedByKey`. */
  isByKey: boolean;
  /** The rows of this page and one more, in reading order. */
  query: { where: Where; orderBy: Where[]; take: number; skip?: number };
  /** The cursor bounds that `query.where` adds to `where`. */
  keyset: KeysetBound[];
  /** How rows become a page, for code that does not use `connection`. */
  shape: PageShape;
  /**
   * The page of the rows that the query found. Where only their keys and sort values were read, `nodeOf` returns the
   * row of a key; one that has gone since leaves the page, and cursors and what follows stay as they were found.
   */
  connection: (found: Row[], nodeOf?: (found: Row) => Row | undefined) => PageOfRows;
};
export type PageShape = {
  size: number;
  /** Rows are read from the end of the list backwards. */
  backward: boolean;
  /** Whether the arguments imply rows on the unread side: before a forward page, after a backward one. */
  preceded: boolean;
  /** A cursor is the base64url of the JSON `[seal(), value of the column sort, value of the column key]`. */
  cursor: { seal: () => string; sort: string; key: string; field: string; direction: 'asc' | 'desc' };
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
  const order = orderOf(rule, args);
  const backward = args.last != null;
  // Made on demand: a page of numbers alone has no cursors.
  const seal = lazy(() => sealOfList(rule, args, order));
  const { where, filter } = conditionsOf(rule, args, context);

  const keyset: KeysetBound[] = [];
  if (args.after) keyset.push(keysetBoundOf(order, readCursor(args.after, seal(), order, 'after'), false));
  if (args.before) keyset.push(keysetBoundOf(order, readCursor(args.before, seal(), order, 'before'), true));
  const valueOf = ({ [order.column]: value }: Row) =>
    order.ofKey === null ? sortValue(value) : keySortValue(value, order.ofKey);
  const cursorOf = (row: Row) => writeCursor(seal(), valueOf(row), String(row[order.key]));
  const preceded = backward ? args.before != null : args.after != null || (args.offset ?? 0) > 0;

  return {
    where,
    needsSql: order.ofKey !== null || (filter !== null && needsSql(filter)),
    isByKey: order.ofKey !== null,
    query: {
      where:
        keyset.length > 0 && order.ofKey === null ? { AND: [...where.AND, ...keyset.map(keysetCondition)] } : where,
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
    connection(found, nodeOf = (row) => row) {
      const more = found.length > size;
      const page = more ? found.slice(0, size) : found;
      const ordered = backward ? [...page].reverse() : page;
      return {
        edges: ordered.flatMap((row) => {
          const node = nodeOf(row);
          return node ? [new Edge(node, row, cursorOf)] : [];
        }),
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

/** Returns the condition for the rows of the whole list. Throws 400 `invalid_request` naming the argument. */
export const whereOf = (rule: ListRule, args: ListArguments, context: QueryContext): Where =>
  conditionsOf(rule, args, context).where;

function conditionsOf(rule: ListRule, { filter: given, search }: ListArguments, context: QueryContext) {
  if (isLonger(search ?? '', maxSearch)) throw invalid(`search: must have at most ${grouped(maxSearch)} characters`);
  const conditions: Where[] = [rule.rows(context.viewer)];
  const filter = filterCondition(rule, given, context);
  if (filter) conditions.push(filter);
  // Ranked search runs before a page is planned, and then restricts the rule to the rows it found.
  if (search && rule.ranked) throw new Error(`a search of ${rule.model} that ranks was planned as one that filters`);
  if (search && rule.search) conditions.push(rule.search(search, context.viewer));
  return { where: { AND: conditions }, filter };
}

/** Counts characters, not UTF-16 code units; far longer texts are not traversed. */
const isLonger = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || Array.from(text).length > max);

/** An edge computes its cursor on demand. */
class Edge {
  readonly node: Row;
  readonly #found: Row;
  readonly #cursorOf: (row: Row) => string;

  constructor(node: Row, found: Row, cursorOf: (row: Row) => string) {
    this.node = node;
    this.#found = found;
    this.#cursorOf = cursorOf;
  }

  get cursor(): string {
    return this.#cursorOf(this.#found);
  }
}

/** Returns the number of rows on a page. Throws 400 for arguments that are out of bounds or contradict each other. */
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
