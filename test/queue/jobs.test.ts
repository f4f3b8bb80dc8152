import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import type { Pool } from '../../src/database/pool.ts';
import { createLog } from '../../src/http/log/request-log.ts';
import { type Job, type JobData, jobKinds, jobNames, type ReadingJob } from '../../src/queue/kinds.ts';
import { createQueue, type Queue } from '../../src/queue/queue.ts';
import { testDatabase } from '../support/database/database.ts';
import { collectLog } from '../support/telemetry/log-lines.ts';

let handle: DatabaseHandle;
let queues: Queue[];
let done: string[];

beforeAll(async () => {
  handle = await testDatabase();
});
beforeEach(() => {
  queues = [];
  done = [];
});
afterEach(async () => {
  for (const queue of queues) await queue.close();
  await handle.pool.query('TRUNCATE pgboss.job').catch(() => null);
});
afterAll(() => handle.close());

function open(at = handle, pollIntervalMs?: number): Queue {
  const queue = createQueue({ handle: at, log: createLog('silent'), ...(pollIntervalMs && { pollIntervalMs }) });
  queues.push(queue);
  return queue;
}

/** A database without a queue. */
async function untouched(work: (database: DatabaseHandle) => Promise<void>): Promise<void> {
  const database = await testDatabase();
  try {
    await work(database);
    for (const queue of queues) await queue.close();
  } finally {
    await database.close();
  }
}

/** Waits until no job is left. Delayed retries run at once. */
async function settle(queue: Queue): Promise<void> {
  const hurry = () => handle.pool.query("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
  const hurrying = setInterval(() => void hurry().catch(() => null), 50);
  await queue.idle().finally(() => clearInterval(hurrying));
}

type Work = (data: JobData['ingest'], signal: AbortSignal) => Promise<void>;
const finish: Work = async ({ sourceId }) => void done.push(sourceId);
const start = (queue: Queue, ingest: Work = finish) =>
  queue.start({
    ingest,
    crawl: ingest,
    embed: ingest,
    compact: async () => {},
    index: async () => {},
    evaluate: async () => {},
    summarize: async () => {},
    erase: async () => {},
  });
const job = (id: string, key = id): ReadingJob => ({
  name: 'ingest',
  key,
  data: { workspaceId: 'w', sourceId: id, revision: 0 },
});
const add = (queue: Queue, ...jobs: Job[]) => queue.transact((_tx, enqueue) => enqueue(jobs));
const makeWorkspace = { data: { id: 'wsp_1', name: 'One' } };

describe('a job', () => {
  test('starts as soon as its transaction is committed', async () => {
    // It polls almost never, so each job runs because of a notification.
    const queue = open(handle, 3_600_000);
    await start(queue);
    await add(queue, job('a'));
    await expect.poll(() => done).toEqual(['a']);
  });

  test('is rolled back with its transaction', async () => {
    const queue = open();
    await start(queue);
    const failing = queue.transact(async (tx, enqueue) => {
      await tx.workspace.create(makeWorkspace);
      await enqueue([job('a')]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await queue.idle();
    expect(done).toEqual([]);
    expect(await handle.client.workspace.count()).toBe(0);
  });

  test('added before any worker is there waits for one', async () => {
    await add(open(), job('a'), job('b'));
    const queue = open();
    await start(queue);
    await queue.idle();
    expect(done.toSorted()).toEqual(['a', 'b']);
  });

  test('is not added again while one of its key waits or runs, and may be once it is done', async () => {
    const queue = open();
    await add(queue, job('a', 'key'));
    await add(queue, job('b', 'key'));
    const running = Promise.withResolvers<void>();
    await start(queue, async (data, signal) => {
      await running.promise;
      await finish(data, signal);
    });
    await add(queue, job('c', 'key'));
    running.resolve();
    await queue.idle();
    expect(done).toEqual(['a']);
    await add(queue, job('d', 'key'));
    await queue.idle();
    expect(done).toEqual(['a', 'd']);
  });

  test('that fails is tried again', async () => {
    const queue = open();
    let tries = 0;
    await start(queue, async (data, signal) => {
      tries += 1;
      if (tries < 2) throw new Error('not yet');
      await finish(data, signal);
    });
    await add(queue, job('a'));
    await settle(queue);
    expect([tries, done]).toEqual([2, ['a']]);
  });

  test('does not wait for those of another workspace, however many and slow', async () => {
    const queue = open();
    const slow = Promise.withResolvers<void>();
    let begun = 0;
    await start(queue, async (data, signal) => {
      if (data.workspaceId === 'w') {
        begun += 1;
        await slow.promise;
      }
      await finish(data, signal);
    });
    const ofMany = Array.from({ length: 12 }, (_, at) => job(`slow ${at}`));
    const ofAnother = ['a', 'b', 'c'].map((id) => ({ ...job(id), data: { ...job(id).data, workspaceId: 'other' } }));
    await add(queue, ...ofMany);
    await expect.poll(() => begun).toBeGreaterThan(0);
    await add(queue, ...ofAnother);
    await expect.poll(() => done.toSorted()).toEqual(['a', 'b', 'c']);
    expect(begun).toBeLessThanOrEqual(jobKinds.ingest.perWorkspace ?? 0);
    slow.resolve();
    await queue.idle();
    expect(done).toHaveLength(15);
  });

  test('does not wait for a slow one before it', async () => {
    const queue = open();
    const slow = Promise.withResolvers<void>();
    await start(queue, async (data, signal) => {
      if (data.sourceId === 'slow') await slow.promise;
      await finish(data, signal);
    });
    await add(queue, job('slow'), job('a'), job('b'));
    await expect.poll(() => done.toSorted()).toEqual(['a', 'b']);
    slow.resolve();
    await queue.idle();
    expect(done).toContain('slow');
  });

  test('whose worker died is given to another', async () => {
    await add(open(), job('a'));
    await handle.pool.query(`
      UPDATE pgboss.job SET state = 'active', started_on = now(), heartbeat_on = now() - interval '1 minute'`);
    // As if no check for dead workers had run in the last ten seconds.
    await handle.pool.query('UPDATE pgboss.queue SET monitor_on = NULL, monitor_claim_on = NULL');
    const queue = open();
    await start(queue);
    await settle(queue);
    expect(done).toEqual(['a']);
  });
});

describe('closing', () => {
  test('lets a running job end', async () => {
    const queue = open();
    const began = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await start(queue, async (data, signal) => {
      began.resolve();
      await released.promise;
      await finish(data, signal);
    });
    await add(queue, job('a'));
    await began.promise;
    const closing = queue.close();
    released.resolve();
    await closing;
    expect(done).toEqual(['a']);
  });

  test('leaves a job that does not end in the time that it is given to the next worker', async () => {
    const queue = open();
    const began = Promise.withResolvers<void>();
    let aborted = false;
    await start(queue, (_data, signal) => {
      began.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('aborted'));
        });
      });
    });
    await add(queue, job('a'));
    await began.promise;
    await queue.close(100);
    expect(aborted).toBe(true);
    const next = open();
    await start(next);
    await settle(next);
    expect(done).toEqual(['a']);
  });

  test('a queue that was never used asks nothing of the database', () =>
    untouched(async (database) => {
      await open(database).close();
      const { rows } = await database.pool.query("SELECT 1 FROM pg_namespace WHERE nspname = 'pgboss'");
      expect(rows).toEqual([]);
    }));
});

