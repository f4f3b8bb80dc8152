import { Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { transact } from '../../src/database/client.ts';
import { Pipeline } from '../../src/database/pipeline.ts';
import { endPool, Pool } from '../../src/database/pool.ts';
import { connectionTo } from '../../src/database/postgres.ts';
import { type Statement, Statements } from '../../src/database/query/statements.ts';
import { Session } from '../../src/database/session.ts';
import { testDatabase } from '../support/database/database.ts';

const handle = await testDatabase();
afterAll(() => handle.close());

const url = (handle.pool.options as { connectionString?: string }).connectionString;
const named = (text: string): Statement => ({ text, name: `test_${text.replace(/\W+/g, '_').slice(0, 40)}` });

/** The names of the statements that `work` sends; null for unnamed ones. */
async function namesOf(work: () => Promise<unknown>): Promise<(string | null)[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await work();
  const sent = query.mock.calls.map(([first]) => first as unknown as { name?: string } | string);
  query.mockRestore();
  return sent.filter((first) => typeof first !== 'string').map(({ name }) => name ?? null);
}

/** The types of the messages of PostgreSQL's protocol. */
function messagesIn(bytes: Buffer): string {
  let types = '';
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1))
    types += bytes.toString('latin1', at, at + 1);
  return types;
}

/** A pool with a single connection. */
function poolOf(client: pg.PoolClient): Pick<Pool, 'lease' | 'read'> {
  const pool = { lease: async () => ({ client, release: () => 0 }) };
  return { ...pool, read: (work) => work(pool as never) };
}

let statements: Statements;
beforeEach(async () => {
  statements = new Statements(handle.pool);
  await handle.pool.query(
    'DROP TABLE IF EXISTS note; CREATE TABLE note (body varchar(9)); INSERT INTO note VALUES ($$a$$)',
  );
});

describe('a prepared statement that has become wrong', () => {
  const body = named('SELECT * FROM note');
  const discard = () => handle.pool.query('DISCARD ALL');

  test('is prepared anew when another replica has changed its table', async () => {
    expect(await statements.read(body, [])).toBe('a');
    expect(await statements.read(body, [])).toBe('a');
    await handle.pool.query('ALTER TABLE note ALTER COLUMN body TYPE text');
    await Promise.all(Array.from({ length: 20 }, async () => expect(await statements.read(body, [])).toBe('a')));
    const [name, ...more] = await namesOf(() => statements.read(body, []));
    expect(name).toMatch(/^test_SELECT_FROM_note_1$/);
    expect(more).toEqual([]);
  });

  test('is run once more without a name when the server has forgotten it, a write too', async () => {
    const write = named('INSERT INTO note VALUES ($1) RETURNING body');
    const all = Array.from({ length: 8 });
    await Promise.all(all.map(() => statements.write(write, ['b'])));
    await Promise.all(all.map(discard));
    await Promise.all(all.map(async () => expect(await statements.write(write, ['c'])).toBe('c')));
    const { rows } = await handle.pool.query(`SELECT body, count(*)::int AS n FROM note GROUP BY 1 ORDER BY 1`);
    expect(rows).toEqual([
      { body: 'a', n: 1 },
      { body: 'b', n: 8 },
      { body: 'c', n: 8 },
    ]);
  });

  test('is run once more without a name when the server knows the name already', async () => {
    const read = named('SELECT $1::text || 1');
    const client = await handle.pool.connect();
    const only = new Statements(poolOf(client));
    await client.query(`PREPARE "${read.name}" AS SELECT 2`);
    expect(await only.read(read, ['a'])).toBe('a1');
    await client.query('DISCARD ALL');
    client.release();
  });

  test('is no longer named where names keep being lost', async () => {
    const client = await handle.pool.connect();
    const only = new Statements(poolOf(client));
    for (let turn = 0; turn < 6; turn++) {
      expect(await only.read(body, [])).toBe('a');
      await client.query('DISCARD ALL');
    }
    expect(await namesOf(() => only.read(body, []))).toEqual([null]);
    client.release();
  });

  test('stays named when what fails is the statement itself', async () => {
    const broken = named('SELECT nothing FROM note');
    for (let turn = 0; turn < 4; turn++) {
      const results = await Promise.allSettled(Array.from({ length: 16 }, () => statements.read(broken, [])));
      for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { code: '42703' } });
    }
    const other = named('SELECT body FROM note');
    expect(await namesOf(() => statements.read(other, []))).toEqual([other.name]);
  });
});

test('a statement leaves in one write, which does not ask what its result is', async () => {
  const client = await handle.pool.connect();
  const only = new Statements(poolOf(client));
  const chosen = named("SELECT 'a' WHERE $1");
  await only.read(chosen, [true]);
  const write = vi.spyOn((client as unknown as pg.Client).connection.stream, 'write');
  expect(await only.read(chosen, [true])).toBe('a');
  expect(await only.read(chosen, [false])).toBeNull();
  // Bind, Execute and Sync.
  expect(write.mock.calls.map(([bytes]) => messagesIn(bytes as unknown as Buffer))).toEqual(['BES', 'BES']);
  write.mockRestore();
  client.release();
});

test('inside a transaction, a read past it is refused', async () => {
  const one = named("SELECT '1'");
  for (let turn = 0; turn < 3; turn++) await statements.read(one, []);
  await expect(transact(handle.client, () => statements.read(one, []))).rejects.toMatchObject({
    name: 'OutsideTransactionError',
  });
});

