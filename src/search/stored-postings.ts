import { setImmediate as pause } from 'node:timers/promises';
import type { Database, Transaction } from '../database/client.ts';
import { joinSql, nameSql, sql } from '../database/sql.ts';
import { type AnalyzedContent, analysisVersion } from './analysis.ts';
import { encodePostings, type Moved, mergePostings, type Postings } from './postings.ts';
import type { WordIndex } from './word-index.ts';

/** The segment or run that postings belong to. */
type PostingOwner = { workspaceId: string; number: bigint };

/** Terms per statement that writes them. */
const termsAtOnce = 1_200;

/** Inserts a segment with these columns, and returns its number. */
export async function insertSegment(
  queries: Pick<Transaction, '$queryRaw'>,
  { segments }: WordIndex,
  columns: Record<string, string | number | boolean | null>,
): Promise<bigint> {
  const [inserted] = await queries.$queryRaw<{ number: bigint }[]>`
    INSERT INTO ${nameSql(segments)} (${joinSql(Object.keys(columns).map(nameSql))})
    VALUES (${joinSql(Object.values(columns).map((value) => sql`${value}`))}) RETURNING "number"`;
  return (inserted as { number: bigint }).number;
}

/**
 * Writes the index of documents, which get the slots 0, 1, … of a new segment. `own`: its other columns. Returns its
 * number.
 */
export async function writeSegment(
  queries: Pick<Transaction, '$queryRaw' | '$executeRawUnsafe'>,
  index: WordIndex,
  own: { workspaceId: string } & Parameters<typeof insertSegment>[2],
  documents: Pick<AnalyzedContent, 'terms' | 'words'>[],
): Promise<bigint> {
  const [size, words] = [documents.length, documents.reduce((sum, document) => sum + document.words, 0)];
  const columns = { ...own, size, live: size, words, analysis: analysisVersion };
  const number = await insertSegment(queries, index, columns);
  await writePostings(queries, index, { workspaceId: own.workspaceId, number }, encodePostings(documents));
  return number;
}

/** Postings to be merged, or the number of the segment or run that has them. */
type Mergeable = { postings: Postings | bigint; moves: Moved['moves'] };

/** Merges postings into those of a segment or run, in small steps. */
export async function mergeInto(
  database: Database,
  index: WordIndex,
  owner: PostingOwner,
  parts: Mergeable[],
  signal?: AbortSignal,
): Promise<void> {
  const read: Moved[] = [];
  for (const { postings: of, moves } of parts) {
    signal?.throwIfAborted();
    const postings = typeof of === 'bigint' ? await readPostings(database, index, { ...owner, number: of }) : of;
    read.push({ postings, moves });
    await pause();
  }
  for await (const postings of mergePostings(read)) {
    signal?.throwIfAborted();
    await writePostings(database, index, owner, postings);
  }
}

/** Reads the postings of a segment or run; none if it was removed meanwhile. */
async function readPostings(
  queries: Pick<Transaction, '$queryRawUnsafe'>,
  index: WordIndex,
  { workspaceId, number }: PostingOwner,
): Promise<Postings> {
  // Terms contain no spaces.
  const [row] = await queries.$queryRawUnsafe<{ terms: string | null; sizes: string; blocks: string }[]>(
    `SELECT string_agg("term", ' ') AS terms, string_agg(length("block")::text, ' ') AS sizes,
       encode(string_agg("block", ''::bytea), 'base64') AS blocks
     FROM (
       SELECT "term", "block" FROM "${index.postings}" WHERE "workspaceId" = $1 AND "segment" = $2 ORDER BY "term"
     ) AS posting`,
    workspaceId,
    number,
  );
  if (!row?.terms) return { terms: [], sizes: [], blocks: Buffer.alloc(0) };
  return {
    terms: row.terms.split(' '),
    sizes: row.sizes.split(' ').map(Number),
    blocks: Buffer.from(row.blocks, 'base64'),
  };
}

/** Writes the postings of a segment or run. Throws if that is gone: the postings would never be removed. */
async function writePostings(
  queries: Pick<Transaction, '$executeRawUnsafe'>,
  index: WordIndex,
  { workspaceId, number }: PostingOwner,
  postings: Postings,
): Promise<void> {
  const held = index.owners.map(
    (owner) => `"held${owner}" AS MATERIALIZED (
      SELECT FROM "${owner}" WHERE "workspaceId" = $1 AND "number" = $2::bigint FOR KEY SHARE
    )`,
  );
  const isHeld = index.owners.map((owner) => `EXISTS (SELECT FROM "held${owner}")`);
  // Terms contain no spaces: parsing one string is faster than parsing an array.
  const statement = `WITH ${held.join(', ')}
    INSERT INTO "${index.postings}" ("workspaceId", "term", "segment", "block")
    SELECT $1, term, $2::bigint, substring($3::bytea FROM start + 1 FOR size)
    FROM (
      SELECT term, size, (sum(size) OVER (ORDER BY n) - size)::int AS start
      FROM unnest(string_to_array($4::text, ' '), string_to_array($5::text, ' ')::int[])
        WITH ORDINALITY AS part(term, size, n)
    ) AS part WHERE ${isHeld.join(' OR ')}`;
  for (const { terms, sizes, blocks } of batchesOf(postings)) {
    const given = [workspaceId, number, blocks, terms.join(' '), sizes.join(' ')];
    const count = await queries.$executeRawUnsafe(statement, ...given);
    if (count < terms.length) throw new Error('The segment or run whose postings were being written was removed');
    await pause();
  }
}

/** Splits postings into as many as one statement writes. */
function* batchesOf({ terms, sizes, blocks }: Postings): Generator<Postings> {
  let written = 0;
  for (let start = 0; start < terms.length; start += termsAtOnce) {
    const part = { terms: terms.slice(start, start + termsAtOnce), sizes: sizes.slice(start, start + termsAtOnce) };
    const size = part.sizes.reduce((sum, each) => sum + each, 0);
    yield { ...part, blocks: blocks.subarray(written, written + size) };
    written += size;
  }
}
