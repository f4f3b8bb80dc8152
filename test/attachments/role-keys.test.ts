import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net, { type NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { useProxy } from '../../src/net/proxy.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { startRoleServer } from '../support/attachments/role-server.ts';
import { startS3Server } from '../support/attachments/s3-server.ts';

let folder: string;
let tokenFile: string;
let s3: Awaited<ReturnType<typeof startS3Server>>;
let role: Awaited<ReturnType<typeof startRoleServer>>;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-role-'));
  tokenFile = path.join(folder, 'token');
  await writeFile(tokenFile, 'web-identity-1');
  s3 = await startS3Server();
  role = await startRoleServer(s3.keys);
  // No file of this machine's owner takes part.
  vi.stubEnv('AWS_CONFIG_FILE', path.join(folder, 'config'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', path.join(folder, 'credentials'));
});
/** Lets the addresses at which only containers have an agent lead to this one. */
function leadToAgents(): void {
  const connect = net.createConnection.bind(net) as (options: NetConnectOpts, done?: () => void) => net.Socket;
  vi.spyOn(net, 'createConnection').mockImplementation(((options: net.TcpNetConnectOpts, done?: () => void) => {
    const isAgent = ['169.254.170.2', '169.254.170.23'].includes(options.host ?? '') && String(options.port) === '80';
    return connect(isAgent ? { ...options, host: '127.0.0.1', port: role.port } : options, done);
  }) as never);
}
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  await role.close();
  await s3.close();
  await rm(folder, { recursive: true });
});

const ways = ['web identity', 'pod', 'task', 'instance'] as const;
type Way = (typeof ways)[number];

/** A bucket, reached by a process to which Amazon has given a role. */
function bucketBy(way: Way) {
  for (const [name, value] of Object.entries(role.variables[way](tokenFile))) vi.stubEnv(name, value);
  leadToAgents();
  return createStorage(readConfig({ STORAGE_URL: s3.env.STORAGE_URL }).storage);
}
const key = `wsp_${'0'.repeat(26)}/fil_${'0'.repeat(26)}`;
const bytes = Buffer.from('an attachment');
const hash = createHash('sha256').update(bytes).digest('hex');

describe.each(ways)('keys of a role, by %s,', (way) => {
  test('are asked for once, also by many at once, and sign every request', async () => {
    const bucket = bucketBy(way);
    expect(role.given).toEqual([]);
    await Promise.all(Array.from({ length: 8 }, () => bucket.put(key, bytes, hash)));
    expect(await bucket.get(key)).toEqual(new Uint8Array(bytes));
    expect(role.given).toEqual([way]);
  });

  test('are renewed before they expire, while the ones at hand serve', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const bucket = bucketBy(way);
    await bucket.put(key, bytes, hash);
    for (let renewed = 2; renewed < 5; renewed += 1) {
      vi.setSystemTime(Date.now() + 56 * 60_000);
      // A token that Kubernetes has written anew meanwhile.
      role.rules.webIdentity = `web-identity-${renewed}`;
      await writeFile(tokenFile, role.rules.webIdentity);
      await bucket.get(key);
      const newest = () => [...s3.keys.keys()].at(-1);
      await vi.waitFor(async () => {
        await bucket.get(key);
        expect([role.given.length, s3.signers.at(-1)]).toEqual([renewed, newest()]);
      });
      vi.setSystemTime(Date.now() + 5 * 60_000);
      expect(await bucket.get(key)).toEqual(new Uint8Array(bytes));
      expect(role.given).toHaveLength(renewed);
    }
  });

  test('that are not given are 503 with the cause, until they are', async () => {
    const bucket = bucketBy(way);
    role.rules.refuses = true;
    if (way === 'instance') await role.close();
    const failure = await bucket.get(key).catch((error: unknown) => error);
    // Told once the provider has refused, and not by the deadline.
    const cause = { message: expect.not.stringContaining('no answer within') };
    expect(failure).toMatchObject({
      code: 'unavailable',
      message: 'The attachment storage is not available: try again later.',
      originalError: { message: expect.stringContaining('No credentials for the bucket: '), cause },
    });
    if (way === 'instance') return;
    role.rules.refuses = false;
    expect(await bucket.get(key)).toBeNull();
  });
});

test.each(['pod', 'task'] as const)(
  'keys of a %s are not asked for by a proxy, which could not reach the agent',
  async (way) => {
    const restore = useProxy({ http: 'http://127.0.0.1:1', https: 'http://127.0.0.1:1', none: '127.0.0.1' });
    onTestFinished(restore);
    await bucketBy(way).put(key, bytes, hash);
    expect(role.given).toEqual([way]);
  },
);

test('a bucket whose time is another names the clock', async () => {
  const bucket = createStorage(readConfig(s3.env).storage);
  for (const [aheadMs, told] of [
    [20 * 60_000, /is 1(199|200|201) seconds behind that of the bucket.* Set the clock/],
    [-20 * 60_000, /is 1(199|200|201) seconds ahead of that of the bucket.* Set the clock/],
  ] as const) {
    s3.clock.aheadMs = aheadMs;
    const failure = await bucket.get(key).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'unavailable', originalError: { message: expect.stringMatching(told) } });
  }
});
