import { type GraphQLEnumType, type GraphQLInputObjectType, getNamedType } from 'graphql';
import { expect } from 'vitest';
import type { ListRule } from '../../../src/lists/list.ts';
import type { Gateway, GraphQLAnswer } from '../gateway/app.ts';
import { idOfType } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import { type Connection, connections } from './shape.ts';

/** A list according to the schema: its orders, page sizes, and the key of its rows. */
export type List = Connection & {
  document: string;
  orders: string[];
  maxPageSize: number;
  hasArgument: (name: string) => boolean;
  table: string;
  key: string;
};
export type Order = { field: string; direction: 'asc' | 'desc' };
export type Page = {
  totalCount: number;
  edges: { cursor: string; node: Record<string, string> }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
};

/** Tables whose name differs from their type. */
const tables: Record<string, string> = { RoleRecord: 'AppRole', WorkspaceSubscription: 'Subscription' };

/** Every list of the graph. */
export const lists: List[] = connections().map((connection) => {
  const { owner, field, row } = connection;
  const named = (name: string) => field.args.find((argument) => argument.name === name);
  const order = getNamedType(named('orderBy')?.type as GraphQLInputObjectType) as GraphQLInputObjectType;
  const values = (getNamedType(order.getFields().field?.type as GraphQLEnumType) as GraphQLEnumType).getValues();
  const rule = field.extensions.parleyList as ListRule;
  const isRecord = row.name === 'RoleRecord';
  // A role record has no id: a member's records differ by app, an app's by member.
  const key = isRecord ? { Membership: 'appId', App: 'membershipId' }[owner] : 'id';
  if (!key) throw new Error(`${connection.name}: say in test/support/graphql/lists.ts what tells its rows apart`);
  return {
    ...connection,
    document: documentOf(connection, key),
    // test/graphql/orders-by-key.test.ts covers orders by a key.
    orders: values.map(({ name }) => name).filter((name) => rule.orders[name]?.type !== 'key'),
    maxPageSize: Number(/0 to ([\d,]+)/.exec(named('first')?.description ?? '')?.[1]),
    hasArgument: (name) => named(name) !== undefined,
    table: tables[row.name] ?? row.name,
    key,
  };
});

function documentOf({ owner, field }: Connection, key: string): string {
  const variables = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const page = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
  const list = `list: ${field.name}(${given}) { totalCount edges { cursor node { ${key} } } ${page} }`;
  if (owner === 'Query') return `query Walk(${variables}) { ${list} }`;
  return `query Walk($parent: ID!, ${variables}) { node(id: $parent) { ... on ${owner} { ${list} } } }`;
}

/** Requests one page, with or without errors. */
export function askPage(gateway: Gateway, world: World, list: List, args: object): Promise<GraphQLAnswer> {
  const parent = list.owner === 'Query' ? undefined : idOfType(world.ids, list.owner);
  return gateway.graphql(world.owner, list.document, { parent, ...args });
}

/** Reads one page; fails the test on errors. */
export async function readPage(gateway: Gateway, world: World, list: List, args: object): Promise<Page> {
  const { data, errors } = await askPage(gateway, world, list, args);
  expect(errors).toBeUndefined();
  return list.owner === 'Query' ? data.list : data.node.list;
}

