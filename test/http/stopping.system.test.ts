import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fillDataFolder } from '../support/database/data-folder.ts';
import { startGateway } from '../support/gateway/gateway-process.ts';

/** What a client's last request failed with: its code, and whether its connection had been used before. */
type Failure = { code: string; reusedSocket: boolean };

/** Sends requests on one kept connection, one after the other, until one fails. */
async function useUntilRefused(url: string): Promise<Failure> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = () =>
    new Promise<Failure | null>((resolve) => {
      const fail = (error: Error) => {
        const { code } = error as { code?: string };
        resolve({ code: String(code), reusedSocket: sent.reusedSocket });
      };
      const sent = request(url, { agent }, (response) =>
        response
          .on('end', () => resolve(null))
          .on('error', fail)
          .resume(),
      );
      sent.on('error', fail).end();
    });
  for (;;) {
    const failure = await send();
    if (failure) return failure;
    await sleep(Math.random() * 5);
  }
}

test('SIGTERM fails no request of a client on a connection that it uses, and new connections are refused', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'stopping-'));
  fillDataFolder(dataDir);
  const env = { ...process.env, PORT: '0', DATA_DIR: dataDir, DATABASE_URL: '', DEMO: 'false', LOG_LEVEL: 'silent' };
  const gateway = await startGateway(env);
  const clients = Array.from({ length: 40 }, () => useUntilRefused(`${gateway.url}/health`));
  await sleep(1_000);
  const since = performance.now();
  gateway.child.kill('SIGTERM');
  const failures = await Promise.all(clients);
  expect(failures.filter(({ reusedSocket }) => reusedSocket)).toEqual([]);
  // The kernel resets one that it accepts in the instant in which the gateway stops listening: draining.test.ts.
  const expected = ['ECONNREFUSED', 'ECONNRESET'];
  expect(failures.filter(({ code }) => !expected.includes(code))).toEqual([]);
  await gateway.exited;
  // Not for the keep-alive time of a minute.
  expect(performance.now() - since).toBeLessThan(30_000);
  rmSync(dataDir, { recursive: true });
});
