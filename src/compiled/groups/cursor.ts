import { invalid } from '../../core/errors.ts';
import type { Grouping, GroupKey, GroupPlace } from '../../database/query/group.ts';
import type { ListRule } from '../../database/query/list.ts';
import { type ListArguments, sealOf } from '../../database/query/pagination.ts';

/** What a cursor is bound to, as the text before and after the keys of the outer groups. */
export function boundOf(
  { rule, args }: { rule: ListRule; args: ListArguments },
  { keys, order }: Pick<Grouping, 'keys' | 'order'>,
): { before: string; after: string } {
  const by = order.by === 'keys' ? order.by : order.by.id;
  const list = [rule.model, args.filter ?? null, args.search ?? null];
  const written = [keys.map(({ id }) => id), by, order.direction].map((part) => JSON.stringify(part));
  return { before: `[${JSON.stringify(list).slice(0, -1)},`, after: `],${written.join(',')}]` };
}

/** Returns the seal of cursors of groups within outer groups of these keys. */
export const sealOfGroups = ({ before, after }: ReturnType<typeof boundOf>, places: readonly string[][]): string =>
  sealOf(`${before}${JSON.stringify(places)}${after}`);

/** Returns the cursor of a group: the JSON `[seal, sort value, keys]` in base64url. */
export const writeGroupCursor = (seal: string, { value, keys }: GroupPlace): string =>
  Buffer.from(JSON.stringify([seal, value, keys])).toString('base64url');

/** Decodes a cursor. Throws 400 `invalid_request` if it is malformed, or belongs to another list, grouping or order. */
export function readGroupCursor(cursor: string, seal: string, keys: readonly GroupKey[]): GroupPlace {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    parts = null;
  }
  const [of, value, places] = Array.isArray(parts) && parts.length === 3 ? parts : [];
  if (typeof of === 'string' && of.length === seal.length && of !== seal) {
    throw invalid(
      'after: this cursor is from other groups, or another order, filter or search. Start again without it.',
    );
  }
  const isPlace =
    Array.isArray(places) && places.length === keys.length && keys.every((key, at) => fits(key, places[at]));
  if (of !== seal || !isPlace || (value !== null && !isNumber(value))) {
    throw invalid('after: is not a valid cursor. Pass the cursor of an edge, or endCursor, unchanged.');
  }
  return { value, keys: places };
}

const fits = ({ kind }: GroupKey, place: unknown): boolean =>
  typeof place === 'string' && (kind === 'span' ? isLocal.test(place) : !place.includes('\0'));

const isLocal =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$|^\d{4}-\d\d-(29|30|31)T00:00:00$/;
const isNumber = (value: unknown): value is string =>
  typeof value === 'string' && value.length < 400 && /^-?\d+(\.\d+)?$/.test(value);
