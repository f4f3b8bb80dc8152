import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Services } from '../../src/context.ts';
import { alertSchedule, schedules, startSchedule } from '../../src/jobs/schedule.ts';
import { collectLog } from '../support/telemetry/log-lines.ts';

test('what the gateway does by itself, and when, is told by docs/operations-monitoring.md', () => {
  const told = [...readFileSync('docs/operations-monitoring.md', 'utf8').matchAll(/^\| (\d+) s \| (.*) \|$/gm)];
  const done = [...Object.values(schedules), alertSchedule(async () => {})].flatMap(({ everyMs, tasks }) =>
    Object.keys(tasks).map((task) => [everyMs / 1_000, task]),
  );
  expect(told.map(([, seconds, task]) => [Number(seconds), task])).toEqual(done);
});

test('a task that fails is logged by its name, and keeps none behind it from being done', async () => {
  const logged: object[] = [];
  const done: string[] = [];
  const services = { log: { error: (entry: object) => logged.push(entry) } } as unknown as Services;
  const failure = new Error('the disk is full');
  const round = startSchedule(services, {
    everyMs: 3_600_000,
    tasks: { first: () => Promise.reject(failure), second: async () => done.push('second') },
  });
  await round.first;
  expect([logged, done]).toEqual([[{ cause: 'task first: Error', err: failure, task: 'first' }], ['second']]);
  await round.close();
});

test('tasks that fail because the database is away have one line a second', async () => {
  const { log, lines } = collectLog();
  const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const fail = () => Promise.reject(lost);
  const round = startSchedule({ log } as Services, { everyMs: 3_600_000, tasks: { first: fail, second: fail } });
  await round.first;
  expect(lines.map(({ cause, task }) => [cause, task])).toEqual([['tasks: database ECONNREFUSED', 'first']]);
  await round.close();
});

test('a round begins anew when its time has come, and no more once it was closed', async () => {
  let count = 0;
  const again = Promise.withResolvers<void>();
  const work = async () => {
    count += 1;
    if (count === 3) again.resolve();
  };
  const round = startSchedule({} as Services, { everyMs: 1, tasks: { work } });
  await again.promise;
  await round.close();
  const closed = count;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(count).toBe(closed);
});
