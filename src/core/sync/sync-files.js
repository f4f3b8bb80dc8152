import { open } from 'node:fs/promises';
import { workerData } from 'node:worker_threads';

/** The thread of `syncTogether`. */
const { files, state, port } = workerData;
/** More than Node's pool has threads by default, so that none of them waits. */
const atOnce = 16;

// Whatever ends the thread, the caller waits no longer.
process.on('exit', () => tell(1));
const due = files.values();
try {
  await Promise.all(Array.from({ length: atOnce }, syncNext));
} catch (error) {
  port.postMessage(error);
}
tell(2);

function tell(how) {
  if (Atomics.compareExchange(state, 1, 0, how) === 0) Atomics.notify(state, 1);
}

async function syncNext() {
  for (const file of due) {
    await syncIfExists(file);
    Atomics.add(state, 0, 1);
  }
}

async function syncIfExists(file) {
  const handle = await open(file, 'r+').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
