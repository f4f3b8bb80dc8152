import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { createQueue, type Queue } from '../../src/queue/queue.ts';
import { onServer, withDatabase } from '../support/database/database.ts';
import { collectLog } from '../support/telemetry/log-lines.ts';

const server = process.env.TEST_DATABASE_URL;
const name = `parley_rights_${randomBytes(4).toString('hex')}`;

describe.runIf(server)('a role that may not create schemas', () => {
  const asOwner = (text: string) => onServer(withDatabase(server ?? '', name), (client) => client.query(text));
  let handle: DatabaseHandle;
  const queues: Queue[] = [];
  const queueIn = (schema?: string) => {
    const queue = createQueue({ handle, schema, log: collectLog().log });
    queues.push(queue);
    return queue;
  };

  beforeAll(async () => {
    await onServer(server ?? '', (client) => client.query(`CREATE ROLE ${name} LOGIN`));
    await onServer(server ?? '', (client) => client.query(`CREATE DATABASE ${name}`));
    const url = new URL(withDatabase(server ?? '', name));
    url.username = name;
    handle = await openDatabase({ databaseUrl: url.href, dataDir: '' });
  });
  afterAll(async () => {
    for (const queue of queues) await queue.close();
    await handle.close();
    await onServer(server ?? '', (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    await onServer(server ?? '', (client) => client.query(`DROP ROLE ${name}`));
  });

  /** The caller is told less than the log. */
  async function refused(queue: Queue, why: string): Promise<void> {
    const error = await queue.open().catch((given: unknown) => given);
    expect(error).toMatchObject({ code: 'unavailable', message: queue.problem });
    expect(error).toMatchObject({ originalError: { message: expect.stringContaining(why) } });
  }

  test('has no jobs: the log says what to grant', async () => {
    const queue = queueIn();
    expect(queue.problem).toBeNull();
    await refused(
      queue,
      `run GRANT CREATE ON DATABASE ${name} TO ${name}, or CREATE SCHEMA pgboss AUTHORIZATION ${name}; or name another schema in QUEUE_SCHEMA`,
    );
    await asOwner(`CREATE SCHEMA pgboss AUTHORIZATION ${name}`);
    await queue.open();
    expect(queue.problem).toBeNull();
  });

  test('has none in a schema of somebody else, and its own in the one that QUEUE_SCHEMA names', async () => {
    await asOwner(`CREATE SCHEMA theirs; CREATE SCHEMA ours AUTHORIZATION ${name}`);
    const queue = queueIn('theirs');
    await refused(queue, `ALTER SCHEMA theirs OWNER TO ${name}`);
    const own = queueIn('ours');
    await own.open();
    expect((await own.depths()).length).toBeGreaterThan(5);
    expect(own.problem).toBeNull();
  });

  test.each([
    [
      'of an older pg-boss',
      'CREATE TABLE old.version (version int); INSERT INTO old.version VALUES (20)',
      'from version 20',
    ],
    ['with the tables of something else', 'CREATE TABLE old.job (id int)', 'old.create_queue'],
    [
      'with the queues of another application',
      "CREATE TABLE old.queue (name text); INSERT INTO old.queue VALUES ('emails'); CREATE TABLE old.version (version int); INSERT INTO old.version VALUES (43)",
      'it has the queues of another application, such as "emails"',
    ],
    [
      'with a queue of another application that has the name of one of ours',
      "CREATE TABLE old.queue (name text, policy text); INSERT INTO old.queue VALUES ('crawl', 'exclusive'), ('index', 'standard'); CREATE TABLE old.version (version int); INSERT INTO old.version VALUES (43)",
      'it has the queues of another application, such as "index"',
    ],
  ])('has none in a schema %s, which stays as it is', async (_, tables, why) => {
    await asOwner(
      `DROP SCHEMA IF EXISTS old CASCADE; CREATE SCHEMA old AUTHORIZATION ${name}; SET ROLE ${name}; ${tables}`,
    );
    const columns =
      "SELECT table_name || '.' || column_name AS at FROM information_schema.columns WHERE table_schema = 'old'";
    const before = (await handle.pool.query(columns)).rows;
    const queue = queueIn('old');
    await refused(queue, why);
    await refused(queue, 'name one for the gateway in QUEUE_SCHEMA');
    expect((await handle.pool.query(columns)).rows).toEqual(before);
  });
});
