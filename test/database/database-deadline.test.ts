import { Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createApp } from '../../src/app.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import { transact } from '../../src/database/client.ts';
import { DatabaseTimeoutError, withDeadline } from '../../src/database/deadline.ts';
import { endPool } from '../../src/database/pool.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { databaseUnready } from '../../src/database/readiness.ts';
import { holdLead, lockedStatements, waitFor } from '../support/database/held-database.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const limitMs = 25_000;
const gateway = useGateway();
let home: TestWorkspace;
let other: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  other = await makeWorkspace(gateway);
});
afterEach(() => void vi.useRealTimers());

const isPostgres = Boolean(process.env.TEST_DATABASE_URL);

type Failure = { code: string; message: string };
type Answered = { status: number; retryAfter: string | null; code: string; message: string };

/** The gateway with and without compiled queries, over GraphQL and REST, with a cached bearer. */
function askers(viewer: Viewer): { graphql: Ask; rest: Ask }[] {
  return [true, false].map((compiled) => {
    const { services } = gateway;
    const tokens = { ...services.tokens, verify: async () => viewer };
    const config = { ...services.config, compiledQueries: compiled };
    const app = createApp({ ...services, tokens, config }, () => databaseUnready(gateway.handle));
    const headers = { authorization: 'Bearer known', 'content-type': 'application/json' };
    const send = async (path: string, init: RequestInit) => {
      const response = await app.request(path, { headers, ...init });
      const body = (await response.json()) as Failure & { errors?: { message: string; extensions: Failure }[] };
      const [error] = body.errors ?? [];
      const { message, code } = error ? { ...error, ...error.extensions } : body;
      return { status: response.status, retryAfter: response.headers.get('retry-after'), code, message };
    };
    return {
      graphql: (query) => send('/graphql', { method: 'POST', body: JSON.stringify({ query }) }),
      rest: (request) => {
        const [method, path = ''] = request.split(' ');
        return send(path, { method });
      },
    };
  });
}
type Ask = (asked: string) => Promise<Answered>;

const reads = (viewer: Viewer) =>
  askers(viewer).flatMap(({ graphql, rest }) => [
    () => graphql('{ agents { totalCount } }'),
    () => rest('GET /rest/agents'),
  ]);
const writes = (viewer: Viewer, lead: string) =>
  askers(viewer).flatMap(({ graphql, rest }) => [
    () => graphql(`mutation { deleteLead(input: { id: "${lead}" }) { clientMutationId } }`),
    () => rest(`DELETE /rest/leads/${lead}`),
  ]);

async function makeLead({ owner }: TestWorkspace): Promise<string> {
  const document = 'mutation { createLead(input: { name: "Ana" }) { lead { id } } }';
  return (await gateway.data(owner, document)).createLead.lead.id;
}

const unavailable = { status: 503, retryAfter: expect.stringMatching(/^\d+$/), code: 'unavailable' };

