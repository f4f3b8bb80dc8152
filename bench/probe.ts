/** Preloaded into every contender: reports to the bench what the process costs. */
import { type Profiler, Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Parts, partsOfMemory } from './memory-parts.ts';

/**
 * `read` reports the current figures; `watch` and `unwatch` also measure event loop delay; `profile` and `unprofile`
 * record a CPU profile; `memory` breaks down the memory, after collecting garbage.
 */
export type Question = 'read' | 'watch' | 'unwatch' | 'profile' | 'unprofile' | 'memory';
export type Reading = {
  /** CPU time of the process since its start, in microseconds. */
  cpu: number;
  /** Resident memory in bytes. */
  rss: number;
  /** The p99 event loop delay since `watch`, in milliseconds. */
  delay: number;
  /** What used CPU time since `profile`; in the reply to `unprofile`. */
  profile?: Profiler.Profile;
  /** The breakdown of memory; in the reply to `memory`. */
  parts?: Parts;
};

const RESOLUTION_MS = 2;
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

const inspector = new Session();

async function profileFor(question: Question): Promise<Profiler.Profile | undefined> {
  if (question === 'profile') {
    inspector.connect();
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.start');
  }
  if (question !== 'unprofile') return undefined;
  const stopped = await inspector.post('Profiler.stop');
  inspector.disconnect();
  return stopped.profile;
}

async function answer(question: Question): Promise<void> {
  const profile = await profileFor(question);
  if (question === 'watch') {
    histogram.reset();
    histogram.enable();
  }
  const { user, system } = process.cpuUsage();
  // The histogram records the time between two ticks of its timer, so an idle loop shows the timer's own interval.
  const delay = Math.max(0, histogram.percentile(99) / 1e6 - RESOLUTION_MS);
  const rss = process.memoryUsage.rss();
  const parts = question === 'memory' ? await partsOfMemory() : undefined;
  const reading: Reading = { cpu: user + system, rss, delay, profile, parts };
  if (question === 'unwatch') histogram.disable();
  process.send?.(reading);
}

process.on('message', (question: Question) => void answer(question));
// The channel must not keep the contender alive.
process.channel?.unref();
