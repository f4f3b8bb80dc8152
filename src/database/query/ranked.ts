import type { Database } from '../client.ts';

/** A message: by its number in the search index, or by its id if it is not indexed yet. */
export type Hit = { id: string | null; number: number | null };
/** Messages in the form that statements select by. */
export type Candidates = { ids: string[]; numbers: Int32Array };
/** The messages that match a search. */
export type Found = {
  total: number;
  /** The best matches, best first. */
  best(limit: number): Hit[];
  all(): Candidates;
  /** The score of a message; null if it does not match. Comparable within one search. */
  scoreOf(message: Hit): number | null;
};

/** How rows of a list are found by their messages: `column` of a message identifies the row. */
export type RankedSearch = {
  column: 'id' | 'conversationId';
  find: (database: Database, workspaceId: string, text: string) => Promise<Found>;
};

/** Returns a value's placeholder in a statement. */
type Place = (value: unknown, type: string) => string;

/** A condition that a column's value is in a subquery. Only compiled statements support it. */
export class OneOf {
  readonly statement: (place: Place) => string;

  constructor(statement: (place: Place) => string) {
    this.statement = statement;
  }
}

export const candidatesOf = (hits: Hit[]): Candidates => ({
  ids: hits.flatMap(({ id }) => id ?? []),
  numbers: Int32Array.from(hits.flatMap(({ number }) => number ?? [])),
});

/** Up to this many numbers are looked up by index; above it a bitmap is used. */
const mostLookedUp = 5_000;

/** SQL condition that a message of the table `alias` is among the candidates. */
export function isAmong(alias: string, workspaceId: string, { ids, numbers }: Candidates, place: Place): string {
  const column = `${alias}."searchNumber"`;
  const within = `${alias}."workspaceId" = ${place(workspaceId, 'text')}`;
  const numbered =
    numbers.length <= mostLookedUp
      ? `${column} = ANY(${place([...numbers], 'int[]')})`
      : bitOf(column, bitsOf(numbers), place);
  return `${within} AND (${numbered}${ids.length > 0 ? ` OR ${alias}."id" = ANY(${place(ids, 'text[]')})` : ''})`;
}

function bitOf(column: string, bits: Buffer, place: Place): string {
  // A number may have been assigned since, beyond the bitmap.
  return `CASE WHEN ${column} < ${8 * bits.length} THEN get_bit(${place(bits, 'bytea')}, ${column}) = 1 ELSE false END`;
}

/** A bitmap of the numbers, least significant bit first, like `get_bit`. */
function bitsOf(numbers: Int32Array): Buffer {
  let most = 0;
  for (const number of numbers) most = Math.max(most, number);
  const bits = Buffer.alloc((most >> 3) + 1);
  for (const number of numbers) bits[number >> 3] = (bits[number >> 3] as number) | (1 << (number & 7));
  return bits;
}
