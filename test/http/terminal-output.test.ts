import { expect, test } from 'vitest';
import { createProgress } from '../../src/config/progress.ts';
import { createLog, terminalOutput } from '../../src/http/log/request-log.ts';

const clear = '\r\u001b[K';

function terminal() {
  const written: string[] = [];
  const log = createLog(
    'info',
    terminalOutput((text) => void written.push(text)),
  );
  return { log, written };
}

test('in a terminal a line of the log has the time, the level, the message and the details', () => {
  const { log, written } = terminal();
  log.warn({ folder: '/tmp/a', why: 'two words', rows: 3 }, 'The disk is nearly full');
  expect(written).toHaveLength(1);
  expect(written[0]).toMatch(
    /^\r\u001b\[K\d\d:\d\d:\d\d \u001b\[33mWARN \u001b\[0m The disk is nearly full {2}folder=/,
  );
  expect(written[0]).toContain('  folder=/tmp/a  why="two words"  rows=3\n');
});

test('in a terminal an error has its message and its frames, and no secret', () => {
  const { log, written } = terminal();
  log.error({ err: new Error('postgres://me:secret@db refused'), token: 'abc' }, 'A job failed');
  expect(written[0]).toContain('A job failed  postgres://***@db refused  token=***\n    at ');
  expect(written[0]).not.toContain('secret');
});

test('what a caller sends cannot move the cursor', () => {
  const { log, written } = terminal();
  log.info({ path: '/\u001b[2J\r\nx', name: '\u009b31m' }, 'a request');
  expect(written[0]?.slice(clear.length).replace(/\n$/, '')).not.toMatch(/\p{Cc}/u);
});

test('the progress of a start is one line of a terminal, which ends in what was done', () => {
  const written: string[] = [];
  const progress = createProgress(() => expect.unreachable('logged'), { write: (text) => written.push(text) });
  progress.step('Opening the database');
  progress.step('Applying 65 migrations');
  progress.ready(65);
  const lines = written.join('').split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^\r\u001b\[KOpening the database …\r\u001b\[KApplying 65 migrations …\r\u001b\[K/);
  expect(lines[0]?.split(clear).at(-1)).toMatch(/^Database ready, 65 migrations, 0(\.\d)? s$/);
});

test('elsewhere the outcome of a start is a line of the log', () => {
  const logged: unknown[] = [];
  const progress = createProgress((...line) => void logged.push(line), null);
  progress.step('Opening the database');
  progress.ready(0);
  expect(logged).toEqual([['The database is ready', { migrations: 0, seconds: expect.any(Number) }]]);
});
