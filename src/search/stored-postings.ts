import { setImmediate as pause } from 'node:timers/promises';
import type { Transaction } from '../database/client.ts';
import type { Postings } from './postings.ts';

/** The tables of postings, and those whose rows the postings belong to. */
const owners = { PassageTerm: ['PassageSegment', 'PassageRun'], MessageTerm: ['MessageSegment'] } as const;
type PostingTable = keyof typeof owners;

/** The segment or run that postings belong to. */
type PostingOwner = { workspaceId: string; number: bigint };

/** Terms per statement that writes them. */
const termsAtOnce = 1_200;

/** Reads the postings of a segment or run; none if it was removed meanwhile. */
export async function readPostings(
  queries: Pick<Transaction, '$queryRawUnsafe'>,
  table: PostingTable,
  { workspaceId, number }: PostingOwner,
): Promise<Postings> {
  // Terms contain no spaces.
  const [row] = await queries.$queryRawUnsafe<{ terms: string | null; sizes: string; blocks: string }[]>(
    `SELECT string_agg("term", ' ') AS terms, string_agg(length("block")::text, ' ') AS sizes,
       encode(string_agg("block", ''::bytea), 'base64') AS blocks
     FROM (
       SELECT "term", "block" FROM "${table}" WHERE "workspaceId" = $1 AND "segment" = $2 ORDER BY "term"
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
export async function writePostings(
  queries: Pick<Transaction, '$executeRawUnsafe'>,
  table: PostingTable,
  { workspaceId, number }: PostingOwner,
  postings: Postings,
): Promise<void> {
  const held = owners[table].map(
    (owner) => `"held${owner}" AS MATERIALIZED (
      SELECT FROM "${owner}" WHERE "workspaceId" = $1 AND "number" = $2::bigint FOR KEY SHARE
    )`,
  );
  const isHeld = owners[table].map((owner) => `EXISTS (SELECT FROM "held${owner}")`);
  // Terms contain no spaces: parsing one string is faster than parsing an array.
  const statement = `WITH ${held.join(', ')}
    INSERT INTO "${table}" ("workspaceId", "term", "segment", "block")
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
