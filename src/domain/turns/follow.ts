import type { Services } from '../../context.ts';
import { createPoller } from '../shared/poller.ts';
import { readStreams } from './stream-store.ts';
import type { Follow, StreamPosition, TurnUpdate } from './types.ts';

/** Polling interval in milliseconds; one query serves all readers of this process. */
const lookMs = 40;

type Reader = StreamPosition & { tell(news: TurnUpdate | null): void };

export function createFollow({ database, log }: Pick<Services, 'database' | 'log'>): Follow {
  const look = async (readers: Reader[]): Promise<void> => {
    const found = await readStreams(database, readers);
    for (const [index, reader] of readers.entries()) {
      const news = found[index] ?? null;
      if (news && news.state === 'open' && news.events.length === 0 && news.alive) continue;
      rounds.remove(reader);
      reader.tell(news);
    }
  };
  const rounds = createPoller({ everyMs: lookMs, eager: true, look, log });
  return (place) => new Promise((tell) => rounds.add({ ...place, tell }));
}
