import { invalid } from '../../core/errors.ts';
import { decodeCursor, sealOf } from '../cursors.ts';
import type { Grouping, GroupKey, GroupPosition } from '../group.ts';
import type { ListRule } from '../list.ts';
import type { ListArguments } from '../pagination.ts';

/** What a cursor is bound to, as the text before and after the keys of the outer groups. */
export type Bound = { before: string; after: string };

export function boundOf(
  { rule, args }: { rule: ListRule; args: ListArguments },
  { keys, order, having }: Pick<Grouping, 'keys' | 'order'> & { having?: object | null | undefined },
): Bound {
  const by = order.by === 'keys' ? order.by : order.by.id;
  const list = [rule.model, args.filter ?? null, args.search ?? null, ...(having ? [having] : [])];
  const written = [keys.map(({ id }) => id), by, order.direction].map((part) => JSON.stringify(part));
  return { before: `[${JSON.stringify(list).slice(0, -1)},`, after: `],${written.join(',')}]` };
}

/** Returns the seal of cursors of groups within outer groups of these keys. */
export const sealOfGroups = ({ before, after }: Bound, positions: readonly string[][]): string =>
  sealOf(`${before}${JSON.stringify(positions)}${after}`);

/** Returns the cursor of a group: the JSON `[seal, sort value, keys]` in base64url. */
export const writeGroupCursor = (seal: string, { value, keys }: GroupPosition): string =>
  Buffer.from(JSON.stringify([seal, value, keys])).toString('base64url');

/** Decodes a cursor. Throws 400 `invalid_request` if it is malformed, or belongs to another list, grouping or order. */
export function readGroupCursor(cursor: string, seal: string, keys: readonly GroupKey[]): GroupPosition {
  const [of, value, positions] = decodeCursor(cursor);
  if (typeof of === 'string' && of.length === seal.length && of !== seal) {
    throw invalid(
      'after: this cursor is from other groups, or another order, filter or search. Start again without it.',
    );
  }
  const isPosition =
    Array.isArray(positions) && positions.length === keys.length && keys.every((key, at) => fits(key, positions[at]));
  if (of !== seal || !isPosition || (value !== null && !isNumber(value))) {
    throw invalid('after: is not a valid cursor. Pass the cursor of an edge, or endCursor, unchanged.');
  }
  return { value, keys: positions };
}

function fits({ kind }: GroupKey, position: unknown): boolean {
  if (typeof position !== 'string') return false;
  if (kind === 'span') return isLocal(position);
  return kind === 'range' ? isNumber(position) || position === 'NaN' : !position.includes('\0');
}

/** Whether a text is a local time that the calendar of the database has: there is no year 0. */
function isLocal(text: string): boolean {
  const at = new Date(`${text}Z`);
  return /^(?!0000)\d{4}-/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString() === `${text}.000Z`;
}
const isNumber = (value: unknown): value is string =>
  typeof value === 'string' && value.length < 400 && /^-?\d+(\.\d+)?$/.test(value);
