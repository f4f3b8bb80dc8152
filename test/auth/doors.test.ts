import { beforeAll, describe, expect, test } from 'vitest';
import { type ErrorCode, statusOf } from '../../src/core/errors.ts';
import { isPermission, may } from '../../src/core/permissions.ts';
import type { KeyOfViewer } from '../../src/core/viewer.ts';
import { routes as rest } from '../../src/rest/routes.ts';
import { type Bearer, makeBearers } from '../support/auth/bearers.ts';
import { type Door, doorsOf, type Named } from '../support/auth/doors.ts';
import { contentsOf } from '../support/database/rows-of.ts';
import { useGateway } from '../support/gateway/app.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway({ EXPLAIN_SQL: 'true', STREAM_PING_MS: '300' });
let world: World;
let bearers: Record<string, Bearer>;
let doors: Record<string, Door[]>;

beforeAll(async () => {
  world = await makeWorld(gateway);
  const elsewhere = await makeWorld(gateway);
  const { database } = gateway;
  const where = { workspaceId: world.id };
  for (const { id } of [world, elsewhere])
    await database.agent.updateMany({ where: { workspaceId: id }, data: { status: 'active' } });
  const { conversationId, messageId, dashboardId } = world.ids;
  await database.conversation.updateMany({
    where: { ...where, id: conversationId },
    data: { platformUserIdentifier: `vst_${conversationId}` },
  });
  const attachments = [{ type: 'file', name: 'a.txt', data: Buffer.from('some text').toString('base64') }];
  await database.message.updateMany({ where: { ...where, id: messageId }, data: { attachments } });
  const reading = 'query ($id: ID!) { node(id: $id) { ... on Message { attachments } } }';
  const message = (await gateway.data(world.owner, reading, { id: messageId })).node;
  const reply = await database.message.findFirstOrThrow({ where: { ...where, conversationId, role: 'assistant' } });
  const saving = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { name } } }';
  const operation = 'names-of-agents';
  await gateway.data(world.owner, saving, { input: { name: operation, document: '{ agents { nodes { name } } }' } });
  // Without the mark, which responses to others may not have.
  const board = 'wall';
  await database.dashboard.updateMany({ where: { ...where, id: dashboardId }, data: { name: board } });
  const { pathname, search } = new URL(message.attachments[0].url);
  const named: Named = { ...world.ids, replyId: reply.id, operation, board, link: pathname + search };
  bearers = await makeBearers(gateway, { world, elsewhere, operation });
  doors = doorsOf(named);
});

