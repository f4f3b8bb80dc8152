import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { telemetry } from '../../../src/core/telemetry.ts';
import { type DatabaseHandle, openDatabase, transact } from '../../../src/database/client.ts';
import { allowStale, inBackground, withDeadline } from '../../../src/database/deadline.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { createLog } from '../../../src/http/log/request-log.ts';
import { catchUp, noStandby, openPair, type Pair } from '../../support/database/standby.ts';
import { openTcpLink, type TcpLink } from '../../support/database/tcp-link.ts';
import { type Gateway, openGateway } from '../../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../../support/gateway/factories.ts';

const names = 'query Names { fields(first: 100) { nodes { name } } }';

describe.skipIf(noStandby)('a standby for reads that may be stale', () => {
  let pair: Pair;
  let link: TcpLink;
  let handle: DatabaseHandle;
  let gateways: Gateway[];
  let home: TestWorkspace;
  let bearer: string;
  const problems: (string | null)[] = [];

  beforeAll(async () => {
    pair = await openPair();
    link = await openTcpLink(pair.standby.port);
    handle = await open(`postgres://postgres@127.0.0.1:${link.port}/parley`, (problem) => problems.push(problem));
    await migrate(handle);
    // Both ways of answering.
    gateways = [
      await openGateway({ COMPILED_QUERIES: 'on' }, {}, handle),
      await openGateway({ COMPILED_QUERIES: 'off' }, {}, handle),
    ];
    home = await makeWorkspace(gateways[0] as Gateway);
    bearer = await (gateways[0] as Gateway).bearer(home.owner);
    await caughtUp();
  });
  afterEach(async () => {
    if (!pair.standby.isRunning()) await pair.standby.start();
    link.silent = false;
    await pair.standby.query('SELECT pg_wal_replay_resume()');
    await caughtUp();
  });
  afterAll(async () => {
    for (const gateway of gateways ?? []) await gateway.services.queue.close();
    await handle?.close();
    await link?.close();
    await pair?.close();
  });

  const open = (url: string, onChange?: (problem: string | null) => void, intervalMs?: number) =>
    openDatabase({ databaseUrl: pair.primary.url('parley'), standby: { url, onChange, intervalMs }, dataDir: '' });
  const caughtUp = () => catchUp(pair, handle);
  const pause = () => pair.standby.query('SELECT pg_wal_replay_pause()');

  let count = 0;
  /** Creates a custom field, and returns its name. */
  async function addField(gateway: Gateway, headers = {}): Promise<{ name: string; age: string | null }> {
    const name = `Field ${++count}`;
    const answer = await gateway.rest(bearer, 'POST', '/rest/fields', { name, type: 'text' }, headers);
    expect(answer).toMatchObject({ status: 200 });
    return { name, age: answer.headers.get('age') };
  }

  /** What the list of fields shows by GraphQL and by REST, each with its Age. */
  async function fields(gateway: Gateway, maxStale: string | null) {
    const headers: Record<string, string> = maxStale === null ? {} : { 'cache-control': `max-stale=${maxStale}` };
    const query = await gateway.rest(bearer, 'POST', '/graphql', { query: names }, headers);
    const list = await gateway.rest(bearer, 'GET', '/rest/fields', undefined, headers);
    expect([query.status, list.status]).toEqual([200, 200]);
    return [
      { names: JSON.stringify(query.body), age: query.headers.get('age') },
      { names: JSON.stringify(list.body), age: list.headers.get('age') },
    ];
  }

  test('answers requests that accept its age, and says how old the response is', async () => {
    for (const gateway of gateways) {
      await pause();
      const { name } = await addField(gateway);
      for (const { names, age } of await fields(gateway, '60')) {
        expect(names).not.toContain(name);
        expect(Number(age)).toBeGreaterThan(0);
        expect(Number(age)).toBeLessThanOrEqual(60);
      }
      await pair.standby.query('SELECT pg_wal_replay_resume()');
      await caughtUp();
    }
  });

  test('leaves requests without max-stale to the primary, so that they see their own writes', async () => {
    await pause();
    for (const gateway of gateways) {
      const { name } = await addField(gateway);
      for (const { names, age } of await fields(gateway, null)) {
        expect(names).toContain(name);
        expect(age).toBe(null);
      }
    }
  });

  test('leaves requests to the primary while it is further behind than they accept', async () => {
    await pause();
    for (const gateway of gateways) {
      const { name } = await addField(gateway);
      await expect.poll(() => handle.standby?.ageMs).toBeGreaterThan(2_000);
      for (const { names, age } of await fields(gateway, '2')) {
        expect(names).toContain(name);
        expect(age).toBe(null);
      }
    }
  });

  test('serves no write, nor what a write returns', async () => {
    await pause();
    for (const gateway of gateways) {
      const headers = { 'cache-control': 'max-stale=60' };
      expect((await addField(gateway, headers)).age).toBe(null);
      const name = `Own ${++count}`;
      const query = `mutation { createField(input: {name: "${name}", type: text}) { field { name } } }`;
      const { body, headers: returned } = await gateway.rest(bearer, 'POST', '/graphql', { query }, headers);
      expect(JSON.stringify(body)).toContain(name);
      expect(returned.get('age')).toBe(null);
    }
  });

  test('is counted in the metrics, and named in the log with the age of its data', async () => {
    const outcomes: string[] = [];
    const end = telemetry.staleRead.subscribe(({ outcome }) => outcomes.push(outcome));
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const gateway = await openGateway({}, { log }, handle);
    await fields(gateway, '60');
    await fields(gateway, '0');
    await fields(gateway, null);
    end();
    const ages = lines.map((line) => JSON.parse(line).standbyAgeMs);
    expect(ages).toEqual([expect.any(Number), expect.any(Number), ...Array(4).fill(undefined)]);
    expect(new Set(outcomes)).toEqual(new Set(['standby', 'behind']));
    await gateway.services.queue.close();
  });

  test("does not find another workspace's rows", async () => {
    const gateway = gateways[0] as Gateway;
    const other = await makeWorkspace(gateway);
    const { data } = await gateway.graphql(other.owner, 'mutation { createLead(input: {name: "X"}) { lead { id } } }');
    const query = `{ lead(id: "${data.createLead.lead.id}") { name } }`;
    await caughtUp();
    for (const { app } of gateways) {
      const ask = async ({ owner }: TestWorkspace) => {
        const headers = {
          authorization: `Bearer ${await gateway.bearer(owner)}`,
          'content-type': 'application/json',
          'cache-control': 'max-stale=60',
        };
        const response = await app.request('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
        return { body: await response.json(), isStale: response.headers.has('age') };
      };
      expect(await ask(other)).toEqual({ body: { data: { lead: { name: 'X' } } }, isStale: true });
      const { body, isStale } = await ask(home);
      expect(body.data).toEqual({ lead: null });
      expect(isStale).toBe(true);
    }
  });

  test('is not missed when it dies: each read is answered by the primary', async () => {
    const told: (string | null)[] = [];
    const { name } = await addField(gateways[0] as Gateway);
    await caughtUp();
    // Compares once, and so does not notice.
    const unaware = await open(pair.standby.url('parley'), (problem) => told.push(problem), 3_600_000);
    await expect.poll(() => told).toEqual([null]);
    const others = [
      await openGateway({ COMPILED_QUERIES: 'on' }, {}, unaware),
      await openGateway({ COMPILED_QUERIES: 'off' }, {}, unaware),
    ];
    const maxStale = '3600';
    for (const gateway of others) {
      for (const { age } of await fields(gateway, maxStale)) expect(age).not.toBe(null);
    }
    await pair.standby.stop('SIGQUIT');
    for (const gateway of others) {
      for (const { names, age } of await fields(gateway, maxStale)) {
        expect(names).toContain(name);
        expect(age).toBe(null);
      }
    }
    expect(told).toEqual([null]);
    for (const gateway of others) await gateway.services.queue.close();
    await unaware.close();
    await expect.poll(() => problems.at(-1)).toMatch(/ECONNREFUSED|terminat/);
    await pair.standby.start();
    await caughtUp();
    expect(problems.at(-1)).toBe(null);
    for (const { age } of await fields(gateways[0] as Gateway, '60')) expect(age).not.toBe(null);
  });

  test('is not missed when its connections are ended under load', async () => {
    let isOver = false;
    const end = async () => {
      while (!isOver) {
        await pair.standby.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parley'`,
        );
        await sleep(5);
      }
    };
    const load = async (gateway: Gateway) => {
      for (let index = 0; index < 40; index++) await fields(gateway, '60');
    };
    const ending = end();
    await Promise.all(gateways.flatMap((gateway) => [load(gateway), load(gateway)]));
    isOver = true;
    await ending;
  });

  test('is not missed when it goes silent, for longer than a moment', async () => {
    await fields(gateways[0] as Gateway, '60');
    link.silence();
    link.silent = true;
    const began = performance.now();
    for (const { age } of await fields(gateways[0] as Gateway, '60')) expect(age).toBe(null);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  describe('serves', () => {
    /** Runs a read in a request that accepts any age. */
    const stale = <T>(work: () => Promise<T>) => withDeadline(60_000, () => allowStale(work), Number.POSITIVE_INFINITY);
    const isStandby = 'SELECT pg_is_in_recovery() AS "isStandby"';
    const asked = async (database: Pick<typeof handle.client, '$queryRawUnsafe'>) =>
      (await database.$queryRawUnsafe<{ isStandby: boolean }[]>(isStandby))[0]?.isStandby;

    test('statements of Prisma and of the pool', async () => {
      expect(await stale(() => asked(handle.client))).toBe(true);
      expect(await stale(async () => (await handle.pool.query(isStandby)).rows[0]?.isStandby)).toBe(true);
    });

    test('transactions that only read, and no others', async () => {
      expect(await stale(() => transact(handle.client, asked, { readOnly: true }))).toBe(true);
      expect(await stale(() => transact(handle.client, asked))).toBe(false);
    });

    test('no read that replay cancels: the primary serves it', async () => {
      await pair.standby.stop();
      await pair.standby.start({ max_standby_streaming_delay: 0 });
      await pair.primary.query('CREATE TABLE note AS SELECT 1 AS n', [], 'parley');
      await caughtUp();
      const read = stale(async () => {
        const text = `SELECT pg_is_in_recovery() AS "isStandby", count(*)::int AS notes
          FROM note, pg_sleep(CASE WHEN pg_is_in_recovery() THEN 30 ELSE 0 END)`;
        return (await handle.pool.query(text)).rows;
      });
      const running = `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%FROM note, pg_sleep%' AND pid <> pg_backend_pid()`;
      await expect.poll(() => pair.standby.query(running), { interval: 20 }).toHaveLength(1);
      await pair.primary.query('DELETE FROM note', [], 'parley');
      await pair.primary.query('VACUUM note', [], 'parley');
      expect(await read).toEqual([{ isStandby: false, notes: 0 }]);
    });

    test('nothing after a read that the primary had to serve, so that a request never goes back in time', async () => {
      const lockRow = 'SELECT 1 FROM "Workspace" LIMIT 1 FOR UPDATE';
      const after = await stale(async () => {
        const before = await asked(handle.client);
        await handle.pool.query(lockRow);
        return [before, await asked(handle.client)];
      });
      expect(after).toEqual([true, false]);
    });

    test('nothing that other requests wait for too, or that is read outside of a query', async () => {
      expect(await stale(() => inBackground(() => asked(handle.client)))).toBe(false);
      expect(await withDeadline(5_000, () => asked(handle.client), 60_000)).toBe(false);
    });

    test('nothing within a transaction that goes around it', async () => {
      const around = () => transact(handle.client, () => asked(handle.client));
      await expect(stale(around)).rejects.toThrow('outer database client');
    });
  });

  test.each([
    ['the primary itself', () => pair.primary.url('parley'), 'it is not a standby'],
    ['a server that is not there', () => 'postgres://postgres:hidden@127.0.0.1:1/parley', 'DATABASE_READ_URL'],
  ])('is not used if DATABASE_READ_URL names %s', async (_, url, problem) => {
    const told: (string | null)[] = [];
    const other = await open(url(), (problem) => told.push(problem));
    await expect.poll(() => told).toEqual([expect.stringContaining(problem)]);
    expect(told.join()).not.toContain('hidden');
    expect(other.standby?.ageMs).toBe(null);
    await other.close();
  });
});
