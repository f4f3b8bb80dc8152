import { invalid, type ParleyError } from '../core/errors.ts';
import type { Where } from '../database/query/delegate.ts';

/** A condition that matches every row. */
export const matchAll: Where = {};
/** A condition that matches no row. Not an empty OR, which matches all rows where Prisma counts a relation. */
export const matchNone: Where = { workspaceId: { in: [] } };

/** Combines conditions by AND. Trivial conditions are dropped, since Prisma interprets some of them differently. */
export function all(conditions: readonly Where[]): Where {
  const meaningful = conditions.filter((condition) => condition !== matchAll);
  if (meaningful.includes(matchNone)) return matchNone;
  return meaningful.length > 1 ? { AND: meaningful } : (meaningful[0] ?? matchAll);
}

/** Combines conditions by OR. */
export function any(conditions: readonly Where[]): Where {
  if (conditions.includes(matchAll)) return matchAll;
  const possible = conditions.filter((condition) => condition !== matchNone);
  return possible.length > 1 ? { OR: possible } : (possible[0] ?? matchNone);
}

/**
 * 400 `invalid_request` for a condition that is null: if it were ignored, a variable that is null by mistake would find
 * every row. `instead` finds rows without a value.
 */
export const noCondition = (name: string, instead: string | null = null): ParleyError =>
  invalid(
    `${name}: null is not a condition. Leave it out${instead ? `, or find rows without a value by ${instead}` : ''}.`,
  );

/** Negates a condition. */
export function not(condition: Where): Where {
  if (condition === matchAll) return matchNone;
  return condition === matchNone ? matchAll : { NOT: condition };
}
