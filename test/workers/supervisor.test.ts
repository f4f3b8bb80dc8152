import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Supervisor, type SupervisorOptions } from '../../src/workers/supervisor.ts';

/** A worker process that does what the test says, and ends when it is told to. */
class FakeWorker extends EventEmitter {
  process: { pid: number | undefined; kill(): void } = { pid: 1, kill: () => void this.emit('exit', null, 'SIGKILL') };
  isConnected = () => true;
  send({ name }: { name: string }): void {
    if (name === 'replaced' || name === 'stop') this.end(0);
  }
  begin(): void {
    this.emit('message', { parley: 'request', id: 1, name: 'ready', body: 'http://localhost:1' });
  }
  end(code: number): void {
    this.emit('exit', code, null);
  }
}

let workers: FakeWorker[];
beforeEach(() => {
  workers = [];
  vi.spyOn(cluster, 'setupPrimary').mockReturnValue();
  vi.spyOn(cluster, 'fork').mockImplementation(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker as unknown as Worker;
  });
  return () => vi.restoreAllMocks();
});

const supervise = (options: Partial<SupervisorOptions> = {}) =>
  new Supervisor({
    count: 1,
    log: pino({ level: 'silent' }),
    onStart: () => {},
    onFailure: () => {},
    drainMs: 100,
    ...options,
  });
const started = (count: number) => expect.poll(() => workers.length).toBe(count);

test('workers can be restarted after a restart that failed, though the old worker had died meanwhile', async () => {
  const supervisor = supervise();
  const url = supervisor.start();
  workers[0]?.begin();
  await url;
  const failed = supervisor.restart();
  await started(2);
  workers[0]?.end(1);
  workers[1]?.end(1);
  await started(3);
  workers[2]?.begin();
  await failed;
  const restarted = supervisor.restart();
  await started(4);
  workers[3]?.begin();
  await restarted;
  expect(supervisor.ready).toHaveLength(1);
  expect(await supervisor.stop()).toBe(0);
});

test('a process that the system cannot start fails the start, and says why', async () => {
  const url = supervise().start();
  const [worker] = workers;
  if (worker) worker.process.pid = undefined;
  worker?.emit('error', new Error('spawn node EAGAIN'));
  await expect(url).rejects.toThrow('The process of worker 1 cannot be started: spawn node EAGAIN.');
});

test('a worker that a signal ends while it starts fails the start, and the signal is named', async () => {
  const failing = supervise().start();
  workers[0]?.process.kill();
  await expect(failing).rejects.toThrow(/Worker 1 was ended by SIGKILL while it started.*memory/);
});

test('a message that cannot be sent does not count as the end of a worker', async () => {
  const supervisor = supervise();
  const url = supervisor.start();
  workers[0]?.emit('error', new Error('write EPIPE'));
  workers[0]?.begin();
  expect(await url).toBe('http://localhost:1');
  expect(supervisor.ready).toHaveLength(1);
});

describe('a successor that does not become ready', () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const start = async () => {
    lines.length = 0;
    const supervisor = supervise({ log, startMs: 50 });
    const url = supervisor.start();
    workers[0]?.begin();
    await url;
    return supervisor;
  };
  const errors = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);

  test('is ended, and the old worker stays', async () => {
    const supervisor = await start();
    await supervisor.restart();
    expect(supervisor.members.map(({ isReady, isLeaving }) => ({ isReady, isLeaving }))).toEqual([
      { isReady: true, isLeaving: false },
    ]);
    expect(errors()).toMatchObject([{ err: { message: expect.stringContaining('within 0.05 s') }, worker: 1 }]);
    const again = supervisor.restart();
    await started(3);
    workers[2]?.begin();
    await again;
    expect(supervisor.ready).toHaveLength(1);
    expect(workers).toHaveLength(3);
    expect(await supervisor.stop()).toBe(0);
  });

  test('is ended, and the old worker is started again if it has died meanwhile', async () => {
    const supervisor = await start();
    const restart = supervisor.restart();
    workers[0]?.end(1);
    await restart;
    await started(3);
    workers[2]?.begin();
    await expect.poll(() => supervisor.ready).toHaveLength(1);
    expect(await supervisor.stop()).toBe(0);
  });
});