describe('a GraphQL operation while the database does not answer', () => {
  /** Served by the resolvers, which send several statements. */
  async function ask(query: string) {
    const { services } = gateway;
    const config = { ...services.config, compiledQueries: false };
    const app = createApp({ ...services, config }, async () => null);
    const headers = { authorization: `Bearer ${await gateway.bearer(home.owner)}`, 'content-type': 'application/json' };
    const response = await app.request('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    const body = (await response.json()) as { data?: Record<string, unknown>; errors?: object[] };
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
  }
  const query = '{ __typename agents { totalCount } apps { totalCount } }';
  const fail = () => vi.spyOn(gateway.handle.pool, 'take');
  const late = new DatabaseTimeoutError(limitMs);
  afterEach(() => void vi.restoreAllMocks());

  test('is 503 without data where nothing of it came', async () => {
    await gateway.services.tokens.verify(await gateway.bearer(home.owner));
    fail().mockRejectedValue(late);
    const error = { message: expect.any(String), extensions: { code: 'unavailable' } };
    expect(await ask(query)).toEqual({ status: 503, retryAfter: '1', body: { errors: [error] } });
    expect(await ask('{ __typename }')).toMatchObject({ status: 200, body: { data: { __typename: 'Query' } } });
  });

  test('is 200 where a field of it came, and the others are whole', async () => {
    await ask(query);
    fail().mockRejectedValueOnce(late);
    const { status, retryAfter, body } = await ask(query);
    expect({ status, retryAfter }).toEqual({ status: 200, retryAfter: null });
    const { __typename, ...data } = body.data ?? {};
    const [failed] = Object.keys(data).filter((key) => data[key] === null);
    expect(body.errors).toMatchObject([{ path: [failed, 'totalCount'], extensions: { code: 'unavailable' } }]);
    expect(Object.values(data)).toContainEqual({ totalCount: expect.any(Number) });
  });
});

describe('a connection', () => {
  test('that is released inside a transaction is given to nobody else', async () => {
    const { pool } = gateway.handle;
    const client = await pool.take(true);
    await client.query('BEGIN');
    await client.query(`UPDATE "Workspace" SET "name" = 'Lost' WHERE "id" = $1`, [home.id]);
    client.release();
    await gateway.data(other.owner, 'mutation { createLead(input: { name: "Cy" }) { lead { id } } }');
    expect(await gateway.database.workspace.count({ where: { name: 'Lost' } })).toBe(0);
  });

  test.runIf(isPostgres)('is left for transactions that read while those who write have taken theirs', async () => {
    const { pool } = gateway.handle;
    const writers = Array.from({ length: 16 }, () => pool.take(true));
    await expect.poll(() => pool.waiting).toBeGreaterThan(0);
    const count = (readOnly: boolean) =>
      transact(gateway.database, (tx) => tx.agent.count(), { readOnly }).catch((error: Error) => error);
    expect(await count(true)).toBe(0);
    const writing = count(false);
    await expect.poll(() => pool.waiting).toBeGreaterThan(1);
    for (const writer of writers) (await writer).release();
    expect(await writing).toBe(0);
  });

  test.runIf(isPostgres)('whose statement is given up is given to nobody else', async () => {
    const { pool } = gateway.handle;
    const client = await pool.take(true);
    const never = withDeadline(100, () => client.query('SELECT pg_sleep(60)'));
    await expect(never).rejects.toThrow('The database did not answer within 100 ms.');
    client.release();
    const again = await pool.take(true);
    expect(again).not.toBe(client);
    expect((await again.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    again.release();
  });

  test.runIf(isPostgres)('is asked every ten seconds whether the other end is still there', async () => {
    const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const { connectionString = '' } = gateway.handle.pool.options;
    const postgres = await openPostgres(connectionString);
    await postgres.probe.query('SELECT 1');
    (await postgres.pool.lease('shared read')).release();
    await expect.poll(() => keepAlive.mock.calls.length).toBeGreaterThanOrEqual(3);
    for (const call of keepAlive.mock.calls) expect(call).toEqual([true, 10_000]);
    postgres.watch.end();
    await Promise.all([endPool(postgres.pool), endPool(postgres.probe)]);
  });
});

describe('while a row is locked', () => {
  test('who writes to it is told after 25 seconds, and nothing of it is done afterwards', async () => {
    const lead = await makeLead(home);
    const held = await holdLead(gateway, lead);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const told: Answered[] = [];
    const asked = writes(home.owner, lead).map((ask) => ask().then((answer) => told.push(answer)));
    const sent = await waitFor(gateway, 4);
    // The real time that has passed so far counts too.
    vi.advanceTimersByTime(limitMs / 2);
    await waitFor(gateway, 4);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(limitMs / 2);
    await Promise.all(asked);
    vi.useRealTimers();
    expect(told).toMatchObject([unavailable, unavailable, unavailable, unavailable]);
    const inDoubt = told.filter(({ message }) => message.includes('may or may not have been stored'));
    // A single statement may have been executed; a transaction without its COMMIT was not.
    if (isPostgres) expect(inDoubt.length).toBeGreaterThan(0);
    expect(inDoubt.length).toBeLessThanOrEqual(Math.min(sent, 2));
    // The server must also cancel the statement and free its connection.
    await expect.poll(() => lockedStatements(gateway)).toBe(0);
    await held.release();
    await makeLead(home);
    expect(await gateway.database.lead.count({ where: { id: lead } })).toBe(1);
    expect(await writes(home.owner, lead)[0]?.()).toMatchObject({ status: 200 });
  });

  test.skipIf(isPostgres)('who reads is told too, where there is one session', async () => {
    for (const ask of reads(home.owner)) expect((await ask()).status).toBe(200);
    const held = await holdLead(gateway, await makeLead(home));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const asked = reads(home.owner).map((ask) => ask());
    await waitFor(gateway, 4);
    vi.advanceTimersByTime(limitMs);
    expect(await Promise.all(asked)).toMatchObject([unavailable, unavailable, unavailable, unavailable]);
    vi.useRealTimers();
    await held.release();
    for (const ask of reads(home.owner)) expect((await ask()).status).toBe(200);
  });

  test.runIf(isPostgres)('forty who write to it stop no other workspace, no reader and no probe', async () => {
    const lead = await makeLead(home);
    const spare = await makeLead(home);
    const held = await holdLead(gateway, lead);
    const writers = Array.from({ length: 10 }, () => writes(home.owner, lead).map((ask) => ask())).flat();
    await waitFor(gateway, 40);
    for (const ask of [...reads(home.owner), ...reads(other.owner)]) expect((await ask()).status).toBe(200);
    for (const { owner } of [other, await makeWorkspace(gateway)]) {
      for (const { graphql } of askers(owner)) {
        const made = await graphql('mutation { createLead(input: { name: "Bo" }) { lead { id } } }');
        expect(made.status).toBe(200);
      }
    }
    expect(await databaseUnready(gateway.handle)).toBeNull();
    // Check that every connection is taken: another write of the same workspace has to wait.
    const late = askers(home.owner)[0]?.rest(`DELETE /rest/leads/${spare}`);
    await waitFor(gateway, 41);
    await held.release();
    expect((await late)?.status).toBe(200);
    const statuses = (await Promise.all(writers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(statuses).not.toContain(503);
  });
});
