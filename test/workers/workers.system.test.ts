import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestAddress } from '../../src/auth/admin/admin-client.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { makeKey } from '../support/auth/keys.ts';
import { testDatabase } from '../support/database/database.ts';
import type { Gateway } from '../support/gateway/app.ts';
import { ownerToken } from '../support/gateway/gateway-process.ts';
import { startWorkerProcesses, type WorkerProcesses } from '../support/gateway/worker-processes.ts';

const why = process.env.TEST_DATABASE_URL ? '' : ' (skipped: needs TEST_DATABASE_URL)';

describe.skipIf(why)(`with several workers${why}`, () => {
  let dataDir: string;
  let handle: DatabaseHandle;
  let env: NodeJS.ProcessEnv;
  let gateway: WorkerProcesses;
  let headers: Record<string, string>;

  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'parley-workers-'));
    handle = await testDatabase();
    const { connectionString = '' } = handle.pool.options;
    env = { DATABASE_URL: connectionString, DATA_DIR: dataDir, DEMO: 'true' };
    gateway = await startWorkerProcesses(env);
    const token = await ownerToken({ ...process.env, ...env });
    headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  }, 240_000);
  afterAll(async () => {
    await gateway?.stop();
    await handle?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** A request on a connection of its own, so that workers take turns. */
  async function send(target: string, body?: object, more: Record<string, string> = {}, agent?: Agent) {
    const payload = body && JSON.stringify(body);
    const sent = request(`${gateway.url}${target}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...(payload && { 'content-length': String(Buffer.byteLength(payload)) }), ...more },
      agent: agent ?? new Agent(),
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', reject).end(payload);
    });
    const received = await text(response);
    return { status: response.statusCode, headers: response.headers, text: received };
  }
  const ask = async (query: string, variables = {}, more = {}, agent?: Agent) => {
    const { text, ...rest } = await send('/graphql', { query, variables }, more, agent);
    return { ...rest, ...JSON.parse(text) };
  };
  const logged = () => gateway.lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const metric = async (pattern: RegExp) => {
    const scraped = await (await fetch(gateway.metricsUrl)).text();
    return Number(pattern.exec(scraped)?.[1] ?? Number.NaN);
  };
  const requests = /^parley_requests_total\{[^}]*operation="Counted"[^}]*\} (\d+)$/m;

  test('requests go to all of them, and one scrape counts them all', async () => {
    for (let count = 0; count < 6; count++) {
      expect((await ask('query Counted { agents(first: 1) { nodes { id } } }')).data.agents.nodes).toHaveLength(1);
    }
    expect(await metric(/^parley_workers (\d+)$/m)).toBe(2);
    expect(await metric(requests)).toBe(6);
    await expect
      .poll(() => new Set(logged().flatMap((line) => (line.operation === 'Counted' ? [line.worker] : []))))
      .toEqual(new Set([1, 2]));
    // Read from the database by each worker, and not added up.
    const running = await metric(/^parley_jobs_running\{name="ingest"\} (\d+)$/m);
    expect([0, 1, Number.NaN]).toContainEqual(running);
  });

  test('/health and /ready answer for the service, and the migrations ran once', async () => {
    for (const probe of ['/health', '/ready', '/health', '/ready']) expect((await send(probe)).status).toBe(200);
    const { rows } = await handle.pool.query(
      'SELECT count(*)::int AS runs FROM _prisma_migrations GROUP BY migration_name',
    );
    expect(new Set(rows.map(({ runs }) => runs))).toEqual(new Set([1]));
  });

  test('a key that one of them revokes is refused by all at once', async () => {
    const member = await handle.client.membership.findFirstOrThrow({ where: { role: 'owner' } });
    const maker = { workspaceId: member.workspaceId, membershipId: member.id } as Viewer;
    const read = 'query { agents(first: 1) { nodes { id } } }';
    for (let attempt = 0; attempt < 4; attempt++) {
      const secret = await makeKey({ database: handle.client } as Gateway, maker, { scopes: ['agents.read'] });
      const key = await handle.client.key.findFirstOrThrow({ where: { hint: secret.slice(-4) } });
      const asKey = { authorization: `Bearer ${secret}` };
      const uses = async () => [(await ask(read, {}, asKey)).status, (await ask(read, {}, asKey)).status];
      expect(await uses()).toEqual([200, 200]);
      const revoke = 'mutation ($input: RevokeKeyInput!) { revokeKey(input: $input) { key { id } } }';
      expect((await ask(revoke, { input: { id: key.id } })).errors).toBeUndefined();
      expect(await uses()).toEqual([401, 401]);
    }
  });

  test('the address of `npm run open` signs in whichever worker gets the requests', async () => {
    const key = new URL((await requestAddress(dataDir)) ?? '').hash.replace('#key=', '');
    const { host } = new URL(gateway.url);
    const asPage = { host, origin: `http://${host}`, authorization: '' };
    const session = await send('/demo/session', { key }, asPage);
    expect(session.status).toBe(200);
    const cookie = session.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const { csrfToken } = JSON.parse(session.text);
    for (let count = 0; count < 4; count++) {
      expect((await send('/demo/token', {}, { ...asPage, cookie, 'x-csrf-token': csrfToken })).status).toBe(200);
    }
    expect((await send('/demo/session', { key }, asPage)).status).toBe(403);
  });

  test('one that dies is started again, and what it had counted stays counted', async () => {
    const before = await metric(requests);
    const pid = gateway.pids().get(2) ?? 0;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => gateway.pids().get(2) ?? pid).not.toBe(pid);
    await expect.poll(() => metric(/^parley_workers (\d+)$/m)).toBe(2);
    expect(await metric(/^parley_worker_restarts_total (\d+)$/m)).toBe(1);
    expect(await metric(requests)).toBe(before);
    expect(logged()).toContainEqual(expect.objectContaining({ worker: 2, pid, signal: 'SIGKILL', level: 'error' }));
  });

  test('SIGUSR2 replaces them one after the other, and no request fails under load', async () => {
    const before = gateway.pids();
    const agents = [new Agent({ keepAlive: true, maxSockets: 4 }), new Agent()];
    const outcomes: (number | string | undefined)[] = [];
    let done = false;
    const client = async (index: number) => {
      while (!done) {
        const query = index % 3 === 0 ? turn : 'query Loaded { agents(first: 5) { nodes { id name } } }';
        await ask(query, index % 3 === 0 ? await turnOf() : {}, {}, agents[index % 2]).then(
          ({ status, errors }) => outcomes.push(errors ? JSON.stringify(errors) : status),
          (error: Error) => outcomes.push(error.message),
        );
        await sleep(20);
      }
    };
    const clients = [0, 1, 2, 3, 4, 5].map(client);
    gateway.primary.kill('SIGUSR2');
    await expect
      .poll(() => logged().some(({ msg }) => msg === 'all workers have been restarted'), { timeout: 150_000 })
      .toBe(true);
    done = true;
    await Promise.all(clients);
    for (const agent of agents) agent.destroy();
    expect(outcomes.length).toBeGreaterThan(20);
    expect(outcomes.filter((outcome) => outcome !== 200)).toEqual([]);
    const after = gateway.pids();
    expect([...after.keys()].sort()).toEqual([1, 2]);
    expect([...after.values()].filter((pid) => [...before.values()].includes(pid))).toEqual([]);
  }, 200_000);

  const turn = 'mutation Say($input: SendMessageInput!) { sendMessage(input: $input) { messages { id content } } }';
  const turnOf = async () => {
    const { data } = await ask('query { agents(first: 1) { nodes { id } } }');
    return { input: { agentId: data.agents.nodes[0].id, message: { content: 'What are your opening hours?' } } };
  };

  test('SIGTERM ends all of them in order, with every line of the log written', async () => {
    const pids = [...gateway.pids().values()];
    expect((await ask('query Last { agents(first: 1) { nodes { id } } }')).status).toBe(200);
    expect(await gateway.stop()).toBe(0);
    expect(logged().map(({ operation }) => operation)).toContain('Last');
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('a worker that cannot start ends the start with its reason', async () => {
    const failing = startWorkerProcesses({ ...env, ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64') });
    await expect(failing).rejects.toThrow(/key[\s\S]*Worker 1 ended while it started \(exit code 1\)/i);
  });
});

test('the embedded database is refused with more than one worker', async () => {
  const failing = startWorkerProcesses({ DATABASE_URL: '', DATA_DIR: '/nonexistent' });
  await expect(failing).rejects.toThrow('WORKERS: more than 1 needs a PostgreSQL server');
});
