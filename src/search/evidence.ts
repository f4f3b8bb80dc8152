import type { Transaction } from '../database/client.ts';
import { nameSql, type Sql, sql } from '../database/sql.ts';
import type { QueryWord } from '../text/lexemes.ts';
import { type Block, type Run, readBlocks, readGone } from './postings.ts';
import type { Evidence } from './rank.ts';
import type { WordIndex } from './word-index.ts';

type Queries = Pick<Transaction, '$queryRaw'>;

/** What the index contains of a query's words, and the runs whose blocks, and not only their lengths, are needed. */
export type Read = Evidence & { sent: Set<number>; totalWords: number };

/**
 * What a search reads, as tables of its statement: `part`, a row per segment, with `run`, the number of what its
 * postings are stored under, and `barred`, the slots that must not be found; and `run`, whose blocks are `sent`, or
 * only counted. `also`: what else is read from the same snapshot.
 */
type Searched = { index: WordIndex; workspaceId: string; tables: Sql; also?: Sql };

/** `packed` is base64, since bytes would be converted several times on their way. */
type Row = { term: string | null; elsewhere: number; packed: string | null; also: unknown };

/** Reads all postings of the words in one statement, hence one snapshot; cached blocks are not sent again. */
export async function readEvidence(
  database: Queries,
  { also = sql`NULL`, ...searched }: Searched,
  words: QueryWord[],
): Promise<Read & { also: unknown }> {
  const head = sql`
    encode(string_agg(int8send(part.run) || int4send(length("gone") + length(barred) + 40) || int4send(run.size)
      || int4send(sent::int) || int8send(part."number") || int4send("start") || int4send(part."size") || int4send("live")
      || int4send("words") || int4send(wanted::int) || int4send(length("gone")) || "gone" || barred, ''::bytea
      ORDER BY part."number"), 'base64') AS packed, ${also} AS also
    FROM part JOIN run ON run.number = part.run`;
  const read = await readTerms(database, { ...searched, head }, words);
  const about = readRuns(read.packed ?? '');
  return { ...about, words: read.wordsOf(words, about.sent), also: read.also };
}

/**
 * Reads `head`, and in the same snapshot the postings of the words: blocks of runs that are `sent`, and of the others
 * how many documents they have.
 */
export async function readTerms(
  database: Queries,
  { index, workspaceId, tables, head }: Searched & { head: Sql },
  words: QueryWord[],
) {
  const terms = [...new Set(words.flatMap((word) => word.terms))];
  const cache = index.cacheOf(database);
  // Blocks that are cached before the statement, which therefore does not send them.
  const kept = new Map(terms.map((term) => [term, cache.get(workspaceId, term)]));
  const known = [...kept].flatMap(([term, blocks]) => blocks.map(({ run }) => ({ term, run })));
  // For complete runs that are not searched only counts are needed, which follow from the lengths of their blocks.
  // Joins with the tables are avoided, since without statistics the planner would choose nested loops.
  const rows = await database.$queryRaw<Row[]>`
    WITH ${tables} SELECT NULL AS term, 0 AS elsewhere, ${head}
    UNION ALL
    SELECT sought.term,
      coalesce(sum(length("block") / 4) FILTER (WHERE "segment" IN (SELECT number FROM run WHERE NOT sent)), 0)::int,
      encode(string_agg(int8send("segment") || int4send(length("block")) || "block", ''::bytea)
        FILTER (WHERE "segment" IN (SELECT number FROM run WHERE sent) AND (sought.term, "segment") NOT IN (
          SELECT * FROM unnest(${known.map(({ term }) => term)}::text[], ${known.map(({ run }) => run)}::bigint[])
        )), 'base64'), NULL
    FROM unnest(${terms}::text[]) AS sought(term) CROSS JOIN LATERAL (
      SELECT "segment", "block" FROM ${nameSql(index.postings)} AS held
      WHERE "workspaceId" = ${workspaceId} AND held."term" = sought.term OFFSET 0
    ) AS posting GROUP BY sought.term`;
  const found = new Map<string, { blocks: Block[]; elsewhere: number }>();
  const wordsOf = (words: QueryWord[], sent: Set<number>): Evidence['words'] => {
    for (const { term, elsewhere, packed } of rows) {
      if (term === null) continue;
      const fresh = packed ? readBlocks(packed) : [];
      const blocks = [...fresh, ...(kept.get(term) ?? []).filter(({ run }) => sent.has(run))];
      if (fresh.length > 0) cache.set(workspaceId, term, blocks);
      found.set(term, { blocks, elsewhere });
    }
    return words.map(({ terms, weight, isPair }) => {
      const held = terms.flatMap((term) => found.get(term) ?? []);
      return {
        blocks: held.flatMap(({ blocks }) => blocks),
        elsewhere: held.reduce((sum, { elsewhere }) => sum + elsewhere, 0),
        weight,
        ...(isPair && { isPair: true }),
      };
    });
  };
  const { packed, also } = rows.find(({ term }) => term === null) as Row;
  return { packed, also, wordsOf };
}

function readRuns(packed: string): Omit<Read, 'words'> {
  const runs = new Map<number, Run>();
  const sent = new Set<number>();
  let [passages, totalWords] = [0, 0];
  for (const { run: number, bytes } of readBlocks(packed)) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let run = runs.get(number);
    if (!run) runs.set(number, (run = { number, size: view.getInt32(0), segments: [] }));
    if (view.getInt32(4) === 1) sent.add(number);
    passages += view.getInt32(24);
    totalWords += view.getInt32(28);
    run.segments.push({
      number: Number(view.getBigInt64(8)),
      start: view.getInt32(16),
      size: view.getInt32(20),
      wanted: view.getInt32(32) === 1,
      gone: readGone(bytes.subarray(40, 40 + view.getInt32(36))),
      barred: readGone(bytes.subarray(40 + view.getInt32(36))),
    });
  }
  return { passages, totalWords, averageWords: totalWords / passages || 1, runs: [...runs.values()], sent };
}
