import { readCursor, sealOfList, writeCursor } from './cursors.ts';
import type { ListRule } from './list.ts';
import { type ListArguments, type PageInfo, pageSize } from './pagination.ts';

/** A page of a ranked list: the positions from `start` up to `end`, plus one to know whether there are more. */
type RankedPlan = {
  /** Null: the end of the list, whose length is not known yet. */
  span: { start: number; end: number } | null;
  size: number;
  backward: boolean;
  /** Builds the page info from the ids of all positions that were read, starting at `start`. */
  pageInfo: (ids: string[], start: number, more: boolean) => PageInfo;
  cursor: (rank: number, id: string) => string;
};

const byRank = { field: 'rank', direction: 'desc' } as const;

/**
 * Plans a page by positions, which may shift when messages arrive between two pages. Throws 400 `invalid_request`,
 * which names the argument.
 */
export function planRankedPage(rule: ListRule, given: ListArguments, maxSize: number): RankedPlan {
  const args = { ...given, after: given.after || null, before: given.before || null };
  const size = pageSize(args, maxSize);
  const seal = sealOfList(rule, args, byRank);
  const rankOf = (cursor: string, name: 'after' | 'before') =>
    Number(readCursor(cursor, seal, { type: 'number' }, name)[0]);
  const backward = args.last != null;
  const cursor = (rank: number, id: string) => writeCursor(seal, rank, id);
  return {
    size,
    backward,
    span: spanOf(),
    cursor,
    pageInfo: (ids, start, more) => ({
      hasNextPage: backward ? args.before !== null : more,
      hasPreviousPage: start > 0,
      startCursor: ids[0] === undefined ? null : cursor(start, ids[0]),
      endCursor: ids.length === 0 ? null : cursor(start + ids.length - 1, ids.at(-1) as string),
    }),
  };

  function spanOf(): RankedPlan['span'] {
    if (!backward) {
      const start = (args.after === null ? -1 : rankOf(args.after, 'after')) + 1 + (args.offset ?? 0);
      return { start, end: start + size };
    }
    if (args.before === null) return null;
    const end = Math.max(rankOf(args.before, 'before'), 0);
    return { start: Math.max(end - size, 0), end };
  }
}
