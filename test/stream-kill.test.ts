import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseHandle } from '../src/database/client.ts';
import { testDatabase } from './database.ts';
import { readEvents, type SseEvent, textOf } from './support/event-stream.ts';
import { isText, keyed, say, types } from './support/streaming.ts';
import { startStreamingModel } from './support/streaming-model.ts';

let model: Awaited<ReturnType<typeof startStreamingModel>>;
let handle: DatabaseHandle;
let env: NodeJS.ProcessEnv;
const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-kill-'));
const children: ChildProcess[] = [];

beforeAll(async () => {
  model = await startStreamingModel();
  handle = await testDatabase();
  const { connectionString } = handle.pool.options as { connectionString?: string };
  env = {
    ...process.env,
    ...model.env,
    ...(handle.kind === 'postgres' && { DATABASE_URL: connectionString ?? '' }),
    DATA_DIR: dataDir,
    DEMO: 'true',
    PORT: '0',
    LOG_LEVEL: 'silent',
    STREAM_PING_MS: '1000',
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
  };
});
afterAll(async () => {
  await Promise.all(children.map(kill));
  await handle.close();
  await model.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Starts the gateway as a process of its own, and answers where it listens. */
async function start(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['src/main.ts'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url) return { child, url };
  }
  throw new Error('The gateway did not start.');
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('a gateway that is killed in the middle of a reply loses nothing, and counts nothing twice', async () => {
  const first = await start();
  const token = (await promisify(execFile)(process.execPath, ['src/cli/token.ts'], { env })).stdout.trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const get = async (url: string) => (await fetch(url, { headers })).json() as Promise<any>;
  const [{ id }] = (await get(`${first.url}/rest/agents`)).data;
  const { current } = await get(`${first.url}/rest/interactions`);
  const post = (url: string, after?: string) =>
    fetch(`${url}/api/${id}`, {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream', ...keyed('kill', after).headers },
      body: JSON.stringify(say('Hello')),
    });

  const dropped = post(first.url);
  (await model.next()).say('One');
  const begun = await readEvents(await dropped).until(isText);
  await kill(first.child);

  const second = await start();
  // Whoever comes back before the process counts as dead joins its stream, and sees it end.
  const joined = await readEvents(await post(second.url, begun.at(-1)?.id)).rest();
  expect(types(joined)).toEqual(['error', '[DONE]']);
  expect(joined[0]?.data.code).toBe('unavailable');

  const retried = post(second.url, joined[0]?.id);
  (await model.next()).say('One').say(' two').end();
  const answered = await readEvents(await retried).rest();
  expect(textOf(answered)).toBe('One two');
  expect((await get(`${second.url}/rest/interactions`)).current).toBe(current + 1);
  const { id: conversationId } = (answered.at(-2) as SseEvent).data.data;
  const query = `{ conversation(id: "${conversationId}") { messages { nodes { role content } } } }`;
  const told = await fetch(`${second.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  expect(await told.json()).toEqual({
    data: {
      conversation: {
        messages: {
          nodes: [
            { role: 'user', content: 'Hello' },
            { role: 'assistant', content: 'One two' },
          ],
        },
      },
    },
  });
}, 90_000);
