import { LRUCache } from 'lru-cache';
import type { Transaction } from '../../database/client.ts';
import type { Language } from '../../text/language.ts';
import type { QueryWord } from '../../text/lexemes.ts';
import { analyzeContent, mostFrequent, readContent } from '../analysis.ts';
import { cachesByDatabase } from '../block-cache.ts';
import { type Analyzed, type Block, encodePostings, type Run, readBlocks, readGone } from '../postings.ts';
import type { Evidence } from '../rank.ts';
import { newestFirst, searchableText } from './texts.ts';

type Queries = Pick<Transaction, '$queryRawUnsafe'>;

/** The maximum number of unindexed messages that a search reads, newest first. A longer backlog does not last. */
const maxWaiting = 2_000;

type UnindexedMessage = { id: string; text: string };
/**
 * What the index and the unindexed messages contain of the words. `waiting`: the ids of the messages at the positions
 * of `waitingSegment`.
 */
type MessageEvidence = Evidence & { waiting: string[] };
/** The segment number of unindexed messages; other segments are numbered by their first message. */
export const waitingSegment = Number.MAX_SAFE_INTEGER;

type Row = { term: string | null; packed: string | null; waiting: UnindexedMessage[] | null };

const cacheOf = cachesByDatabase();

/** Reads everything in one statement, hence one snapshot; cached blocks are not sent again. */
export async function readMessageEvidence(
  database: Queries,
  workspaceId: string,
  words: QueryWord[],
): Promise<MessageEvidence> {
  const terms = [...new Set(words.flatMap((word) => word.terms))];
  const cache = cacheOf(database);
  const cachedBlocks = new Map(terms.map((term) => [term, cache.get(workspaceId, term)]));
  const cachedRuns = [...cachedBlocks].flatMap(([term, blocks]) => blocks.map(({ run }) => ({ term, run })));
  const rows = await database.$queryRawUnsafe<Row[]>(
    `WITH part AS MATERIALIZED (
       SELECT * FROM "MessageSegment" WHERE "workspaceId" = $1 AND NOT "draft"
     )
     SELECT NULL AS term, encode(string_agg(int8send("number") || int4send(length("gone") + 16) || int4send("first")
       || int4send("size") || int4send("live") || int4send("words") || "gone", ''::bytea), 'base64') AS packed,
       (SELECT json_agg(json_build_object('id', "id", 'text', text)) FROM (
         SELECT m."id", ${searchableText} AS text FROM "Message" AS m WHERE m."workspaceId" = $1 AND m."searchNumber" IS NULL
         ${newestFirst} LIMIT ${maxWaiting}
       ) AS waiting) AS waiting
     FROM part
     UNION ALL
     SELECT sought.term, encode(string_agg(int8send("segment") || int4send(length("block")) || "block", ''::bytea)
       FILTER (WHERE "segment" IN (SELECT "number" FROM part)
         AND (sought.term, "segment") NOT IN (SELECT * FROM unnest($3::text[], $4::bigint[]))), 'base64'), NULL
     FROM unnest($2::text[]) AS sought(term) CROSS JOIN LATERAL (
       SELECT "segment", "block" FROM "MessageTerm"
       WHERE "workspaceId" = $1 AND "MessageTerm"."term" = sought.term OFFSET 0
     ) AS posting GROUP BY sought.term`,
    workspaceId,
    terms,
    cachedRuns.map(({ term }) => term),
    cachedRuns.map(({ run }) => run),
  );
  const totals = rows.find(({ term }) => term === null);
  const { runs, passages, total } = readSegments(totals?.packed ?? '');
  const numbers = new Set(runs.map(({ number }) => number));
  const found = new Map<string, Block[]>();
  for (const { term, packed } of rows) {
    if (term === null) continue;
    const loaded = packed ? readBlocks(packed) : [];
    const blocks = [...loaded, ...(cachedBlocks.get(term) ?? []).filter(({ run }) => numbers.has(run))];
    if (loaded.length > 0) cache.set(workspaceId, term, blocks);
    found.set(term, blocks);
  }
  const waiting = analyzeUnindexed((totals?.waiting ?? []).reverse());
  for (const [term, bytes] of waiting.blocks) found.set(term, [...(found.get(term) ?? []), { run: 0, bytes }]);
  return {
    passages: passages + waiting.ids.length,
    averageWords: (total + waiting.words) / (passages + waiting.ids.length) || 1,
    runs: waiting.run ? [...runs, waiting.run] : runs,
    words: words.map((word) => ({
      weight: word.weight,
      blocks: word.terms.flatMap((term) => found.get(term) ?? []),
      elsewhere: 0,
    })),
    waiting: waiting.ids,
  };
}

function readSegments(packed: string): { runs: Run[]; passages: number; total: number } {
  let [passages, total] = [0, 0];
  const runs = readBlocks(packed).map(({ run: number, bytes }): Run => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const [first, size] = [view.getInt32(0), view.getInt32(4)];
    passages += view.getInt32(8);
    total += view.getInt32(12);
    const segment = { number: first, start: 0, size, wanted: true, gone: readGone(bytes.subarray(16)) };
    return { number, size, segments: [segment] };
  });
  return { runs, passages, total };
}

/** Analyzed unindexed messages: most of them are still there at the next search. */
const read = new LRUCache<string, { text: string; content: ReturnType<typeof readContent> }>({
  maxSize: 16 * 2 ** 20,
  maxEntrySize: 2 ** 20,
  sizeCalculation: ({ text }) => 500 + 10 * text.length,
});

function contentOf({ id, text }: UnindexedMessage) {
  const cachedRuns = read.get(id);
  if (cachedRuns?.text === text) return cachedRuns.content;
  const content = readContent({ text, place: {} });
  read.set(id, { text, content });
  return content;
}

/** Builds the postings of unindexed messages as the index would: those of a segment with the number 0. */
function analyzeUnindexed(waiting: UnindexedMessage[]) {
  const contents = waiting.map(contentOf);
  const prevailing: Language = mostFrequent(contents.map(({ language }) => language));
  const analyzed: Analyzed[] = contents.map((content) => analyzeContent(content, content.language ?? prevailing));
  const { terms, sizes, blocks } = encodePostings(analyzed);
  let end = 0;
  const segment = { number: waitingSegment, start: 0, size: waiting.length, wanted: true, gone: null };
  return {
    ids: waiting.map(({ id }) => id),
    words: analyzed.reduce((sum, { words }) => sum + words, 0),
    blocks: terms.map((term, index): [string, Uint8Array] => {
      const start = end;
      end += sizes[index] as number;
      return [term, blocks.subarray(start, end)];
    }),
    run: waiting.length > 0 ? { number: 0, size: waiting.length, segments: [segment] } : null,
  };
}
