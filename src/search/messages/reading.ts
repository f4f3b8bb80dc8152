import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../database/client.ts';
import { type AnalyzedContent, analyze } from '../analysis.ts';
import { encodePostings, type Moved } from '../postings.ts';
import { searchableText } from './texts.ts';

/** Messages read per step. */
const atOnce = 1_000;

/**
 * Reanalyzes the messages of a segment; returns their postings and the number of words. Rests after each step for as
 * long as it took: after an upgrade, all messages are read.
 */
export async function reanalyze(
  database: Database,
  workspaceId: string,
  { first, size }: { first: number; size: number },
  signal?: AbortSignal,
): Promise<{ read: Moved[]; words: number }> {
  const read: Moved[] = [];
  let words = 0;
  for (let start = 0; start < size; start += atOnce) {
    signal?.throwIfAborted();
    const started = performance.now();
    const count = Math.min(atOnce, size - start);
    const messages = await database.$queryRawUnsafe<{ number: number; text: string }[]>(
      `SELECT m."searchNumber" AS number, ${searchableText} AS text FROM "Message" AS m
       WHERE m."workspaceId" = $1 AND m."searchNumber" >= $2::int AND m."searchNumber" < $3::int`,
      workspaceId,
      first + start,
      first + start + count,
    );
    const analyzed = await analyze(messages.map(({ text }) => ({ text, place: {} })));
    const slots = Array.from({ length: count }, (): Pick<AnalyzedContent, 'terms' | 'words'> => nothing);
    for (const [index, { number }] of messages.entries()) slots[number - first - start] = analyzed[index] ?? nothing;
    words += analyzed.reduce((sum, message) => sum + message.words, 0);
    read.push({ postings: encodePostings(slots), moves: [{ from: 0, size: count, start }] });
    await setTimeout(performance.now() - started, undefined, { signal });
  }
  return { read, words };
}

const nothing = { terms: new Map<string, number>(), words: 0 };
