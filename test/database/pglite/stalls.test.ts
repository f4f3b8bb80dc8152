import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { QueryConfig } from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/database/client.ts';
import { StallMonitor } from '../../../src/database/pglite/stalls.ts';
import { createLog } from '../../../src/http/log/request-log.ts';
import { stallLog } from '../../../src/http/log/stall-log.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-stalls-'));
const logged = path.join(folder, 'log');
/** What the log's file has, line by line, whatever is still to be written. */
const linesOf = () =>
  readFileSync(logged, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const seen = new Set<string>();

beforeAll(async () => {
  const output = pino.destination({ dest: logged, sync: false, minLength: 16_000 });
  const { report } = stallLog(createLog('warn', output), output, { isShown: false });
  // Whatever reads or writes a file takes too long.
  const stalls = {
    afterMs: 0,
    report(note: Parameters<typeof report>[0]) {
      report(note);
      if (!note.isOver) seen.add(linesOf().at(-1)?.doing);
    },
  };
  const { pool, close } = await openDatabase({
    databaseUrl: null,
    dataDir: path.join(folder, 'data'),
    template: 'empty',
    stalls,
  });
  await pool.query('CREATE TABLE "Kept" ("text" text)');
  await pool.query(`INSERT INTO "Kept" VALUES ('hunter2')`);
  await pool.query('UPDATE "Kept" SET "text" = $1', ['hunter3']);
  const prepared: QueryConfig = { name: 'remove', text: 'DELETE FROM "Kept" WHERE "text" = $1', values: ['hunter3'] };
  await pool.query(prepared);
  await pool.query(`INSERT INTO "Kept" VALUES ('hunter3')`);
  await pool.query(prepared);
  await pool.query('CHECKPOINT');
  await close();
  output.flushSync();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('while the embedded database keeps the gateway from answering, the log says what it does', () => {
  expect([...seen]).toEqual(
    expect.arrayContaining([
      'opening the database',
      'CREATE TABLE "Kept"',
      'INSERT INTO "Kept"',
      'UPDATE "Kept" SET',
      'DELETE FROM "Kept"',
      'a prepared statement',
      'CHECKPOINT',
    ]),
  );
});

test('the log has no value of a statement, and says when it is over', () => {
  const lines = linesOf();
  expect(readFileSync(logged, 'utf8')).not.toContain('hunter');
  for (const { level, seconds, doing } of lines)
    expect([level, typeof seconds, typeof doing]).toEqual(['warn', 'number', 'string']);
  expect(lines.at(-1).msg).toBe('The embedded database has let the gateway answer again');
});

test('a single sync that takes long is told when it is over, and what is quick is not told', () => {
  const told: object[] = [];
  const watched = (afterMs: number) => new StallMonitor({ afterMs, report: (note) => told.push(note) });
  const slow = watched(1);
  slow.begin('COMMIT');
  for (const until = performance.now() + 2; performance.now() < until; );
  slow.end();
  slow.end();
  const quick = watched(3_600_000);
  quick.begin('COMMIT');
  quick.end();
  expect(told).toEqual([{ seconds: expect.any(Number), doing: 'COMMIT', isOver: true }]);
});
