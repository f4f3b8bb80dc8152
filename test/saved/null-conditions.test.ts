import { beforeAll, describe, expect, test } from 'vitest';
import { BothWays } from '../support/compiled/both-ways.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { useGateway } from '../support/gateway/app.ts';
import { type List, lists } from '../support/graphql/lists.ts';
import { filterOf, nullsIn } from '../support/graphql/nulls.ts';
import { oneOfEach, someOf } from '../support/random/cases.ts';
import { idOfType } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;

const save = (input: object) =>
  gateway.data(
    world.owner,
    'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }',
    { input },
  );
/** The name of the saved operation that asks for a list. */
const nameOf = ({ name }: List) => `of-${name.replace('.', '-').toLowerCase()}`;

const filtered = lists.flatMap((list) => {
  const type = filterOf(list);
  return type ? [{ list, type }] : [];
});
/** The list with its filter as a variable; the other lists of the graph are those of an owner. */
function documentOf({ owner, field }: List, type: string): string {
  const asked = `list: ${field.name}(filter: $filter) { totalCount }`;
  if (owner === 'Query') return `query ($filter: ${type}) { ${asked} }`;
  return `query ($parent: ID!, $filter: ${type}) { node(id: $parent) { ... on ${owner} { ${asked} } } }`;
}

type Request = [path: string, init: RequestInit];
const post = (body: object, accept = 'application/json'): Request => [
  '/graphql',
  { method: 'POST', headers: { 'content-type': 'application/json', accept }, body: JSON.stringify(body) },
];
const address = (variables: object) =>
  new URLSearchParams(
    Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
const tool = (name: string, args: object): Request => [
  '/mcp',
  {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  },
];
/** The ways to run a saved operation. */
const faces: ((name: string, variables: object) => Request)[] = [
  (name, variables) => [`/run/${name}?${address(variables)}`, {}],
  (name, variables) => [`/run/${name}.csv?${address(variables)}`, {}],
  (name, variables) => [`/run/${name}.ndjson?${address(variables)}`, {}],
  (name, variables) => [`/run/${name}.svg?${address(variables)}`, {}],
  (name, variables) => [`/run/${name}?${address(variables)}`, { headers: { accept: 'text/event-stream' } }],
  (documentId, variables) => post({ documentId, variables }),
  (documentId, variables) => post({ documentId, variables }, 'text/csv'),
  (documentId, variables) => [
    `/graphql?${new URLSearchParams({ documentId, variables: JSON.stringify(variables) })}`,
    {},
  ],
  tool,
];
const ways = ['compiled', 'resolvers'] as const;

/** The message of a refusal; at /graphql, its status depends on the format. */
async function refusal(by: (typeof ways)[number], [path, init]: Request): Promise<string> {
  const { status, body } = await bothWays.send(by, world.owner, path, init);
  expect(path.startsWith('/run/') ? [400] : [200, 400]).toContain(status);
  if (path !== '/mcp') return JSON.parse(body).errors?.[0]?.message;
  const { result } = JSON.parse(body.slice(body.indexOf('{')));
  expect(result.isError).toBe(true);
  return JSON.parse(result.content[0].text).errors?.[0]?.message;
}

beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
  for (const { list, type } of filtered) await save({ name: nameOf(list), document: documentOf(list, type.name) });
});

const cases = someOf(
  oneOfEach(
    filtered.flatMap(({ list, type }) =>
      nullsIn(type).map((one) => ({ ...one, list, label: `${list.name} ${one.path}` })),
    ),
    ({ place }) => place,
  ),
  90,
).map((one, at) => ({ ...one, face: faces[at % faces.length] as (typeof faces)[number] }));

describe('a saved operation refuses null as a condition, wherever it is run:', () => {
  test.each(cases)('$label', async ({ list, path, filter, face }) => {
    const parent = list.owner === 'Query' ? {} : { parent: idOfType(world.ids, list.owner) };
    for (const by of ways) {
      const message = await refusal(by, face(nameOf(list), { ...parent, filter }));
      expect(message).toContain(`filter.${path}: null is not a condition.`);
    }
  });
});

const byAgent = `query ($agentId: ID, $created: DateTimeRange) {
  conversations(first: 0, filter: { agentId: $agentId, createdAt: $created }) { totalCount } }`;

test('of variables that reach conditions, those without a value are none, and those that are null are refused', async () => {
  await save({ name: 'by-agent', document: byAgent });
  const { conversations } = await gateway.data(world.owner, '{ conversations { totalCount } }');
  for (const face of faces) {
    for (const by of ways) {
      const [path, init] = face('by-agent', {});
      if (!String(new Headers(init.headers).get('accept')).includes('event-stream')) {
        const { status, body } = await bothWays.send(by, world.owner, path, init);
        expect([path, status, body]).toEqual([path, 200, expect.stringContaining(String(conversations.totalCount))]);
      }
      const message = await refusal(by, face('by-agent', { created: null }));
      expect(message).toBe('filter.createdAt: null is not a condition. Leave it out.');
    }
  }
});

test('a null that was saved for a condition is refused until a caller gives a value', async () => {
  await save({ name: 'saved-null', document: byAgent, variables: { agentId: null } });
  for (const face of faces) {
    for (const by of ways) {
      const message = await refusal(by, face('saved-null', {}));
      expect(message).toBe('filter.agentId: null is not a condition. Leave it out.');
    }
  }
  const given = faces[0]?.('saved-null', { agentId: world.ids.agentId }) as Request;
  for (const by of ways) expect((await bothWays.send(by, world.owner, ...given)).status).toBe(200);
});

test('a tile whose value of a condition is null says so', async () => {
  await save({ name: 'of-tile', document: byAgent });
  const tiles = [{ operation: 'of-tile', variables: { agentId: null } }];
  const create = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';
  await gateway.data(world.owner, create, { input: { name: 'wall', title: 'Wall', tiles } });
  const authorization = `Bearer ${await gateway.bearer(world.owner)}`;
  const events = readEvents(await gateway.app.request('/run/boards/wall', { headers: { authorization } }));
  const shown = (await events.next())?.data as { errors: { message: string }[] };
  await events.leave();
  expect(shown.errors[0]?.message).toBe('filter.agentId: null is not a condition. Leave it out.');
});
