import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../../src/context.ts';
import { invalid } from '../../../src/core/errors.ts';
import { memoize } from '../../../src/core/lazy.ts';
import { type GroupKey, maxGroupings } from '../../../src/lists/group.ts';
import {
  type GroupArguments,
  type GroupRequest,
  type GroupsResult,
  type ListPosition,
  planGroups,
  readerOfInfo,
  readGroups,
  readSelection,
  sealOfGroups,
  tooManyToFill,
} from '../../../src/lists/groups/index.ts';
import type { ListRule } from '../../../src/lists/list.ts';
import type { ListArguments } from '../../../src/lists/pagination.ts';
import type { Listed } from '../../../src/lists/sql/pages.ts';
import { datamodel } from '../datamodel.ts';

/** The list to group: its rule and arguments, its parent row, and the groups that it is nested in. */
export type GroupedList = {
  rule: ListRule;
  args: ListArguments;
  parent: (NonNullable<Listed['parent']> & { id: string }) | null;
  within: { keys: GroupKey[]; positions: string[] }[];
};
/** Groups that were read, with what is needed to read their rows. */
export type ReadGroups = GroupRequest & { list: GroupedList; seal: string; result: GroupsResult };

type Loader = DataLoader<ListPosition, GroupsResult>;
const loadersOf = memoize((_: Context) => new Map<string, Loader>());

/**
 * Reads the groups of a list, batched into one statement over parents and outer groups. Throws 400 `invalid_request`.
 */
export async function groupsOf(
  list: GroupedList,
  args: GroupArguments,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<ReadGroups> {
  const field = info.parentType.getFields()[info.fieldName];
  if (!field) throw new Error('groups of no connection');
  const { parent, rule } = list;
  const selected = readSelection(rule, readerOfInfo(info, context), { field, nodes: info.fieldNodes });
  const within = list.within.map(({ keys }) => keys);
  const positions = list.within.map(({ positions: of }) => of);
  const request = planGroups({ ...list, within }, positions, selected, { args, context });
  const { scope, grouping, bound } = request;
  const of = parent && { model: parent.model, relation: parent.relation, through: parent.through };
  const key = JSON.stringify([bound(), Object.keys(rule.orders), of, within, grouping]);
  const reader = { context, schema: info.schema, datamodel, scope };
  const loader = loaderOf(context, key, (lists) => readGroups(reader, grouping, lists));
  const result = await loader.load(positionOf(list));
  if (result.overfilled) throw tooManyToFill(grouping.keys, scope.span?.argument);
  return { ...request, list, seal: sealOfGroups(bound(), positions), result };
}

export const positionOf = ({ parent, within }: GroupedList): ListPosition => ({
  parentId: parent?.id ?? null,
  positions: within.map(({ positions }) => positions),
});

function loaderOf(
  context: Context,
  key: string,
  read: (lists: readonly ListPosition[]) => Promise<GroupsResult[]>,
): Loader {
  const known = loadersOf(context);
  // Not cached: later fields must see what an operation writes in between.
  const loader = known.get(key) ?? new DataLoader<ListPosition, GroupsResult>(read, { cache: false });
  if (!known.has(key) && known.size >= maxGroupings) {
    throw invalid(
      `groups: an operation may ask for ${maxGroupings} different ones at most. Ask for the others in another operation, ` +
        'or for several measures in one.',
    );
  }
  known.set(key, loader);
  return loader;
}
