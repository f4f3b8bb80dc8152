import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { databaseUnready } from '../../src/database/readiness.ts';
import { unreadyReasons } from '../../src/database/serving/reasons.ts';
import { Watch } from '../../src/database/watch.ts';
import { testDatabase } from '../support/database/database.ts';
import { holdLead, waitFor } from '../support/database/held-database.ts';
import { openTcpLink, type TcpLink } from '../support/database/tcp-link.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const url = process.env.TEST_DATABASE_URL;
const limitMs = 25_000;

describe.runIf(url)('a connection on which nothing comes any more, and which nobody closes (PostgreSQL only)', () => {
  let behind: DatabaseHandle;
  let link: TcpLink;
  let gateway: Gateway;
  let home: TestWorkspace;
  let address: string;

  beforeAll(async () => {
    behind = await testDatabase();
    const server = new URL(behind.pool.options.connectionString ?? '');
    link = await openTcpLink(Number(server.port || 5432));
    server.host = `127.0.0.1:${link.port}`;
    address = server.href;
    gateway = await openGateway({}, {}, await open());
    home = await makeWorkspace(gateway);
  });
  afterEach(() => {
    vi.useRealTimers();
    link.silent = false;
  });
  afterAll(async () => {
    await gateway.close();
    await link.close();
    await behind.close();
  });

  const open = () => openDatabase({ databaseUrl: address, dataDir: '' });
  const reads = () => [
    gateway.graphql(home.owner, '{ agents { totalCount } }').then(({ errors }) => (errors ? 503 : 200)),
    gateway.rest(home.owner, 'GET', '/rest/agents').then(({ status }) => status),
  ];
  const write = async () => (await gateway.rest(home.owner, 'POST', '/rest/leads', { name: 'Ana' })).status;
  const ask = () => Promise.all([...reads(), ...reads(), write(), write()]);
  const allOf = (status: number) => Array.from({ length: 6 }, () => status);

  /** Stops deadlines from expiring, so that an error has another cause. */
  const stopDeadlines = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

  test('is let go of long before the deadline when the server can be reached by others', async () => {
    // On a machine so busy that this process is slow to pass bytes on, connections are let go of before.
    await expect.poll(ask).toEqual(allOf(200));
    const add = vi.spyOn(Watch.prototype, 'add').mockReturnValue();
    const unwatched = await open();
    add.mockRestore();
    // The server is asked over a new connection: on a silent one, the deadline of the asking itself would be stopped.
    await gateway.handle.probe.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
    link.silence();
    stopDeadlines();
    let end = '';
    const stuck = unwatched.pool.query('SELECT 1').catch((error: Error) => (end = error.message));
    // A request on such a connection may fail, but none hangs.
    for (const status of await ask()) expect([200, 503]).toContain(status);
    await expect.poll(ask).toEqual(allOf(200));
    // The network did not end them: without the check, the wait lasts until its own limit.
    expect(end).toBe('');
    vi.advanceTimersByTime(60_000);
    await stuck;
    expect(end).toMatch(/^The database did not answer within/);
    await unwatched.close();
  });

  test('ends what the server still held for it', async () => {
    const lead = (await gateway.data(home.owner, 'mutation { createLead(input: { name: "Bo" }) { lead { id } } }'))
      .createLead.lead.id;
    const client = await gateway.handle.pool.take(true);
    await client.query('BEGIN');
    await client.query('UPDATE "Lead" SET "name" = \'Lost\' WHERE "id" = $1', [lead]);
    link.silence();
    const lost = client.query('COMMIT').catch((error: Error) => error);
    const told = await lost;
    expect(told).toMatchObject({ message: expect.stringContaining('Connection terminated') });
    client.release();
    const rename = { where: { id: lead }, data: { name: 'Cy' } };
    await expect
      .poll(
        () =>
          gateway.database.lead.updateMany(rename).then(
            ({ count }) => count,
            () => null,
          ),
        { timeout: 60_000 },
      )
      .toBe(1);
  });

  test('has everybody told before twice the deadline while nothing passes, and works again when it does', async () => {
    await expect.poll(ask).toEqual(allOf(200));
    link.silence();
    link.silent = true;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let isTold = false;
    const told = ask().finally(() => (isTold = true));
    // Awaited below; a failure until then is not an unhandled one.
    told.catch(() => {});
    // In steps of half a second, since a retry waits too, but not longer in total. Steps before a request waits for the
    // database do not count, and a busy machine may take a few of them; a second wait would last as long as the first.
    for (let passed = 0; passed < 2 * limitMs - 1_000 && !isTold; passed += 500) {
      vi.advanceTimersByTime(500);
      await sleep(20);
    }
    expect(isTold).toBe(true);
    expect(await told).toEqual(allOf(503));
    vi.advanceTimersByTime(limitMs);
    vi.useRealTimers();
    expect(await databaseUnready(gateway.handle)).toBe(unreadyReasons.database);
    link.silent = false;
    await expect.poll(ask).toEqual(allOf(200));
    expect(await databaseUnready(gateway.handle)).toBeNull();
  });

  test('is not one whose statement the server works on, such as one that waits for a lock', async () => {
    const lead = (await gateway.data(home.owner, 'mutation { createLead(input: { name: "Bo" }) { lead { id } } }'))
      .createLead.lead.id;
    const held = await holdLead(gateway, lead);
    const looks = vi.spyOn(gateway.handle.probe, 'query');
    const deleted = gateway.rest(home.owner, 'DELETE', `/rest/leads/${lead}`);
    await waitFor(gateway, 1);
    const judged = () => looks.mock.calls.filter(([text]) => String(text).includes('backend_start')).length;
    await expect.poll(judged).toBeGreaterThan(3);
    await held.release();
    expect((await deleted).status).toBe(200);
  });
});
