import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { syncIfThere } from './sync-file.ts';

const code = new URL('sync-files.js', import.meta.url);

/** How often a caller that waits hears of it, in milliseconds. */
const lookMs = 500;
/** Without memory or threads left, none starts, and no event could say so while this one waits. */
const startsWithinMs = 20_000;

/**
 * Syncs files before returning, many at once, in a thread of its own: on a busy disk several take about as long as one.
 * Files that are gone are skipped. Throws the first error. Calls `whileWaiting` now and then.
 */
export function syncTogether(files: Iterable<string>, whileWaiting: () => void = () => {}): void {
  const paths = [...files];
  // Whether the thread has started, and how it has ended: 1 before it was done, 2 once it was.
  const state = new Int32Array(new SharedArrayBuffer(8));
  const { port1, port2 } = new MessageChannel();
  const workerData = { files: paths, state, port: port2 };
  const thread = new Worker(code, { workerData, transferList: [port2], execArgv: [] });
  thread.unref();
  // What it did not sync is synced here; the event, which comes later, would end the process.
  thread.on('error', () => {});
  const begun = performance.now();
  while (Atomics.wait(state, 1, 0, lookMs) === 'timed-out') {
    whileWaiting();
    if (Atomics.load(state, 0) === 0 && performance.now() - begun > startsWithinMs) return paths.forEach(syncIfThere);
  }
  const failed = receiveMessageOnPort(port1);
  port1.close();
  if (failed) throw failed.message;
  if (Atomics.load(state, 1) === 1) for (const path of paths) syncIfThere(path);
}
