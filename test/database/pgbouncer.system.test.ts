import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { migrate } from '../../src/database/migrate.ts';
import { migrationOf } from '../../src/database/migrations.ts';
import { purgeDeletedRows } from '../../src/database/upkeep/purge.ts';
import { finishErasure } from '../../src/domain/erasure/job.ts';
import { testDatabase } from '../support/database/database.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/database/pgbouncer.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const server = process.env.TEST_DATABASE_URL;
const why = hasPgBouncer
  ? server
    ? ''
    : ' (skipped: needs TEST_DATABASE_URL)'
  : ' (skipped: pgbouncer is not installed)';

describe.skipIf(why)(`behind PgBouncer in transaction mode${why}`, () => {
  let bouncer: PgBouncer;
  let gateway: Gateway;
  let workspace: TestWorkspace;
  const direct: DatabaseHandle[] = [];

  /** A new database in another time zone, and its name. */
  async function makeDatabase(): Promise<{ handle: DatabaseHandle; name: string }> {
    const handle = await testDatabase();
    direct.push(handle);
    const { rows } = await handle.pool.query<{ name: string }>('SELECT current_database() AS name');
    const name = rows[0]?.name ?? '';
    await handle.pool.query(`ALTER DATABASE ${name} SET timezone = 'Asia/Tokyo'`);
    return { handle, name };
  }
  const open = (name: string) => openDatabase({ databaseUrl: bouncer.to(name), dataDir: '' });

  beforeAll(async () => {
    bouncer = await startPgBouncer(server ?? '');
    const { name } = await makeDatabase();
    gateway = await openGateway({ COMPILED_QUERIES: 'on' }, {}, await open(name));
    workspace = await makeWorkspace(gateway);
  });
  afterAll(async () => {
    await gateway?.close();
    await bouncer?.close();
    for (const handle of direct) await handle.close();
  });

  test('replicas that start at once migrate once, and leave no lock behind', async () => {
    const { handle, name } = await makeDatabase();
    await handle.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const migrations = ['one', 'two'].map((table, i) =>
      migrationOf(`2026010${i}000000_${table}`, `CREATE TABLE ${table} ()`),
    );
    const replicas = await Promise.all([open(name), open(name), open(name)]);
    const applied = await Promise.all(replicas.map((replica) => migrate(replica, { migrations })));
    expect(applied.flat()).toEqual(migrations.map((migration) => migration.name));
    const locks = `SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database WHERE locktype = 'advisory' AND datname = $1`;
    await expect.poll(async () => (await handle.pool.query(locks, [name])).rows).toEqual([]);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  test('reads and writes at once are each answered with their own', async () => {
    const read = 'query ($id: ID!) { lead(id: $id) { id name createdAt } }';
    const list = '{ leads(first: 5) { nodes { id } } }';
    const write = 'mutation ($name: String!) { createLead(input: { name: $name }) { lead { id } } }';
    const begun = Date.now();
    const one = async (i: number) => {
      const name = `Lead ${i}`;
      const created = await gateway.data(workspace.editor, write, { name });
      for (let turn = 0; turn < 4; turn++) {
        const { lead } = await gateway.data(workspace.viewer, read, { id: created.createLead.lead.id });
        expect(lead).toMatchObject({ id: created.createLead.lead.id, name });
        expect(Math.abs(Date.parse(lead.createdAt) - begun)).toBeLessThan(3_600_000);
        expect((await gateway.data(workspace.viewer, list)).leads.nodes.length).toBeGreaterThan(0);
      }
    };
    await Promise.all(Array.from({ length: 24 }, (_, i) => one(i)));
    expect(await gateway.database.lead.count()).toBe(24);
  });

  test('a turn is had, once for its key', async () => {
    const { createAgent } = await gateway.data(
      workspace.editor,
      'mutation { createAgent(input: { name: "Ada", purpose: general, freedom: balanced }) { agent { id } } }',
    );
    const { id } = createAgent.agent;
    const say = () =>
      gateway.rest(
        workspace.app,
        'POST',
        `/api/${id}`,
        { message: { content: 'Hello' } },
        { 'idempotency-key': 'one' },
      );
    const first = await say();
    expect(first).toMatchObject({ status: 200, body: { messages: [{ role: 'assistant' }] } });
    expect((await say()).body).toEqual(first.body);
  });

  test('a statement that takes its time is answered: the server cannot be asked about connections to the pooler', async () => {
    // Several times the silence after which a direct connection is checked.
    const { rows } = await gateway.handle.pool.query('SELECT 1 AS one FROM pg_sleep(7)');
    expect(rows).toEqual([{ one: 1 }]);
  });

  test('a job is done', async () => {
    const done: string[] = [];
    const { queue } = gateway.services;
    const ingest = async ({ sourceId }: { sourceId: string }) => void done.push(sourceId);
    const nothing = async () => {};
    await queue.start({
      ingest,
      crawl: nothing,
      embed: nothing,
      compact: nothing,
      index: nothing,
      evaluate: async () => {},
      summarize: nothing,
      erase: nothing,
    });
    const data = { workspaceId: workspace.id, sourceId: 'src_1', revision: 0 };
    await queue.transact((_tx, enqueue) => enqueue([{ name: 'ingest', key: 'src_1', data }]));
    await expect.poll(() => done).toEqual(['src_1']);
  });

  test('a person is erased, and no connection of the pooler keeps the settings of that', async () => {
    const { handle, name } = await makeDatabase();
    await handle.pool.query(`ALTER DATABASE ${name} SET statement_timeout = '29s'`);
    const through = await openGateway({ COMPILED_QUERIES: 'on' }, {}, await open(name));
    const home = await makeWorkspace(through);
    const email = 'gone@example.com';
    const create = 'mutation ($email: String!) { createLead(input: { email: $email }) { lead { id } } }';
    await through.data(home.editor, create, { email });
    const erase = 'mutation ($email: String!) { erasePerson(input: { email: $email }) { receipt { id } } }';
    const { receipt } = (await through.data(home.owner, erase, { email })).erasePerson;
    const job = { workspaceId: home.id, receiptId: receipt.id };
    await finishErasure(through.services, job, new AbortController().signal);
    const read = 'query ($id: ID!) { erasureReceipt(id: $id) { status vacuumedAt } leads(first: 1) { totalCount } }';
    expect(await through.data(home.owner, read, { id: receipt.id })).toEqual({
      erasureReceipt: { status: 'completed', vacuumedAt: expect.any(String) },
      leads: { totalCount: 0 },
    });
    // At once, so that each has a connection of its own.
    const limits = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const client = new pg.Client(bouncer.to(name));
        await client.connect();
        const text = `SELECT current_setting('statement_timeout') AS "limit" FROM pg_sleep(0.5)`;
        const { rows } = await client.query<{ limit: string }>(text);
        await client.end();
        return rows[0]?.limit;
      }),
    );
    expect(limits).toEqual(Array(4).fill('29s'));
    await through.close();
  });

  test("a table whose VACUUM takes longer than the role's limit is named, and the others are vacuumed", async () => {
    const { handle, name } = await makeDatabase();
    await handle.pool.query(`ALTER DATABASE ${name} SET statement_timeout = '500ms'`);
    const through = await open(name);
    const holder = await handle.pool.connect();
    await holder.query('BEGIN; LOCK TABLE "Lead" IN SHARE UPDATE EXCLUSIVE MODE');
    const { vacuumed, remains } = await purgeDeletedRows(through.pool, ['Lead', 'Agent']);
    await holder.query('ROLLBACK');
    holder.release();
    expect(vacuumed).toBe(false);
    expect(remains.join()).toContain('statement_timeout has cancelled that of table "Lead". Autovacuum does it.');
    await through.close();
  });
});
