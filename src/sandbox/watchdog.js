import { setInterval } from 'node:timers';
import { workerData } from 'node:worker_threads';

// Ends this process when its parent is gone, or when it holds too much memory, even while its main thread is busy. Plain
// JavaScript, since a thread that strips types would take several megabytes for that alone.
const { parent, memoryMb } = workerData;
setInterval(() => {
  const isLarge = process.memoryUsage.rss() > memoryMb * 1_000_000;
  if (isLarge || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, 250);
