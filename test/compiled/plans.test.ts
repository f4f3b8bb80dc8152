import { getNullableType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FilterColumn, ListRule } from '../../src/lists/list.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { statementsOf } from '../support/database/database.ts';
import { scansOf } from '../support/database/plans.ts';
import { useGateway } from '../support/gateway/app.ts';
import { type List, lists } from '../support/graphql/lists.ts';
import { idOfType } from '../support/world/inputs.ts';
import { makeLarge } from '../support/world/large.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const page = 3;
/**
 * A page may read its rows, one more, and the 32 rows that an incremental sort takes at once where positions
 * are unique and the id never decides. A parent has 65 rows, its workspace 1,050.
 */
const maxRows = 45;

const gateway = useGateway();
let world: World;
let bothWays: BothWays;
const large = [...new Set([...lists.map(({ table }) => table), 'AgentBase', 'AgentPlugin'])];
beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
  await makeLarge(gateway, world, large);
});

/** The pages to read: in every order, from both ends and the middle, and by every id filter. */
function pagesOf(list: List, rule: ListRule, cursors: Record<string, { endCursor: string }>): string[] {
  const orders = ordersOf(rule).flatMap((orderBy, index) => {
    const cursor = cursors[`order${index}`]?.endCursor;
    return [
      `first: ${page}, orderBy: ${orderBy}`,
      `last: ${page}, orderBy: ${orderBy}`,
      ...(cursor
        ? [
            `first: ${page}, orderBy: ${orderBy}, after: "${cursor}"`,
            `last: ${page}, orderBy: ${orderBy}, before: "${cursor}"`,
          ]
        : []),
    ];
  });
  return [...orders, ...filtersOf(list, rule).map((filter) => `first: ${page}, filter: ${filter}`)];
}

const ordersOf = ({ orders }: ListRule) =>
  Object.keys(orders)
    // An order by a key reads all rows of the list, which is limited.
    .filter((field) => orders[field]?.type !== 'key')
    .flatMap((field) => ['asc', 'desc'].map((direction) => `{ field: ${field}, direction: ${direction} }`));

/** The selective filters of a list. */
function filtersOf({ field, owner }: List, rule: ListRule): string[] {
  const argument = field.args.find(({ name }) => name === 'filter');
  if (!argument || owner !== 'Query') return [];
  const isText = ([name, { kind }]: [string, FilterColumn]) =>
    kind === 'equals' && /^(ID|String)$/.test(String(getNullableType(inputType(argument, name))));
  return Object.entries(rule.filters)
    .filter(isText)
    .map(([name]) => `{ ${name}: ${JSON.stringify(valueOf(name))} }`);
}

const inputType = (argument: { type: unknown }, name: string) =>
  (argument.type as { getFields(): Record<string, { type: never }> }).getFields()[name]?.type as never;

const valueOf = (name: string): string =>
  (({ promptId: 'prompt-1', platformUserIdentifier: '' }) as Record<string, string>)[name] ??
  (world.ids as Record<string, string>)[name] ??
  `no ${name}`;

/** One operation with many pages of one list. */
function documentOf({ field, owner }: List, pages: string[], name: string, selection: string): string {
  const parts = pages.map((args, index) => `${name}${index}: ${field.name}(${args}) { ${selection} }`).join(' ');
  if (owner === 'Query') return `{ ${parts} }`;
  return `{ node(id: "${idOfType(world.ids, owner)}") { ... on ${owner} { ${parts} } } }`;
}

/** Query has the lists of a workspace, except for those that only `Workspace` has. */
const roots = new Set(lists.filter(({ owner }) => owner === 'Query').map(({ row }) => row));
const every = lists.filter(({ owner, row }) => owner !== 'Workspace' || !roots.has(row));

describe('a page of a large list is read by an index, wherever it lies:', () => {
  test.each(every.map((list) => [list.name, list] as const))('%s', async (_, list) => {
    const { parleyList: rule } = list.field.extensions as { parleyList: ListRule };
    const middle = ordersOf(rule).map((orderBy) => `first: 1, offset: 30, orderBy: ${orderBy}`);
    const found = await gateway.data(world.owner, documentOf(list, middle, 'order', 'pageInfo { endCursor }'));
    const cursors = Object.entries(list.owner === 'Query' ? found : found.node) as [string, never][];
    const ends = Object.fromEntries(cursors.map(([key, { pageInfo }]) => [key, pageInfo]));

    const selection = `nodes { ${list.key} } pageInfo { hasNextPage endCursor }`;
    const query = documentOf(list, pagesOf(list, rule, ends), 'page', selection);
    const { result, recorded } = await statementsOf(() => bothWays.ask(world.owner, { query }));
    expect(JSON.parse(result.resolvers.body).errors).toBeUndefined();
    expect([result.compiled.served, result.compiled.body]).toEqual([true, result.resolvers.body]);
    // The compiled query's own statement is among them.
    expect(recorded.some(({ text }) => text.includes('AS "response"'))).toBe(true);
    for (const statement of recorded) {
      if (!/^SELECT\b/.test(statement.text)) continue;
      const scans = (await scansOf(gateway.handle, statement)).filter(({ table }) => large.includes(table));
      const slow = scans.filter(({ how, rows }) => how.startsWith('Seq Scan') || rows > maxRows);
      expect(slow, `${statement.text}\n${JSON.stringify(statement.values)}`).toEqual([]);
    }
  });
});
