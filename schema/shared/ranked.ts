import DataLoader from 'dataloader';
import type { GraphQLSchema } from 'graphql';
import type { Context } from '../../src/context.ts';
import { memoize } from '../../src/core/lazy.ts';
import type { Where } from '../../src/database/query/delegate.ts';
import { isWholeWorkspace } from '../../src/lists/count.ts';
import { tooManyToSort } from '../../src/lists/key-order.ts';
import type { ListRule } from '../../src/lists/list.ts';
import { type ListArguments, maxPageSize, type PageInfo, planPage } from '../../src/lists/pagination.ts';
import { candidatesOf, isAmong, OneOf, type RankedSearch } from '../../src/lists/ranked.ts';
import { planRankedPage } from '../../src/lists/ranked-page.ts';
import { countRows, type Listed, readFound, readKeys } from '../../src/lists/sql/pages.ts';
import type { Candidates, RankedMatches } from '../../src/search/types.ts';
import { fieldOf } from './any-field.ts';
import type { Counts } from './counts.ts';
import { datamodel } from './datamodel.ts';

type Row = Record<string, unknown>;
/** The best matching message of a row, and its score. */
export type Match = { messageId: string; score: number; search: string };
type RankedRows = { edges: { cursor: string; node: Row; match: Match | null }[]; pageInfo: PageInfo };
type SearchRequest = {
  context: Context;
  schema: GraphQLSchema;
  rule: ListRule;
  args: ListArguments;
  /** For a nested list: the condition that its rows belong to the parent. */
  belongs?: Where;
};
/** Reads rows by id with the operation's selection. */
type ReadRows = (ids: string[]) => Promise<Row[]>;
/** A searched list. `rule` is restricted to the matches, for everything else that is selected of the list. */
export type SearchedList = { rule: ListRule; counts: Counts; page: (read: ReadRows) => Promise<RankedRows> };

/**
 * This many of the best messages are examined at first, then more, and all only if a filter leaves too few of these.
 */
const [firstBatchSize, secondLook] = [200, 4_000];

/** Runs a list's `search`. Throws 400 `invalid_request`. */
export async function searchList(request: SearchRequest, ranked: RankedSearch): Promise<SearchedList> {
  const { context, schema, args } = request;
  // Validate the arguments before searching.
  const rankedPlan = args.orderBy ? null : planRankedPage(request.rule, args, request.rule.maxPageSize ?? maxPageSize);
  const { ranked: _, ...whole } = request.rule;
  const unranked = ofParent(whole, request.belongs);
  const listed = planPage(unranked, rankedPlan ? { ...args, after: null, before: null } : args, context);
  const found = await finderOf(context, ranked).load(args.search ?? '');
  const rule = onlyFound(unranked, found, ranked);
  const searched: Listed = { context, schema, datamodel, rule, parent: null };
  const { where } = planPage(rule, { filter: args.filter ?? null }, context);
  const isWhole = ranked.column === 'id' && isWholeWorkspace(unranked, { ...args, search: null }, context.viewer);
  const count = async (atMost: number | null = null) => {
    if (isWhole) return Math.min(found.total, atMost ?? Infinity);
    const [counted = 0] = await countRows(searched, where, { parents: [''], max: atMost });
    return counted;
  };
  const findMatches = async (condition: Where, candidates: Candidates) =>
    matchesOf(await readFound(searched, condition, ranked, candidates), found, args.search ?? '');

  const inOrder = async (read: ReadRows): Promise<RankedRows> => {
    const page = planPage(rule, args, context);
    const [keys] = await readKeys(searched, page, ['']);
    if (!keys) throw tooManyToSort(rule);
    const ids = keys.slice(0, page.shape.size).map(({ id }) => String(id));
    const matches = await findMatches({ id: { in: ids } }, found.all());
    const rows = await rowsById(read, ids);
    const { edges, pageInfo } = page.connection(keys, ({ id }) => rows.get(String(id)));
    return {
      edges: edges.map(({ cursor, node }) => ({ cursor, node, match: matches.get(String(node.id)) ?? null })),
      pageInfo,
    };
  };

  const byRank = async (read: ReadRows, plan: NonNullable<typeof rankedPlan>): Promise<RankedRows> => {
    const end = plan.span?.end ?? (await count());
    const start = plan.span?.start ?? Math.max(end - plan.size, 0);
    // A single parent has few of the best matches: examine all at once.
    const steps = request.belongs ? [found.total] : [Math.max(firstBatchSize, 4 * (end + 1)), secondLook, found.total];
    let matches = new Map<string, Match>();
    let examined = 0;
    for (const step of steps) {
      if (matches.size > end || step <= examined) continue;
      matches = await findMatches(listed.where, step < found.total ? candidatesOf(found.best(step)) : found.all());
      examined = Math.min(step, found.total);
    }
    const ids = [...matches.keys()].slice(start, end);
    const rows = await rowsById(read, ids);
    return {
      edges: ids.flatMap((id, index) => {
        const node = rows.get(id);
        return node ? [{ cursor: plan.cursor(start + index, id), node, match: matches.get(id) ?? null }] : [];
      }),
      pageInfo: plan.pageInfo(ids, start, matches.size > end),
    };
  };

  return {
    rule: onlyFound(whole, found, ranked),
    counts: { all: () => count(), atMost: count, about: async () => null },
    page: (read) => (rankedPlan ? byRank(read, rankedPlan) : inOrder(read)),
  };
}

