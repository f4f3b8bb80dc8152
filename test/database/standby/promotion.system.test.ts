import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPrimary } from '../../../src/database/servers.ts';
import { noStandby, openPair, type Pair } from '../../support/database/standby.ts';
import { type GatewayProcess, ownerToken, startGateway } from '../../support/gateway/gateway-process.ts';

type Refusal = { status: number; code: string; retryAfter: string | null };

describe.skipIf(noStandby)('two gateways on a primary with a synchronous standby, under load', () => {
  let pair: Pair;
  let gateways: GatewayProcess[] = [];
  let headers: Record<string, string>;
  let databaseUrl: string;
  const dataDir = mkdtempSync(path.join(tmpdir(), 'promotion-'));
  const acknowledged: string[] = [];
  const refusals: Refusal[] = [];

  beforeAll(async () => {
    pair = await openPair({ synchronous: true });
    const { primary, standby } = pair;
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
    databaseUrl = `postgres://postgres@${hosts}/parley?target_session_attrs=read-write`;
    const secrets = {
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      DATABASE_URL: databaseUrl,
      DATABASE_READ_URL: standby.url('parley'),
    };
    const env = { ...process.env, ...secrets, PORT: '0', DATA_DIR: dataDir, DEMO: 'true', LOG_LEVEL: 'silent' };
    gateways = [await startGateway(env), await startGateway(env)];
    headers = { authorization: `Bearer ${await ownerToken(env)}`, 'content-type': 'application/json' };
  }, 300_000);
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    await pair?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function ask({ url }: GatewayProcess, query: string, variables = {}) {
    const body = JSON.stringify({ query, variables });
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    return { response, answer: (await response.json()) as { data?: any; errors?: { extensions: { code: string } }[] } };
  }

  const create = 'mutation ($name: String!) { createLead(input: {name: $name}) { lead { id } } }';
  let count = 0;
  /**
   * Writes one lead after another until `stop`; each is recorded as acknowledged, or with the reason why it was
   * refused.
   */
  async function write(gateway: GatewayProcess, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const name = `load ${++count}`;
      const { response, answer } = await ask(gateway, create, { name });
      if (response.ok && answer.data?.createLead?.lead) {
        acknowledged.push(name);
        continue;
      }
      const { code = '' } = answer.errors?.[0]?.extensions ?? {};
      refusals.push({ status: response.status, code, retryAfter: response.headers.get('retry-after') });
      await sleep(50);
    }
  }

  /** The Age of a query that accepts what is a minute old; null if the primary answered. */
  async function ageOf({ url }: GatewayProcess): Promise<string | null> {
    const body = JSON.stringify({ query: '{ leads(first: 1) { nodes { id } } }' });
    const stale = { ...headers, 'cache-control': 'max-stale=60' };
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers: stale, body });
    expect(await response.json()).toMatchObject({ data: {} });
    return response.headers.get('age');
  }

  async function names(gateway: GatewayProcess): Promise<string[]> {
    const found: string[] = [];
    for (let after: string | null = null; ; ) {
      const query = `query ($after: String) { leads(first: 100, after: $after) {
        nodes { name } pageInfo { hasNextPage endCursor } } }`;
      const { answer } = await ask(gateway, query, { after });
      const { nodes, pageInfo } = answer.data.leads;
      found.push(...nodes.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('load ')));
      if (!pageInfo.hasNextPage) return found;
      after = pageInfo.endCursor;
    }
  }

  test('lose no acknowledged write when it is promoted, and refuse writes only while there is no primary', async () => {
    const stop = new AbortController();
    const writers = gateways.flatMap((gateway) => Array.from({ length: 4 }, () => write(gateway, stop.signal)));
    await expect.poll(() => acknowledged.length, { interval: 50 }).toBeGreaterThan(200);
    for (const gateway of gateways) await expect.poll(() => ageOf(gateway)).not.toBe(null);
    await pair.primary.stop('SIGKILL');
    await sleep(500);
    await pair.standby.query('SELECT pg_promote()');
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length, { interval: 50 }).toBeGreaterThan(before + 200);
    for (const { url } of gateways) {
      const isReady = async () => (await fetch(`${url}/ready`)).status;
      await expect.poll(isReady).toBe(200);
    }
    // What was the standby is no copy any more.
    for (const gateway of gateways) await expect.poll(() => ageOf(gateway)).toBe(null);
    stop.abort();
    await Promise.all(writers);

    expect(refusals.length).toBeGreaterThan(0);
    const told = { status: 503, code: 'unavailable', retryAfter: '1' };
    expect(refusals.filter((refusal) => JSON.stringify(refusal) !== JSON.stringify(told))).toEqual([]);
    for (const gateway of gateways) {
      const found = await names(gateway);
      expect(new Set(found).size).toBe(found.length);
      expect(acknowledged.filter((name) => !found.includes(name))).toEqual([]);
    }
  });

  test('finish an erasure on the promoted server', async () => {
    const gateway = gateways[0] as GatewayProcess;
    const email = 'gone@example.com';
    await ask(gateway, 'mutation ($email: String!) { createLead(input: {email: $email}) { lead { id } } }', { email });
    const erase = 'mutation ($email: String!) { erasePerson(input: {email: $email}) { receipt { id } } }';
    const { id } = (await ask(gateway, erase, { email })).answer.data.erasePerson.receipt;
    const read = '{ erasureReceipt(id: "ID") { status } }'.replace('ID', id);
    const status = async () => (await ask(gateway, read)).answer.data.erasureReceipt.status;
    await expect.poll(status).toBe('completed');
  });

  test('stay with the promoted server when the old primary is started again', async () => {
    await pair.primary.start();
    expect(await findPrimary(databaseUrl)).toBe(pair.standby.url('parley'));
    await sleep(2_500);
    const { answer } = await ask(gateways[0] as GatewayProcess, create, { name: 'after' });
    const id = answer.data.createLead.lead.id;
    const countOn = (server: Pair['primary']) => server.query('SELECT 1 FROM "Lead" WHERE id = $1', [id], 'parley');
    expect(await countOn(pair.standby)).toHaveLength(1);
    expect(await countOn(pair.primary)).toHaveLength(0);
  });
});
