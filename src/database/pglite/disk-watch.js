import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** The thread of `DiskWatch`. */
const { count, limitMs } = workerData;
const looks = 20;
let [seen, times] = [0, 0];
// Looks are counted, not time: a process that was suspended has not waited meanwhile.
setInterval(() => {
  const now = Atomics.load(count, 0);
  times = now & 1 && now === seen ? times + 1 : 0;
  seen = now;
  if (times === looks) end();
}, limitMs / looks);

function end() {
  const text = `The disk of the embedded database has not answered for ${limitMs / 1_000} s, and the gateway ends, so that its callers wait no longer.\n`;
  // Without waiting for it: what it is written to may be on that disk.
  write(2, text, () => {});
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500);
}
