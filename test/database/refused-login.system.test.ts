import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/database/client.ts';
import { migrate } from '../../src/database/migrate.ts';
import { type Cluster, initCluster, removeCluster } from '../support/database/postgres-cluster.ts';
import { noStandby } from '../support/database/standby.ts';

const opening = `
  import { openPostgres } from './src/database/postgres.ts';
  await openPostgres(process.env.DATABASE_URL).catch(({ message }) => console.log(message));
`;

const missing = 'the server asks for a password, and the URL has none';

describe.skipIf(noStandby)('a login that PostgreSQL refuses ends the process, with the reason', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-login-'));
  let cluster: Cluster;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    cluster = await initCluster(path.join(folder, 'primary'));
    const rules = path.join(cluster.folder, 'pg_hba.conf');
    writeFileSync(
      rules,
      `host all scram all scram-sha-256\nhost all plain all password\n${readFileSync(rules, 'utf8')}`,
    );
    await cluster.start();
    for (const role of ['scram', 'plain']) await cluster.query(`CREATE ROLE ${role} LOGIN PASSWORD 'right'`);
  });
  afterAll(async () => {
    await removeCluster(cluster);
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ['scram', missing],
    ['scram:wrong', 'password authentication failed for user "scram"'],
    ['plain', missing],
    ['plain:wrong', 'password authentication failed for user "plain"'],
    ['nobody', 'role "nobody" does not exist'],
  ])('%s', async (login, reason) => {
    const env = { ...process.env, DATABASE_URL: cluster.url().replace('postgres@', `${login}@`) };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', opening], { env });
    expect(stdout).toContain(`cannot be used: ${reason}`);
  });

  test('a role that does not own its database is told so', async () => {
    const owner = await openDatabase({ databaseUrl: cluster.url(), dataDir: '' });
    await owner.pool.query(
      'CREATE TABLE _prisma_migrations (migration_name text, checksum text, finished_at date, rolled_back_at date)',
    );
    await owner.close();
    const other = await openDatabase({ databaseUrl: cluster.url().replace('postgres@', 'scram:right@'), dataDir: '' });
    await expect(migrate(other)).rejects.toThrow(
      'permission denied for table _prisma_migrations. The role must own its database.',
    );
    await other.close();
  });
});
