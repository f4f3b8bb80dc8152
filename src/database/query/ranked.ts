import type { Database } from '../client.ts';

/** A message: by its number in the search index, or by its id while it waits to be indexed. */
export type Hit = { id: string | null; number: number | null };
/** Messages as a statement looks for them. */
export type Candidates = { ids: string[]; numbers: Int32Array };
/** The messages that hold what is searched for. */
export type Found = {
  total: number;
  /** The best of them, best first. */
  best(limit: number): Hit[];
  all(): Candidates;
  /** How well a message fits; null where it is none of them. Compares within one search. */
  scoreOf(message: Hit): number | null;
};

/** How rows of a list are found by the words of messages: `column` of a message says of which row it is. */
export type RankedSearch = {
  column: 'id' | 'conversationId';
  find: (database: Database, workspaceId: string, text: string) => Promise<Found>;
};

/** A value's placeholder in a statement. */
type Place = (value: unknown, type: string) => string;

/** What a column is one of: the values that a statement of its own answers. Only a statement that is written knows it. */
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

/** A list of so many numbers is looked up by the index; more are told by a bit for each number that there is. */
const mostLookedUp = 5_000;

/** The condition that a message of the table `alias` is among candidates. */
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
  // A number may have been given since, behind all that were known.
  return `CASE WHEN ${column} < ${8 * bits.length} THEN get_bit(${place(bits, 'bytea')}, ${column}) = 1 ELSE false END`;
}

/** A bit for each number, the lowest of a byte first, as `get_bit` counts them. */
function bitsOf(numbers: Int32Array): Buffer {
  let most = 0;
  for (const number of numbers) most = Math.max(most, number);
  const bits = Buffer.alloc((most >> 3) + 1);
  for (const number of numbers) bits[number >> 3] = (bits[number >> 3] as number) | (1 << (number & 7));
  return bits;
}
