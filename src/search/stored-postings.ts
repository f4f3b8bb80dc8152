import type { Transaction } from '../database/client.ts';
import type { Postings } from './postings.ts';

/** Terms per statement that writes them. */
const termsAtOnce = 1_200;

/** Reads the postings of a segment or run; none if it was removed meanwhile. */
export async function readPostings(
  queries: Pick<Transaction, '$queryRawUnsafe'>,
  table: 'PassageTerm' | 'MessageTerm',
  { workspaceId, number }: { workspaceId: string; number: bigint },
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

/** Splits postings into as many as one statement writes. */
export function* batchesOf({ terms, sizes, blocks }: Postings): Generator<Postings> {
  let written = 0;
  for (let start = 0; start < terms.length; start += termsAtOnce) {
    const part = { terms: terms.slice(start, start + termsAtOnce), sizes: sizes.slice(start, start + termsAtOnce) };
    const size = part.sizes.reduce((sum, each) => sum + each, 0);
    yield { ...part, blocks: blocks.subarray(written, written + size) };
    written += size;
  }
}
