import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../../src/database/client.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { databaseUnready } from '../../../src/database/readiness.ts';
import { unreadyReasons } from '../../../src/database/serving/reasons.ts';
import { catchUp, noStandby, openPair, type Pair } from '../../support/database/standby.ts';
import { beginGateway } from '../../support/gateway/gateway-process.ts';

describe.skipIf(noStandby)('a standby as DATABASE_URL', () => {
  let pair: Pair;
  let handle: DatabaseHandle;
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-as-primary-'));

  beforeAll(async () => {
    pair = await openPair();
    const { primary, standby } = pair;
    const standbyOptions = { url: standby.url('parley'), onChange: () => {} };
    const main = await openDatabase({ databaseUrl: primary.url('parley'), dataDir, standby: standbyOptions });
    await migrate(main);
    await catchUp(pair, main);
    await main.close();
    handle = await openDatabase({ databaseUrl: standby.url('parley'), dataDir });
  }, 120_000);
  afterAll(async () => {
    await handle?.close();
    await pair?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('ends the start with what to write instead', async () => {
    const settings = { DATABASE_URL: pair.standby.url('parley'), DATA_DIR: dataDir, PORT: '0' };
    const gateway = beginGateway({ ...process.env, ...settings });
    const said = text(gateway.child.stdout as NodeJS.ReadableStream);
    await expect(gateway.listening).rejects.toThrow('did not start');
    expect(await gateway.exited).toEqual([1, null]);
    expect(await said).toContain('is a standby, which accepts no writes. Name the primary');
  });

  test('is not ready, until it is promoted', async () => {
    expect(await databaseUnready(handle)).toBe(unreadyReasons.standby);
    await pair.standby.query('SELECT pg_promote()');
    expect(await databaseUnready(handle)).toBeNull();
    expect(await migrate(handle)).toEqual([]);
  });
});
