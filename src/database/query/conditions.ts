import { invalid, type ParleyError } from '../../core/errors.ts';
import type { Where } from './list.ts';

/** A condition that matches every row. */
export const everything: Where = {};
/** A condition that matches no row. Not an empty OR, which matches all rows where Prisma counts a relation. */
export const nothing: Where = { workspaceId: { in: [] } };

/** Combines conditions by AND. Trivial conditions are dropped, since Prisma interprets some of them differently. */
export function all(conditions: readonly Where[]): Where {
  const meaningful = conditions.filter((condition) => condition !== everything);
  if (meaningful.includes(nothing)) return nothing;
  return meaningful.length > 1 ? { AND: meaningful } : (meaningful[0] ?? everything);
}

/** Combines conditions by OR. */
export function any(conditions: readonly Where[]): Where {
  if (conditions.includes(everything)) return everything;
  const possible = conditions.filter((condition) => condition !== nothing);
  return possible.length > 1 ? { OR: possible } : (possible[0] ?? nothing);
}

/**
 * 400 `invalid_request` for a condition that is null: if it were ignored, a variable that is null by mistake would find
 * every row. `instead` finds rows without a value.
 */
export const noCondition = (name: string, instead: string | null = null): ParleyError =>
  invalid(
    `${name}: null is no condition. Leave it out${instead ? `, or find rows without a value by ${instead}` : ''}.`,
  );

/** Negates a condition. */
export function none(condition: Where): Where {
  if (condition === everything) return nothing;
  return condition === nothing ? everything : { NOT: condition };
}
