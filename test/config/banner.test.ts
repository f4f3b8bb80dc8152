import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { announce } from '../../src/config/banner.ts';
import { readConfig } from '../../src/config/config.ts';
import { useGateway } from '../support/gateway/app.ts';
import { collectLog } from '../support/telemetry/log-lines.ts';

const gateway = useGateway();

test('every address that a start names is a page', async () => {
  const { log, lines } = collectLog();
  const url = 'http://127.0.0.1:4000';
  await announce({ config: readConfig({}), url, makeAddress: null, log, isTerminal: false });
  const addresses = Object.values(lines[0] ?? {}).filter((value) => String(value).startsWith(url)) as string[];
  expect(addresses.length).toBeGreaterThan(3);
  const app = createApp(gateway.services, async () => null);
  for (const address of addresses) {
    const { status } = await app.request(address, { headers: { accept: 'text/html' } });
    expect({ address, isServed: status === 200 || status === 302 }).toEqual({ address, isServed: true });
  }
});