describe.skipIf(!url)('several statements under way on one connection (PostgreSQL only)', () => {
  const pid = named('SELECT pg_backend_pid()::text');
  const sleep = named('SELECT pg_sleep($1)::text');
  let pipeline: Pipeline;
  let pool: Pool;

  /** Opens two connections for statements, with this statement timeout. */
  async function open(statement_timeout: number): Promise<void> {
    const config = { ...connectionTo(url ?? ''), statement_timeout, statementLimitMs: 90_000, max: 2 };
    pipeline = new Pipeline({ create: () => new Session({ ...config, pipeline: true }), max: 2 });
    pool = new Pool({ config, pipeline });
    statements = new Statements(pool);
    await opened(2);
  }
  beforeEach(() => open(60_000));
  afterEach(() => (pool.ending ? undefined : endPool(pool)));

  /** Waits until this many connections carry statements. */
  const opened = (count: number) =>
    expect
      .poll(() => {
        const leases = Array.from({ length: 2 }, () => pipeline.lease());
        for (const lease of leases) lease?.release();
        return new Set(leases.flatMap((lease) => lease?.client ?? [])).size;
      })
      .toBe(count);
  const pids = async (count: number) =>
    new Set(await Promise.all(Array.from({ length: count }, () => statements.read(pid, []))));

  test('are answered each with its own answer', async () => {
    const echo = named('SELECT $1::text');
    const texts = Array.from({ length: 300 }, (_, i) => `${i}`.repeat(i));
    expect(await Promise.all(texts.map((text) => statements.read(echo, [text])))).toEqual(texts);
    expect((await pids(16)).size).toBe(2);
  });

  test('leave together, in one system call a connection, when they are asked for at once', async () => {
    const sent = vi.spyOn(Socket.prototype as unknown as { _writev: () => void }, '_writev');
    expect((await pids(16)).size).toBe(2);
    expect(sent).toHaveBeenCalledTimes(2);
    sent.mockRestore();
  });

  test('begin in UTC, with the limits of the pool', async () => {
    const zone = named("SELECT current_setting('TimeZone') || ' ' || current_setting('statement_timeout')");
    expect(await statements.read(zone, [])).toBe('UTC 1min');
  });

  test('fail alone', async () => {
    const divide = named('SELECT (6 / $1::int)::text');
    const given = Array.from({ length: 40 }, (_, i) => i % 3);
    const results = await Promise.allSettled(given.map((by) => statements.read(divide, [by])));
    const failure = { status: 'rejected', reason: { code: '22012' } };
    results.forEach((result, i) => {
      expect(result).toMatchObject(given[i] ? { status: 'fulfilled', value: `${6 / (given[i] ?? 0)}` } : failure);
    });
  });

  test('do not wait for one that was slow before, nor are sent after one that is slow now', async () => {
    const order: string[] = [];
    const waiting = named('SELECT pg_advisory_xact_lock(7)::text');
    const slow = () => statements.read(waiting, []).then(() => order.push('slow'));
    const quick = async (statement: Statement) => {
      await Promise.all(Array.from({ length: 12 }, () => statements.read(statement, [])));
      order.push('quick');
    };
    const holder = await handle.pool.connect();
    try {
      await holder.query('SELECT pg_advisory_lock(7)');
      const first = slow();
      // Longer than a statement that others queue behind.
      await new Promise((resolve) => setTimeout(resolve, 60));
      await quick(pid);
      await holder.query('SELECT pg_advisory_unlock(7)');
      await first;
      await holder.query('SELECT pg_advisory_lock(7)');
      const both = [slow(), slow()];
      await quick(named("SELECT 'new'"));
      await holder.query('SELECT pg_advisory_unlock(7)');
      await Promise.all(both);
    } finally {
      await holder.query('SELECT pg_advisory_unlock_all()');
      holder.release();
    }
    expect(order).toEqual(['quick', 'slow', 'quick', 'slow', 'slow']);
  });

  test('are ended by the server when they take too long, and the connection goes on', async () => {
    await endPool(pool);
    await open(5_000);
    await expect(statements.read(sleep, [60])).rejects.toMatchObject({ code: '57014' });
    expect((await pids(16)).size).toBe(2);
  });

  test('fail when their connection is lost, one of the pool too, and a new one takes its place', async () => {
    const before = await pids(16);
    const underWay = Promise.allSettled([statements.read(sleep, [60]), statements.write(sleep, [60])]);
    const busy = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(%' AND state = 'active'`;
    await expect.poll(async () => (await handle.pool.query(`SELECT 1 ${busy}`)).rows.length).toBe(2);
    await handle.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    for (const one of await underWay) expect(one).toMatchObject({ status: 'rejected', reason: { code: '57P01' } });
    await expect.poll(() => pids(1).catch(() => null)).toHaveProperty('size', 1);
    await opened(2);
    for (const pid of await pids(16)) expect(before).not.toContain(pid);
  });

  test('use the ordinary pool while no connection of their own can be had', async () => {
    await endPool(pool);
    const create = () => new Session({ ...connectionTo(url ?? ''), port: 1, host: '127.0.0.1', pipeline: true });
    pool = new Pool({ config: { ...connectionTo(url ?? ''), max: 2 }, pipeline: new Pipeline({ create, max: 2 }) });
    statements = new Statements(pool);
    for (let turn = 0; turn < 3; turn++) expect(await statements.read(pid, [])).toMatch(/^\d+$/);
  });

  test('are waited for when the pool ends, and none follows', async () => {
    const underWay = statements.read(sleep, [0.1]);
    await endPool(pool);
    expect(await underWay).toBe('');
    await expect(statements.read(pid, [])).rejects.toThrow('Cannot use a pool after calling end');
  });
});
