import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type DatabaseHandle, openDatabase, transact } from '../../src/database/client.ts';
import { testDatabase } from '../support/database/database.ts';
import { openTcpLink, type TcpLink } from '../support/database/tcp-link.ts';

const url = process.env.TEST_DATABASE_URL;
const fails = 'SELECT 1 / 0';

describe.runIf(url)('while the server has not ended a statement that failed (PostgreSQL only)', () => {
  let behind: DatabaseHandle;
  let link: TcpLink;
  let handle: DatabaseHandle;

  beforeAll(async () => {
    behind = await testDatabase();
    const server = new URL(behind.pool.options.connectionString ?? '');
    link = await openTcpLink(Number(server.port || 5432));
    server.host = `127.0.0.1:${link.port}`;
    handle = await openDatabase({ databaseUrl: server.href, dataDir: '' });
  });
  afterEach(() => {
    vi.useRealTimers();
    link.afterError = null;
  });
  afterAll(async () => {
    await handle.close();
    await link.close();
    await behind.close();
  });

  /** More statements than there are connections. */
  const others = () =>
    Promise.all(Array.from({ length: 2 * handle.pool.options.max }, () => handle.pool.query('SELECT 1 AS one')));

  /** Runs a statement, and releases the connection when it fails. */
  async function released(text: string, begins: boolean) {
    const client = await handle.pool.take(true);
    try {
      if (begins) await client.query('BEGIN');
      await client.query(text);
    } finally {
      client.release();
    }
  }
  const ways: [string, () => Promise<unknown>][] = [
    ['a statement', () => handle.pool.query(fails)],
    ['a text that begins a transaction', () => handle.pool.query(`BEGIN; ${fails}`)],
    ['a text that ends one and begins another', () => handle.pool.query(`BEGIN; SELECT 1; COMMIT; BEGIN; ${fails}`)],
    ['a checked out connection', () => released(fails, false)],
    ['a checked out connection, in one text', () => released(`BEGIN; ${fails}`, false)],
    ['a checked out connection within a transaction', () => released(fails, true)],
    ["Prisma's transaction", () => transact(handle.client, (tx) => tx.$queryRawUnsafe(fails))],
    ["Prisma's statement", () => handle.client.$queryRawUnsafe(fails)],
  ];

  test.each(ways)('nobody else gets its connection: %s', async (_, fail) => {
    await others();
    const pass = Promise.withResolvers<void>();
    link.afterError = pass.promise;
    const before = link.held;
    const failed = fail().catch((error: Error) => error);
    await expect.poll(() => link.held).toBe(before + 1);
    const answers = others();
    pass.resolve();
    expect(await failed).toMatchObject({ message: expect.stringContaining('division by zero') });
    for (const { rows } of await answers) expect(rows).toEqual([{ one: 1 }]);
    // None of the connections is missing afterwards.
    const max = handle.pool.options.max;
    const clients = await Promise.all(Array.from({ length: max }, () => handle.pool.take(false)));
    for (const client of clients) expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    for (const client of clients) client.release();
  });

  test('its connection is closed after five seconds', async () => {
    await others();
    const idle = handle.pool.totalCount;
    link.afterError = new Promise(() => {});
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    await expect(handle.pool.query(fails)).rejects.toThrow('division by zero');
    vi.advanceTimersByTime(4_900);
    expect(handle.pool.totalCount).toBe(idle);
    vi.advanceTimersByTime(200);
    vi.useRealTimers();
    await expect.poll(() => handle.pool.totalCount).toBe(idle - 1);
    link.afterError = null;
    for (const { rows } of await others()) expect(rows).toEqual([{ one: 1 }]);
  });
});