test('many gateways may start at once on one database', () =>
  untouched(async (database) => {
    const started = Array.from({ length: 6 }, () => open(database));
    await Promise.all(started.map((queue) => start(queue)));
    const [first, second] = started;
    const jobs = Array.from({ length: 30 }, (_, index) => job(String(index)));
    await Promise.all([first && add(first, ...jobs.slice(0, 15)), second && add(second, ...jobs.slice(15))]);
    await first?.idle();
    expect(done.toSorted()).toEqual(jobs.map(({ data }) => data.sourceId).toSorted());
  }));

test('a job that fails is logged by its kind and reason, without its text', async () => {
  const { log, lines } = collectLog('warn');
  const queue = createQueue({ handle, log });
  queues.push(queue);
  let failures = 0;
  await start(queue, async ({ sourceId }) => {
    if (failures++ === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    done.push(sourceId);
  });
  await add(queue, job('a'));
  await settle(queue);
  expect(done).toEqual(['a']);
  expect(lines).toMatchObject([{ level: 'error', cause: 'job ingest: ENOSPC', workspaceId: 'w', msg: 'A job failed' }]);
});

test('a failure of the database while workers look for jobs is logged with its reason', async () => {
  let fails = false;
  const query = (text: string, values: unknown[]) =>
    fails
      ? Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
      : handle.pool.query(text, values);
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const queue = createQueue({ handle: { ...handle, pool: { query } as unknown as Pool }, log, pollIntervalMs: 50 });
  queues.push(queue);
  await start(queue);
  fails = true;
  await expect.poll(() => lines.length).toBeGreaterThan(jobNames.length);
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({
      cause: 'job queue: database ECONNREFUSED',
      err: {
        type: 'Error',
        message: expect.stringContaining('connect ECONNREFUSED'),
        code: 'ECONNREFUSED',
        stack: expect.any(String),
      },
    });
});
