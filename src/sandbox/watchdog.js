import { setInterval } from 'node:timers';
import { workerData } from 'node:worker_threads';

// Kills this process when its parent is gone or it uses too much memory, even while its main thread is busy. Plain
// JavaScript, since stripping types in a thread would alone cost several megabytes.
const { parent, memoryMb } = workerData;
setInterval(() => {
  const isLarge = process.memoryUsage.rss() > memoryMb * 1_000_000;
  if (isLarge || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, 250);
