import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { beforeEach, expect, test, vi } from 'vitest';
import { Supervisor } from '../../src/workers/supervisor.ts';

/** A worker process that does what the test says, and ends when it is told to. */
class FakeWorker extends EventEmitter {
  process: { pid: number | undefined; kill(): void } = { pid: 1, kill() {} };
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

const supervise = () =>
  new Supervisor({
    count: 1,
    log: pino({ level: 'silent' }),
    onStart: () => {},
    onFailure: () => {},
    drainMs: 100,
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

test('a message that cannot be sent does not count as the end of a worker', async () => {
  const supervisor = supervise();
  const url = supervisor.start();
  workers[0]?.emit('error', new Error('write EPIPE'));
  workers[0]?.begin();
  expect(await url).toBe('http://localhost:1');
  expect(supervisor.ready).toHaveLength(1);
});
