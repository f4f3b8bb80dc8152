import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { makeKey } from '../support/auth/keys.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let server: Listening;
let home: TestWorkspace;
let bearer: string;
beforeAll(async () => {
  server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  home = await makeWorkspace(gateway);
  bearer = await gateway.bearer(home.viewer);
  const document = 'query ($first: Int = 10) { agents(first: $first) { nodes { id } totalCount } }';
  await gateway.data(
    home.owner,
    'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }',
    { input: { name: 'agents', document } },
  );
});
afterAll(() => server.close(0));

const open = (by = bearer, headers: Record<string, string> = {}, path = '/run/agents') =>
  fetch(server.url + path, { headers: { authorization: `Bearer ${by}`, accept: 'text/event-stream', ...headers } });
const countIn = (event: { data: { data: { agents: { totalCount: number } } } } | undefined) =>
  event?.data.data.agents.totalCount;

describe('the stream of a saved query', () => {
  test('has its result, and again what became of it when rows were written', async () => {
    await makeAgent(gateway, home.editor);
    const response = await open();
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = readEvents(response);
    const first = await events.next();
    const plain = await fetch(`${server.url}/run/agents`, { headers: { authorization: `Bearer ${bearer}` } });
    expect(first?.data).toEqual(await plain.json());
    await makeAgent(gateway, home.editor);
    const second = await events.next();
    expect(countIn(second)).toBe((countIn(first) ?? 0) + 1);
    expect(second?.id).not.toBe(first?.id);
    await events.leave();
  });

  test.each(['/run/turning', '/run/boards/turning'])(
    'at %s runs no mutation that is saved in its place',
    async (path) => {
      const save = (name: string, input: object) =>
        gateway.data(
          home.owner,
          `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { clientMutationId } }`,
          { input },
        );
      const { savedOperation, dashboard, agent } = gateway.database;
      const query = '{ agents { totalCount } }';
      await save('createOperation', { name: 'turning', document: query });
      await save('createDashboard', { name: 'turning', title: 'Turning', tiles: [{ operation: 'turning' }] });
      const events = readEvents(await open(await gateway.bearer(home.owner), {}, path));
      expect((await events.next())?.data).toMatchObject({ data: { agents: {} } });
      const { id } = await savedOperation.findFirstOrThrow({ where: { name: 'turning' } });
      const document = 'mutation { createAgent(input: { name: "By a stream" }) { agent { id } } }';
      await save('updateOperation', { id, document });
      await makeAgent(gateway, home.editor);
      // The tile says why; the stream of the operation alone ends.
      const next = await events.next().catch(() => undefined);
      if (path.includes('boards')) expect(JSON.stringify(next)).toContain('turning writes');
      expect(await agent.count({ where: { name: 'By a stream' } })).toBe(0);
      await events.leave();
      await savedOperation.deleteMany({ where: { name: 'turning' } });
      await dashboard.deleteMany({ where: { name: 'turning' } });
    },
  );

  test('goes on after an event that the caller has, and says nothing while nothing has changed', async () => {
    const before = readEvents(await open());
    const { id } = (await before.next()) ?? {};
    await before.leave();
    const resumed = readEvents(await open(bearer, { 'last-event-id': id ?? '' }));
    const next = resumed.next();
    const { id: made } = await makeAgent(gateway, home.editor);
    expect(JSON.stringify((await next)?.data)).toContain(made);
    await resumed.leave();
    const missed = readEvents(await open(bearer, { 'last-event-id': id ?? '' }));
    expect(JSON.stringify((await missed.next())?.data)).toContain(made);
    await missed.leave();
  });

  test('ends when its key is revoked', async () => {
    const key = await makeKey(gateway, home.editor, { scopes: ['agents.read'], operations: ['agents'] });
    const events = readEvents(await open(key));
    expect(await events.next()).toBeDefined();
    await gateway.database.key.deleteMany({ where: { workspaceId: home.id } });
    expect(await events.rest()).toEqual([]);
    expect((await open(key)).status).toBe(401);
  });

  test('that is refused has an ordinary answer with its status', async () => {
    expect((await open(bearer, {}, '/run/nothing')).status).toBe(404);
    expect((await open(bearer, {}, '/run/agents?first=x')).status).toBe(400);
    const key = await makeKey(gateway, home.editor, { scopes: ['leads.read'], operations: ['agents'] });
    const refused = await open(key);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([403, 'application/json; charset=utf-8']);
  });
});
