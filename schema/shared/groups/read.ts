import DataLoader from 'dataloader';
import type { GraphQLSchema } from 'graphql';
import {
  type Answered,
  type OfGroup,
  type OfParent,
  readGroups,
  type Scope,
} from '../../../src/compiled/groups/index.ts';
import type { Context } from '../../../src/context.ts';
import { invalid } from '../../../src/core/errors.ts';
import { type Grouping, maxFilled, maxGroups } from '../../../src/database/query/group.ts';
import { filterCondition, type ListRule } from '../../../src/database/query/list.ts';
import { defaultPageSize, type ListArguments, planPage } from '../../../src/database/query/pagination.ts';
import { getDatamodel } from '../../generated/prisma.ts';
import { readGroupCursor, sealOfGroups } from './cursor.ts';
import type { Selected } from './plan.ts';
import { spanOf } from './span.ts';

/** The list whose groups are asked for: its rule and arguments, the row that it belongs to, the groups that it lies within. */
export type GroupedList = {
  rule: ListRule;
  args: ListArguments;
  parent: (OfParent & { id: string }) | null;
  within: OfGroup[];
};
export type GroupArguments = {
  first?: number | null;
  after?: string | null;
  orderBy?: { by: Grouping['order']['by']; direction: 'asc' | 'desc' } | null;
};
/** Groups as they were read, and all that is needed to read on. */
export type ReadGroups = { list: GroupedList; scope: Scope; grouping: Grouping; seal: string; answered: Answered };

/** Different groups that one operation may ask for: each reads all rows of its list. */
const mostStatements = 20;
type Loader = DataLoader<string, Answered>;
const loaders = new WeakMap<Context, Map<string, Loader>>();

/** Reads the groups of a list; those of the same list of many rows by one statement. Throws 400 `invalid_request`. */
export async function groupsOf(
  list: GroupedList,
  selected: Selected,
  { context, schema, args }: { context: Context; schema: GraphQLSchema; args: GroupArguments },
): Promise<ReadGroups> {
  const scope = scopeOf(list, context, selected);
  const order = args.orderBy ?? { by: selected.measures[0] ?? 'keys', direction: 'desc' };
  const { parent, within, rule } = list;
  const { filter, search } = list.args;
  const listed = [rule.model, filter ?? null, search ?? null, within.map(({ places }) => places)];
  const seal = sealOfGroups(listed, { keys: selected.keys, order });
  const after = args.after ? readGroupCursor(args.after, seal, selected.keys) : null;
  const grouping: Grouping = { ...selected, order, size: sizeOf(args), after };
  const key = JSON.stringify([listed, Object.keys(rule.orders), parent && { ...parent, id: '' }, grouping]);
  const answered = await loaderOf(context, key, async (ids) =>
    readGroups({ context, schema, datamodel: getDatamodel() as never, scope }, grouping, ids),
  ).load(parent?.id ?? '');
  if (answered.overfilled) {
    throw invalid(
      `fill: with the spans that have no rows there would be more than ${maxFilled} groups: ask for longer spans, for fewer ` +
        `keys, or narrow filter.${scope.span?.argument}.`,
    );
  }
  return { list, scope, grouping, seal, answered };
}

function loaderOf(context: Context, key: string, read: (ids: readonly string[]) => Promise<Answered[]>): Loader {
  const known = loaders.get(context) ?? new Map<string, Loader>();
  loaders.set(context, known);
  // Not kept: what an operation writes in between is to be seen.
  const loader = known.get(key) ?? new DataLoader<string, Answered>(read, { cache: false });
  if (!known.has(key) && known.size >= mostStatements) {
    throw invalid(
      `groups: an operation may ask for ${mostStatements} different ones at most. Ask for the others in another operation, ` +
        'or for several measures in one.',
    );
  }
  known.set(key, loader);
  return loader;
}

function sizeOf({ first }: GroupArguments): number {
  if (first != null && (first < 0 || first > maxGroups)) {
    throw invalid(`first: must be between 0 and ${maxGroups}, got ${first}.`);
  }
  return first ?? defaultPageSize;
}

/** The rows that are grouped. Throws 400 `invalid_request` naming the argument. */
function scopeOf({ rule, args, parent, within }: GroupedList, { viewer }: Context, selected: Selected): Scope {
  for (const measure of [...selected.measures, ...(selected.other ?? []), ...(selected.previous ?? [])]) {
    if (measure.aggregate === 'count') filterCondition(rule, measure.filter);
  }
  const { filter, search } = args;
  const span = spanOf(rule, filter, selected);
  const whereOf = (by: ListArguments['filter']) =>
    planPage(rule, { filter: by ?? null, search: search ?? null }, viewer).where;
  return {
    rule,
    parent,
    within,
    where: whereOf(filter),
    beforeWhere: span && selected.previous ? () => whereOf({ ...filter, [span.argument]: null }) : null,
    span,
  };
}
