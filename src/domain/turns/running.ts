import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../context.ts';
import { createPoller } from '../shared/poller.ts';
import { busy, leaving } from './failure.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createPartsWriter, readStreams } from './stream-store.ts';
import type { Follow, RunningTurn, StreamPosition, Turns, TurnUpdate } from './types.ts';

/** How long aborted turns may take at shutdown to release what they hold, in milliseconds. */
const abortGraceMs = 1_000;

/** Creates the registry of the turns of this process. */
export function createTurns(services: Pick<Services, 'database' | 'pool' | 'log'>): Turns {
  const running = new Map<string, RunningTurn>();
  const pending = new Set<Promise<unknown>>();
  const queues = new Map<string, (() => void)[]>();
  let closed = false;

  const release = (key: string) => {
    const queue = queues.get(key) ?? [];
    queue.shift();
    if (queue.length === 0) queues.delete(key);
    queue[0]?.();
  };
  const allSettled = async () => {
    const all = () => [...[...running.values()].map(({ done }) => done), ...pending];
    for (let work = all(); work.length > 0; work = all()) await Promise.allSettled(work);
  };
  const waitAtMost = (ms: number) => Promise.race([allSettled(), sleep(ms, undefined, { ref: false })]);

  return {
    add(id, turn) {
      if (closed) throw leaving();
      running.set(id, turn);
      const remove = () => void running.delete(id);
      turn.done.then(remove, remove);
    },
    find: (id) => running.get(id),
    get running() {
      return running.size;
    },
    watch: createHeartbeat(services),
    follow: createFollow(services),
    writeParts: createPartsWriter(services.pool),
    waitUntil(work) {
      pending.add(work);
      const remove = () => void pending.delete(work);
      work.then(remove, remove);
    },
    async waitForConversation(key, timeoutMs) {
      const queue = queues.get(key) ?? [];
      queues.set(key, queue);
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          queue.splice(queue.indexOf(proceed), 1);
          reject(busy());
        }, timeoutMs);
        const proceed = () => {
          clearTimeout(timer);
          resolve();
        };
        queue.push(proceed);
        if (queue.length === 1) proceed();
      });
      return () => release(key);
    },
    async close(graceMs) {
      await waitAtMost(graceMs);
      closed = true;
      for (const turn of running.values()) turn.abort('leaving');
      await waitAtMost(abortGraceMs);
    },
  };
}

/** Polling interval in milliseconds; one query serves all readers of this process. */
const pollIntervalMs = 40;

type Reader = StreamPosition & { notify(update: TurnUpdate | null): void };

/** Creates the function that waits for the next events of a turn that another replica runs. */
function createFollow({ database, log }: Pick<Services, 'database' | 'log'>): Follow {
  const poll = async (readers: Reader[]): Promise<void> => {
    const streams = await readStreams(database, readers);
    for (const [index, reader] of readers.entries()) {
      const update = streams[index] ?? null;
      if (update && update.state === 'open' && update.events.length === 0 && update.alive) continue;
      poller.remove(reader);
      reader.notify(update);
    }
  };
  const poller = createPoller({ intervalMs: pollIntervalMs, eager: true, poll, log });
  return (position) => new Promise((notify) => poller.add({ ...position, notify }));
}
