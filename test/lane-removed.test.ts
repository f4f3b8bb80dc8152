import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { useGateway } from './app.ts';
import { makeWorld } from './support/world.ts';

const gateway = useGateway({ LANE: 'on' });

test('without its folder the gateway answers the same, by the resolvers', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-removed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const filter = (source: string) => source !== path.join('src', 'lane');
  for (const part of ['src', 'schema', 'package.json']) {
    cpSync(part, path.join(folder, part), { recursive: true, filter });
  }
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  const without: { createApp: typeof createApp } = await import(path.join(folder, 'src', 'app.ts'));

  const { owner } = await makeWorld(gateway);
  const headers = { authorization: `Bearer ${await gateway.bearer(owner)}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ agents { totalCount nodes { name } } }' });
  const requests: [string, RequestInit][] = [
    ['/graphql', { method: 'POST', headers, body }],
    ['/rest/agents', { headers }],
  ];
  for (const [address, init] of requests) {
    const ask = async (create: typeof createApp) => {
      const response = await create(gateway.services, async () => true).request(address, init);
      return { lane: response.headers.get('x-parley-lane'), status: response.status, body: await response.text() };
    };
    const answer = await ask(createApp);
    expect(answer).toMatchObject({ lane: '1', status: 200 });
    expect(await ask(without.createApp)).toEqual({ ...answer, lane: null });
  }
});
