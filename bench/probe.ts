/** Loaded before a contender's own code, the same in each: tells the bench what the process costs. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** `read` answers how it stands; `watch` begins to watch the event loop as well, `unwatch` ends that. */
export type Question = 'read' | 'watch' | 'unwatch';
export type Reading = {
  /** CPU time of the process since its start, in microseconds. */
  cpu: number;
  /** Memory that it has, in bytes. */
  rss: number;
  /** By how much the event loop was late, p99, in milliseconds, since `watch`. */
  delay: number;
};

const RESOLUTION_MS = 2;
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

process.on('message', (question: Question) => {
  if (question === 'watch') {
    histogram.reset();
    histogram.enable();
  }
  const { user, system } = process.cpuUsage();
  // The histogram holds the time between two ticks of its timer, so that an idle loop shows the timer's own interval.
  const delay = Math.max(0, histogram.percentile(99) / 1e6 - RESOLUTION_MS);
  const reading: Reading = { cpu: user + system, rss: process.memoryUsage.rss(), delay };
  if (question === 'unwatch') histogram.disable();
  process.send?.(reading);
});
// The contender decides when it ends, not this channel.
process.channel?.unref();
