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

  test('has no jobs: the error says what to grant, and the gateway is not ready', async () => {
    const queue = queueIn();
    expect(queue.problem).toBeNull();
    await expect(queue.open()).rejects.toThrow(
      `run GRANT CREATE ON DATABASE ${name} TO ${name}, or CREATE SCHEMA pgboss AUTHORIZATION ${name}; or name another schema in QUEUE_SCHEMA`,
    );
    expect(queue.problem).toMatch(/Background jobs cannot run/);
    await asOwner(`CREATE SCHEMA pgboss AUTHORIZATION ${name}`);
    await queue.open();
    expect(queue.problem).toBeNull();
  });

  test('has none in a schema of somebody else, and its own in the one that QUEUE_SCHEMA names', async () => {
    await asOwner(`CREATE SCHEMA theirs; CREATE SCHEMA ours AUTHORIZATION ${name}`);
    const queue = queueIn('theirs');
    await expect(queue.open()).rejects.toThrow(`ALTER SCHEMA theirs OWNER TO ${name}`);
    expect(queue.problem).not.toBeNull();
    const own = queueIn('ours');
    await own.open();
    expect((await own.depths()).length).toBeGreaterThan(5);
    expect(own.problem).toBeNull();
  });
});
