import { LRUCache } from 'lru-cache';
import type { Transaction } from '../../database/client.ts';
import { sql } from '../../database/sql.ts';
import type { Language } from '../../text/language.ts';
import type { QueryWord } from '../../text/lexemes.ts';
import { analyzeContent, mostFrequent, readContent } from '../analysis.ts';
import { readEvidence } from '../evidence.ts';
import { type Analyzed, type Block, encodePostings } from '../postings.ts';
import type { Evidence } from '../rank.ts';
import { messageIndex as index } from '../word-index.ts';
import { type MessageText, messageTexts, newestUnindexed } from './texts.ts';

/** The maximum number of unindexed messages that a search reads, newest first. A longer backlog does not last. */
const maxWaiting = 2_000;

/**
 * What the index and the unindexed messages contain of the words. `waiting`: the ids of the messages at the positions
 * of `waitingSegment`.
 */
type MessageEvidence = Evidence & { waiting: string[] };
/** The segment number of unindexed messages; other segments are numbered by their first message. */
export const waitingSegment = Number.MAX_SAFE_INTEGER;

export async function readMessageEvidence(
  database: Pick<Transaction, '$queryRaw'>,
  workspaceId: string,
  words: QueryWord[],
): Promise<MessageEvidence> {
  const tables = sql`part AS MATERIALIZED (
      SELECT "number" AS run, "first"::bigint AS "number", 0 AS "start", "size", "live", "words", "gone", true AS wanted,
        ''::bytea AS barred
      FROM "MessageSegment" WHERE "workspaceId" = ${workspaceId} AND NOT "draft"
    ), run AS MATERIALIZED (SELECT run AS number, "size", true AS sent FROM part)`;
  const unindexed = messageTexts(workspaceId, newestUnindexed(maxWaiting));
  const also = sql`(SELECT json_agg(waiting) FROM (${unindexed}) AS waiting)`;
  const read = await readEvidence(database, { index, workspaceId, tables, also }, words);
  const waiting = analyzeUnindexed(((read.also ?? []) as MessageText[]).reverse());
  const passages = read.passages + waiting.ids.length;
  return {
    passages,
    averageWords: (read.totalWords + waiting.words) / passages || 1,
    runs: [...read.runs, ...waiting.runs],
    words: read.words.map((word, at) => ({
      ...word,
      blocks: [...word.blocks, ...waiting.blocksOf(words[at] as QueryWord)],
    })),
    waiting: waiting.ids,
  };
}

/** Unindexed messages that were read: most of them are still there at the next search. */
const known = new LRUCache<string, { text: string; content: ReturnType<typeof readContent> }>({
  maxSize: 16 * 2 ** 20,
  maxEntrySize: 2 ** 20,
  sizeCalculation: ({ text }) => 500 + 10 * text.length,
});

function contentOf({ id, text }: MessageText) {
  const held = known.get(id);
  if (held?.text === text) return held.content;
  const content = readContent({ text, place: {} });
  known.set(id, { text, content });
  return content;
}

/** Builds the postings of unindexed messages as the index would: those of a segment with the number 0. */
function analyzeUnindexed(waiting: MessageText[]) {
  const contents = waiting.map(contentOf);
  const prevailing: Language = mostFrequent(contents.map(({ language }) => language));
  const analyzed: Analyzed[] = contents.map((content) => analyzeContent(content, content.language ?? prevailing));
  const { terms, sizes, blocks } = encodePostings(analyzed);
  let end = 0;
  const blockOf = new Map(terms.map((term, at) => [term, blocks.subarray(end, (end += sizes[at] as number))]));
  const segment = { number: waitingSegment, start: 0, size: waiting.length, wanted: true, gone: null };
  return {
    ids: waiting.map(({ id }) => id),
    words: analyzed.reduce((sum, { words }) => sum + words, 0),
    runs: waiting.length > 0 ? [{ number: 0, size: waiting.length, segments: [segment] }] : [],
    blocksOf: ({ terms }: QueryWord): Block[] =>
      terms.flatMap((term) => {
        const bytes = blockOf.get(term);
        return bytes ? [{ run: 0, bytes }] : [];
      }),
  };
}
