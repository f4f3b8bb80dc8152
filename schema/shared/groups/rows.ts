import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../../src/context.ts';
import { delegateOf } from '../../../src/database/query/delegate.ts';
import { allRows, readKeys } from '../../../src/lists/groups/index.ts';
import { maxRowsSortedByKey, tooManyToSort } from '../../../src/lists/key-order.ts';
import { permitRows } from '../../../src/lists/list-access.ts';
import { type ListArguments, type Page, planPage } from '../../../src/lists/pagination.ts';
import { datamodel } from '../datamodel.ts';
import { lazyPage } from '../lazy-page.ts';
import { type Group, measurementsOf, type Row, type RowsOfGroups, resultOf } from './group.ts';
import { valueIn } from './measurements.ts';
import { positionOf, type ReadGroups } from './read.ts';

/** Returns a page of a group's rows, read together with those of the neighbouring groups. */
export function rowsOf(name: string, group: Group, given: ListArguments, context: Context, info: GraphQLResolveInfo) {
  const { read, index, pages } = group;
  const { rule, args: listed, parent } = read.list;
  permitRows(context, rule);
  const position = resultOf(group).position;
  const of = { keys: read.grouping.keys, positions: position };
  const within = [...read.list.within, of];
  // Binds the cursors to one group.
  const filter = { ...listed.filter, '': within.map(({ positions }) => positions) };
  const args = { ...given, filter, search: listed.search ?? null };
  const page = planPage(rule, args, context);
  const count = valueIn(measurementsOf(group), allRows.id) ?? 0;
  const key = JSON.stringify([given, info.fieldNodes.map(({ loc }) => loc?.start)]);
  const load = async () => {
    if (page.isByKey && count > maxRowsSortedByKey) throw tooManyToSort(rule);
    const known = pages.get(key) ?? readRows(name, read, page, context, info);
    pages.set(key, known);
    const { keys, nodeOf } = await known;
    return page.connection(keys[index] ?? [], nodeOf);
  };
  const counts = { all: () => count, atMost: async (max: number) => Math.min(count, max), about: async () => null };
  const listArguments = { filter: listed.filter ?? null, search: listed.search ?? null };
  return lazyPage(load, counts, { rule, args: listArguments, parent, within });
}

const paths = [[{ name: 'nodes' }], [{ name: 'edges' }, { name: 'node' }]];

/** Reads one page of rows of each group: one statement finds their keys, another reads the selection. */
async function readRows(
  name: string,
  { list, scope, grouping, result }: ReadGroups,
  page: Page,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<RowsOfGroups> {
  const { rule } = list;
  const reader = { context, schema: info.schema, datamodel, scope };
  const positions = result.groups.map(({ position }) => position);
  const found = await readKeys(reader, { page, keys: grouping.keys, positions, list: positionOf(list) });
  const all = found.flatMap((of) => of.slice(0, page.shape.size).map(({ id }) => id));
  if (all.length === 0) return { keys: found, nodeOf: () => undefined };
  const selection = queryFromInfo({ context, info, typeName: name, paths });
  const where = { AND: [rule.rows(context.viewer), { id: { in: all } }] };
  const rows = await delegateOf(context.database, rule.model).findMany({ ...selection, where });
  const byId = new Map<unknown, Row>(rows.map((row) => [row.id, row]));
  return { keys: found, nodeOf: ({ id }) => byId.get(id) };
}