/** The code of a failure, or null, and what was sent back without what the request itself says. */
async function knock({ method, path, body, headers }: Door, token: string | null) {
  const response = await gateway.app.request(path, {
    method,
    headers: {
      ...headers,
      ...(typeof body === 'object' && { 'content-type': 'application/json' }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await textOf(response);
  return { status: response.status, code: response.status === 204 ? null : codeIn(text), text };
}

/** Of a stream, what comes before it rests. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  let text = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (/^:/m.test(text)) break;
  }
  return text;
}

/** Of OpenAI's codes and of the protocol of MCP, those of the gateway that they stand for. */
const synonyms: Record<string, string> = {
  invalid_api_key: 'unauthorized',
  model_not_found: 'not_found',
  '-32602': 'not_found',
};

function codeIn(text: string): string | null {
  const [, code = null] = /\\?"code\\?":(?:\\?"(\w+)|(-\d+))/.exec(text)?.filter((part) => part !== undefined) ?? [];
  return code === null ? null : (synonyms[code] ?? code);
}
/** Whether a bearer's role and scopes allow it, wherever the row is. */
function mayUse(by: Door['by'], { role, credential, scopes }: Bearer): boolean {
  if (by === 'anybody' || by === 'everyone') return true;
  if (by === 'owners themselves') return role === 'owner' && (credential === 'person' || credential === 'operator');
  if (!isPermission(by)) throw new Error(`No door is for ${by} yet: say here who they are.`);
  return may({ role, ...(scopes && { key: { scopes } as KeyOfViewer }) }, by);
}

/** The code that a bearer is told; null if it is let through. */
function expectedOf(door: Door, bearer: Bearer): string | null {
  const { by, names, opens, told = null } = door;
  const { refused, role, credential, foreign, limit } = bearer;
  if (by === 'anybody') return expect.unreachable();
  if (by === 'visitors') return role !== 'visitor' ? 'unauthorized' : foreign && names ? 'not_found' : told;
  // OpenAI has one code for both.
  if (refused) return door.path.startsWith('/v1/') ? 'unauthorized' : refused;
  if (role === 'visitor') return 'unauthorized';
  if (limit?.endsWith('board') && opens !== 'board') return 'forbidden';
  if (limit === 'operation' && opens !== 'operation') return 'forbidden';
  if (names === 'operation' && (foreign || role === 'invited')) return 'not_found';
  if (!mayUse(by, bearer)) return door.hidden ? 'not_found' : 'forbidden';
  if (door.notMinted && credential === 'minted') return 'forbidden';
  if (foreign && (names || door.foreign)) return door.foreign ?? 'not_found';
  if (limit === 'another board' || `${names}s` === limit) return 'not_found';
  if (door.shared && (limit === 'agents' || limit === 'bases')) return 'forbidden';
  return told;
}

const isOutside = ({ refused, foreign, role }: Bearer) => Boolean(refused || foreign) || role === 'invited';
/** Everything of the world but what says when a key was used. */
const contents = async () => ({ ...(await contentsOf(gateway, world.id)), Key: null });
/** What is told of a row that an earlier request has made or deleted. */
const ofRepeated = ['not_found', 'conflict', 'conversation_busy'];

/** `status`: what nobody's request has, where the bearer does not count. */
type Case = { who: string; bearer: Bearer; expected: string | null; status?: number | undefined };

/** Sends a request with a bearer, and expects what it is told, and that it sees nothing that it may not see. */
async function expectOutcome(
  door: Door,
  { who, bearer, expected, status: always }: Case,
  isRepeated: boolean,
): Promise<void> {
  const { status, code, text } = await knock(door, bearer.token);
  const mayDiffer = expected === null && isRepeated && door.method !== 'GET';
  expect({ who, code }).toEqual({ who, code: expect.toBeOneOf(mayDiffer ? [null, ...ofRepeated] : [expected]) });
  const statuses = code === null ? [200, 201, 204] : [statusOf[code as ErrorCode]];
  expect({ who, status }).toEqual({
    who,
    status: expect.toBeOneOf(always ? [always] : door.inBody ? [200, ...statuses] : statuses),
  });
  const hidden = isOutside(bearer)
    ? world.mark
    : { agents: world.ids.agentId, bases: world.ids.baseId }[bearer.limit as string];
  if (hidden && !JSON.stringify(door).includes(hidden))
    expect({ who, sees: text.includes(hidden) }).toEqual({ who, sees: false });
}

const names = Object.keys(doorsOf(new Proxy({} as Named, { get: (_, name) => String(name) })));

describe('who is let through and who is not, whatever the bearer, by', () => {
  // Routes of the REST layer are declared alike, but which row they find is said by each.
  const kindOf = (name: string) => (name.startsWith('REST ') ? `REST ${verbOf(name.slice(5))}` : name);
  const tried = new Set(oneOfEach(names, kindOf));
  const ownersElsewhere = () => Object.entries(bearers).filter(([, { foreign, role }]) => foreign && role === 'owner');
  test.each(names)('%s', async (name) => {
    for (const door of doors[name] ?? []) {
      const nobody = door.by === 'anybody' ? await knock(door, null) : null;
      const cases = (tried.has(name) ? Object.entries(bearers) : ownersElsewhere()).map(([who, bearer]): Case => {
        return { who, bearer, expected: nobody ? nobody.code : expectedOf(door, bearer), status: nobody?.status };
      });
      const isRefused = ({ bearer, expected }: Case) =>
        isOutside(bearer) || expected !== (nobody?.code ?? door.told ?? null);
      const before = await contents();
      for (const one of cases.filter(isRefused)) await expectOutcome(door, one, true);
      expect(await contents()).toEqual(before);
      const allowed = cases.filter((one) => !isRefused(one));
      for (const [index, one] of allowed.entries()) await expectOutcome(door, one, index > 0);
    }
  });
});

test('every route of the app is one of these', async () => {
  const { routes: all } = gateway.app;
  const declared = all.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
  expect(names.toSorted()).toEqual([...new Set([...declared, ...rest.map(({ id }) => `REST ${id}`)])].sort());
});

test('a route for all methods only refuses those that no other has', async () => {
  const { routes: all } = gateway.app;
  const paths = new Set(all.filter(({ method }) => method === 'ALL').map(({ path }) => path));
  // Middleware, before all routes of a path.
  const before = ['/*', '/graphql', '/api/*', '/v1/*', '/mcp', '/run/*'];
  expect([...paths].filter((path) => path.endsWith('*'))).toEqual(before.filter((path) => path.endsWith('*')));
  const token = bearers['an owner']?.token ?? null;
  for (const path of paths) {
    if (before.includes(path)) continue;
    const { code } = await knock({ method: 'PATCH', path: path.replaceAll(/:\w+/g, 'x'), by: 'everyone' }, token);
    expect({ path, code }).toEqual({ path, code: 'method_not_allowed' });
  }
});