type Finder = DataLoader<string, RankedMatches>;
const findersOf = memoize((_: Context) => new Map<RankedSearch['find'], Finder>());

/** Searches for the same text once per batch of lists. */
function finderOf(context: Context, { find }: RankedSearch): Finder {
  const finders = findersOf(context);
  const load = (texts: readonly string[]) => {
    const found = new Map<string, Promise<RankedMatches>>();
    for (const text of texts) {
      if (!found.has(text)) found.set(text, find(context.database, context.viewer.workspaceId, text));
    }
    return Promise.all(texts.map((text) => found.get(text) as Promise<RankedMatches>));
  };
  // Not cached: later fields must find what an operation writes in between.
  const finder = finders.get(find) ?? new DataLoader<string, RankedMatches>(load, { cache: false });
  finders.set(find, finder);
  return finder;
}

/** Restricts a list to the rows of one parent. */
const ofParent = (rule: ListRule, belongs: Where | undefined): ListRule =>
  belongs ? { ...rule, rows: (viewer) => ({ AND: [rule.rows(viewer), belongs] }) } : rule;

/** Restricts a list to the matches. */
function onlyFound(rule: ListRule, found: RankedMatches, { column }: RankedSearch): ListRule {
  const all = () => found.all();
  return {
    ...rule,
    rows: (viewer) => {
      const messages = new OneOf(
        (candidates) =>
          `SELECT m."${column}" FROM "Message" m WHERE ${isAmong('m', viewer.workspaceId, all(), candidates)}`,
      );
      return { AND: [rule.rows(viewer), { id: messages }] };
    },
  };
}

type FoundRows = Awaited<ReturnType<typeof readFound>>;

/** Returns the best matching message of each row, best row first. */
function matchesOf(rows: FoundRows, found: RankedMatches, search: string): Map<string, Match> {
  const scored = rows.flatMap(({ id, message, number }) => {
    const score = found.scoreOf({ id: message, number });
    return score === null ? [] : [{ id, messageId: message, score, search }];
  });
  // Later messages first among equals: ids sort by time.
  scored.sort((a, b) => b.score - a.score || (a.messageId < b.messageId ? 1 : -1));
  const best = new Map<string, Match>();
  for (const { id, ...match } of scored) if (!best.has(id)) best.set(id, match);
  return best;
}

const rowsById = async (read: ReadRows, ids: string[]): Promise<Map<string, Row>> =>
  new Map((ids.length > 0 ? await read(ids) : []).map((row) => [String(row.id), row]));

/** The edge's field with the row's match. */
export const matchField = (t: unknown, type: unknown) =>
  fieldOf(t)({
    type,
    nullable: true,
    description: 'Why the row was found. `null` without a search.',
    resolve: ({ match }: { match?: Match | null }) => match ?? null,
  });
