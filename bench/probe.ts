/** Loaded before a contender's own code, the same in each: tells the bench what the process costs. */
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Parts, partsOfMemory } from './memory-parts.ts';
import { type Shares, sharesOf } from './profile.ts';

/**
 * `read` answers how it stands; `watch` begins to watch the event loop as well, `unwatch` ends that; `profile` and
 * `unprofile` the same for what the CPU is spent on; `memory` takes the memory apart, and collects garbage.
 */
export type Question = 'read' | 'watch' | 'unwatch' | 'profile' | 'unprofile' | 'memory';
export type Reading = {
  /** CPU time of the process since its start, in microseconds. */
  cpu: number;
  /** Memory that it has, in bytes. */
  rss: number;
  /** By how much the event loop was late, p99, in milliseconds, since `watch`. */
  delay: number;
  /** What the CPU went to since `profile`, when that is asked to end. */
  shares?: Shares;
  /** What the memory is, when that is asked. */
  parts?: Parts;
};

const RESOLUTION_MS = 2;
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

const inspector = new Session();

async function profile(question: Question): Promise<Shares | undefined> {
  if (question === 'profile') {
    inspector.connect();
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.start');
  }
  if (question !== 'unprofile') return undefined;
  const stopped = await inspector.post('Profiler.stop');
  inspector.disconnect();
  return sharesOf(stopped.profile);
}

async function answer(question: Question): Promise<void> {
  const shares = await profile(question);
  if (question === 'watch') {
    histogram.reset();
    histogram.enable();
  }
  const { user, system } = process.cpuUsage();
  // The histogram holds the time between two ticks of its timer, so that an idle loop shows the timer's own interval.
  const delay = Math.max(0, histogram.percentile(99) / 1e6 - RESOLUTION_MS);
  const rss = process.memoryUsage.rss();
  const parts = question === 'memory' ? await partsOfMemory() : undefined;
  const reading: Reading = { cpu: user + system, rss, delay, shares, parts };
  if (question === 'unwatch') histogram.disable();
  process.send?.(reading);
}

process.on('message', (question: Question) => void answer(question));
// The contender decides when it ends, not this channel.
process.channel?.unref();
