import type { Services } from '../../context.ts';
import { createPoller } from '../shared/poller.ts';
import { readStreams } from './stream-store.ts';
import type { Follow, StreamPosition, TurnUpdate } from './types.ts';

/** Polling interval in milliseconds; one query serves all readers of this process. */
const pollIntervalMs = 40;

type Reader = StreamPosition & { notify(update: TurnUpdate | null): void };

/** Creates the function that waits for the next events of a turn that another replica runs. */
export function createFollow({ database, log }: Pick<Services, 'database' | 'log'>): Follow {
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
