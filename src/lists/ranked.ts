import type { Database } from '../database/client.ts';
import type { Candidates, Hit, RankedMatches } from '../search/types.ts';

/** How rows of a list are found by their messages: `column` of a message identifies the row. */
export type RankedSearch = {
  column: 'id' | 'conversationId';
  find: (database: Database, workspaceId: string, text: string) => Promise<RankedMatches>;
};

/** Returns a value's placeholder in a statement. */
type BindParameter = (value: unknown, type: string) => string;

/** A condition that a column's value is in a subquery. Only compiled statements support it. */
export class OneOf {
  readonly statement: (bind: BindParameter) => string;

  constructor(statement: (bind: BindParameter) => string) {
    this.statement = statement;
  }
}

/** The messages of hits: by number if they are indexed, otherwise by id. */
export const candidatesOf = (hits: Hit[]): Candidates => ({
  ids: hits.flatMap(({ id }) => id ?? []),
  numbers: Int32Array.from(hits.flatMap(({ number }) => number ?? [])),
});

/** Up to this many numbers are looked up by index; above it a bitmap is used. */
const maxLookedUp = 5_000;

/** SQL condition that a message of the table `alias` is among the candidates. */
export function isAmong(alias: string, workspaceId: string, { ids, numbers }: Candidates, bind: BindParameter): string {
  const column = `${alias}."searchNumber"`;
  const within = `${alias}."workspaceId" = ${bind(workspaceId, 'text')}`;
  const numbered =
    numbers.length <= maxLookedUp
      ? `${column} = ANY(${bind([...numbers], 'int[]')})`
      : bitOf(column, bitsOf(numbers), bind);
  return `${within} AND (${numbered}${ids.length > 0 ? ` OR ${alias}."id" = ANY(${bind(ids, 'text[]')})` : ''})`;
}

function bitOf(column: string, bits: Buffer, bind: BindParameter): string {
  // A number may have been assigned since, beyond the bitmap.
  return `CASE WHEN ${column} < ${8 * bits.length} THEN get_bit(${bind(bits, 'bytea')}, ${column}) = 1 ELSE false END`;
}

/** A bitmap of the numbers, least significant bit first, like `get_bit`. */
function bitsOf(numbers: Int32Array): Buffer {
  let max = 0;
  for (const number of numbers) max = Math.max(max, number);
  const bits = Buffer.alloc((max >> 3) + 1);
  for (const number of numbers) bits[number >> 3] = (bits[number >> 3] as number) | (1 << (number & 7));
  return bits;
}
