import type { Turn } from '../database/generated/prisma/client.ts';
import type { Services } from '../services.ts';
import { createRounds } from './rounds.ts';
import type { TurnEvent } from './turn-parts.ts';
import { type Place, readStreams } from './turn-stream-store.ts';

/** How often a process looks for what others write, for all of its readers at once, in milliseconds. */
const lookMs = 40;

/** What is new of a turn that another process works on: events behind a place, or that it has ended or may be dead. */
type News = { state: Turn['state']; alive: boolean; events: TurnEvent[] };
/** Waits for news of a turn behind a place of its stream; null: there is no such turn any more. */
export type Follow = (place: Place) => Promise<News | null>;

type Reader = Place & { tell(news: News | null): void };

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
  const rounds = createRounds({ everyMs: lookMs, eager: true, look, log });
  return (place) => new Promise((tell) => rounds.add({ ...place, tell }));
}