/** The keys of a list's rows, as the database sorts them. */
export async function keysInOrder({ handle }: Gateway, { ids }: World, list: List, order?: Order): Promise<string[]> {
  const { table, key, owner } = list;
  const columns = await columnsOf(handle);
  const has = (name: string, column: string) => columns.has(`${name}.${column}`);
  const { field, direction } = order ?? defaultOrders[list.name] ?? defaultOrders[list.row.name] ?? newestFirst;
  const conditions = [`t."workspaceId" = $1`];
  if (has(table, 'removedAt')) conditions.push('t."removedAt" IS NULL');
  const column = parentColumns[list.name] ?? `${owner[0]?.toLowerCase()}${owner.slice(1)}Id`;
  const isRoot = owner === 'Query' || owner === 'Workspace';
  if (!isRoot && has(table, column)) conditions.push(`t."${column}" = $2`);
  else if (!isRoot) {
    // The join tables of agents with bases, and with plugins.
    const joining = table === 'Agent' ? `Agent${owner}` : `Agent${table}`;
    conditions.push(`t.id IN (SELECT "${table.toLowerCase()}Id" FROM "${joining}" WHERE "${column}" = $2)`);
  }
  const { rows } = await handle.pool.query<{ key: string }>(
    `SELECT t."${key}" AS key FROM "${table}" t WHERE ${conditions.join(' AND ')}
     ORDER BY t."${derived[`${table}.${field}`] ?? field}" ${direction} NULLS LAST, t."${key}" ${direction}`,
    isRoot ? [ids.workspaceId] : [ids.workspaceId, idOfType(ids, owner)],
  );
  return rows.map((row) => row.key);
}
const knownColumns = new WeakMap<Gateway['handle']['pool'], Promise<Set<string>>>();

/** `Table.column` of every column. */
function columnsOf({ pool }: Gateway['handle']): Promise<Set<string>> {
  const read = async () => {
    const found = "SELECT table_name || '.' || column_name AS name FROM information_schema.columns";
    const { rows } = await pool.query<{ name: string }>(`${found} WHERE table_schema = current_schema()`);
    return new Set(rows.map(({ name }) => name));
  };
  const columns = knownColumns.get(pool) ?? read();
  knownColumns.set(pool, columns);
  return columns;
}

const newestFirst: Order = { field: 'createdAt', direction: 'desc' };
/** The default orders of lists that do not begin with the newest row, by list or row type. */
const defaultOrders: Record<string, Order> = {
  'Query.messages': { field: 'createdAt', direction: 'asc' },
  Message: { field: 'position', direction: 'asc' },
  Passage: { field: 'position', direction: 'asc' },
  EvaluationResult: { field: 'position', direction: 'asc' },
  SourcePage: { field: 'createdAt', direction: 'asc' },
  Gap: { field: 'lastAskedAt', direction: 'desc' },
  GapQuestion: { field: 'askedAt', direction: 'desc' },
  ReachedStage: { field: 'reachedAt', direction: 'asc' },
};
/** Parent columns that are not named after the parent's type. */
const parentColumns: Record<string, string> = {
  'EvaluationRun.results': 'runId',
  'Source.evaluationCases': 'expectedSourceId',
};
/** Orders whose column has another name. */
const derived: Record<string, string> = { 'Gap.count': 'rank' };

/** Reads a whole list page by page in one of the three ways; returns its keys in list order. */
export async function walk(
  read: (args: object) => Promise<Page>,
  way: Way,
  { size, args, key, between }: { size: number; args: object; key: string; between?: (page: Page) => Promise<void> },
): Promise<string[]> {
  const keys: string[] = [];
  let place: object = {};
  for (let pages = 0; pages < 200; pages++) {
    const page = await read({ ...args, [way === 'backward' ? 'last' : 'first']: size, ...place });
    const { edges, pageInfo } = page;
    const found = edges.map(({ node }) => node[key] as string);
    expect(found.length).toBeLessThanOrEqual(size);
    expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([
      edges[0]?.cursor ?? null,
      edges.at(-1)?.cursor ?? null,
    ]);
    if (way === 'backward') keys.unshift(...found);
    else keys.push(...found);
    const more = way === 'backward' ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
    // Every page except the first has rows behind it.
    expect(way === 'backward' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage).toBe(pages > 0);
    if (!more) return keys;
    await between?.(page);
    if (way === 'forward') place = { after: pageInfo.endCursor };
    if (way === 'backward') place = { before: pageInfo.startCursor };
    if (way === 'offset') place = { offset: keys.length };
  }
  throw new Error('This list never ends.');
}
export type Way = 'forward' | 'backward' | 'offset';
