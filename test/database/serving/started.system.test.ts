import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, initCluster, removeCluster } from '../../support/database/postgres-cluster.ts';
import { noStandby } from '../../support/database/standby.ts';
import { type GatewayProcess, startGateway } from '../../support/gateway/gateway-process.ts';

const run = promisify(execFile);

// Each starts three processes.
describe.skipIf(noStandby)('a started gateway', { timeout: 600_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-started-'));
  let cluster: Cluster;
  let gateway: GatewayProcess | null = null;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    cluster = await initCluster(path.join(folder, 'primary'));
    await cluster.start();
  });
  afterAll(async () => {
    await gateway?.kill();
    await removeCluster(cluster);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts it on a database, and returns how it is asked as the owner of a workspace. */
  async function started(name: string, role: string, more: Record<string, string> = {}) {
    const env = {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: path.join(folder, name),
      DATABASE_URL: `postgresql://${role}@127.0.0.1:${cluster.port}/${name}`,
      LOG_LEVEL: 'info',
      ...more,
    };
    gateway = await startGateway(env);
    const { url } = gateway;
    const command = async (file: string, ...args: string[]) =>
      (await run(process.execPath, [`src/cli/${file}.ts`, ...args], { env })).stdout.trim();
    const owner = ['--owner-name', 'Ana', '--owner-email', 'ana@acme.example'];
    const workspace = await command('workspace', '--name', 'Acme', ...owner);
    const authorization = `Bearer ${await command('token', '--workspace', workspace)}`;
    return {
      ready: () => fetch(`${url}/ready`),
      async ask(query: string) {
        const headers = { authorization, 'content-type': 'application/json' };
        return (await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).json();
      },
    };
  }

  test('is not ready while it cannot have a job queue, and is once it may', async () => {
    await cluster.query('CREATE ROLE limited LOGIN');
    await cluster.query('CREATE DATABASE limited');
    for (const name of ['pg_trgm', 'unaccent']) await cluster.query(`CREATE EXTENSION ${name}`, [], 'limited');
    await cluster.query('GRANT CREATE ON SCHEMA public TO limited', [], 'limited');
    const { ready, ask } = await started('limited', 'limited');
    const sources = '[{ type: faq, file: { data: { question: "When?", answer: "Now." } } }]';
    const createBase = `mutation { createBase(input: { description: "Hours", sources: ${sources} }) { base { id } } }`;
    await expect.poll(async () => (await ready()).status, { timeout: 30_000 }).toBe(503);
    expect(await (await ready()).json()).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/Background jobs cannot run: the log says why/),
    });
    expect(await ask(createBase)).toMatchObject({ errors: [{ extensions: { code: 'unavailable' } }] });
    await cluster.query('GRANT CREATE ON DATABASE limited TO limited');
    await expect.poll(async () => (await ready()).status, { timeout: 60_000 }).toBe(200);
    expect(await ask(createBase)).toMatchObject({ data: { createBase: { base: { id: expect.any(String) } } } });
    await gateway?.kill('SIGTERM');
  });

  test('reads and writes as ever, whatever the database has set', async () => {
    await cluster.query('CREATE DATABASE strange');
    for (const setting of [
      "DateStyle = 'SQL, DMY'",
      "IntervalStyle = 'sql_standard'",
      'standard_conforming_strings = off',
      "TimeZone = 'Asia/Tokyo'",
      "default_transaction_isolation = 'serializable'",
      "client_encoding = 'LATIN1'",
      "bytea_output = 'escape'",
      'extra_float_digits = 0',
      "lc_messages = 'C'",
    ])
      await cluster.query(`ALTER DATABASE strange SET ${setting}`);
    const { ready, ask } = await started('strange', 'postgres');
    await expect.poll(async () => (await ready()).status, { timeout: 30_000 }).toBe(200);
    const name = 'Żółć \\\\ n';
    const before = Date.now();
    const leads = await Promise.all(
      Array.from({ length: 20 }, () =>
        ask(`mutation { createLead(input: { name: "${name}" }) { lead { name createdAt } } }`),
      ),
    );
    for (const { data } of leads) {
      expect(data.createLead.lead.name).toBe('Żółć \\ n');
      expect(Math.abs(Date.parse(data.createLead.lead.createdAt) - before)).toBeLessThan(600_000);
    }
    const { data } = await ask('{ leads(filter: { createdAt: { last: "1h" } }) { totalCount nodes { createdAt } } }');
    expect([data.leads.totalCount, data.leads.nodes[0].createdAt]).toEqual([20, expect.stringMatching(/^20.*Z$/)]);
    await gateway?.kill('SIGTERM');
  });
});
