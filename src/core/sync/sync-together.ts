import { MessageChannel, receiveMessageOnPort, Worker, type WorkerOptions } from 'node:worker_threads';
import { syncIfExists } from './sync-file.ts';

const code = new URL('sync-files.js', import.meta.url);

/** How often `whileWaiting` is called, in milliseconds. */
const lookMs = 500;
/** A thread that does not start, or fails, cannot report it while this one waits: then the files are synced here. */
const movesWithinMs = 20_000;

/**
 * Syncs files before returning, many at once, in a thread of its own: on a busy disk several take about as long as one.
 * Files that are gone are skipped. Throws the first error. Calls `whileWaiting` now and then.
 */
export function syncTogether(files: Iterable<string>, whileWaiting: () => void = () => {}): void {
  const paths = [...files];
  // How many files the thread has synced, and how it has ended: 1 before it was done, 2 once it was.
  const state = new Int32Array(new SharedArrayBuffer(8));
  const { port1, port2 } = new MessageChannel();
  const workerData = { files: paths, state, port: port2 };
  const thread = startThread({ workerData, transferList: [port2], execArgv: [] });
  if (!thread) return paths.forEach(syncIfExists);
  let [synced, since] = [0, performance.now()];
  while (Atomics.wait(state, 1, 0, lookMs) === 'timed-out') {
    whileWaiting();
    const now = performance.now();
    if (Atomics.load(state, 0) > synced) [synced, since] = [Atomics.load(state, 0), now];
    else if (now - since > movesWithinMs) return paths.forEach(syncIfExists);
  }
  const failed = receiveMessageOnPort(port1);
  port1.close();
  if (failed) throw failed.message;
  if (Atomics.load(state, 1) === 1) for (const path of paths) syncIfExists(path);
}

function startThread(options: WorkerOptions): Worker | null {
  try {
    const thread = new Worker(code, options);
    thread.unref();
    // What it did not sync is synced by its caller; the event, which comes later, would end the process.
    return thread.on('error', () => {});
  } catch {
    return null;
  }
}
