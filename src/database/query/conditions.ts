import type { Where } from './list.ts';

/** The condition that every row meets. */
export const everything: Where = {};
/** The one that none does. Where Prisma counts the rows of a relation, it takes an empty OR for one that all do. */
export const nothing: Where = { workspaceId: { in: [] } };

/** Rows that meet all of the conditions. Conditions that say nothing are left out: Prisma reads some of them otherwise. */
export function all(conditions: readonly Where[]): Where {
  const said = conditions.filter((condition) => condition !== everything);
  if (said.includes(nothing)) return nothing;
  return said.length > 1 ? { AND: said } : (said[0] ?? everything);
}

/** Rows that meet one of them at least. */
export function any(conditions: readonly Where[]): Where {
  if (conditions.includes(everything)) return everything;
  const possible = conditions.filter((condition) => condition !== nothing);
  return possible.length > 1 ? { OR: possible } : (possible[0] ?? nothing);
}

/** Rows that do not meet it. */
export function none(condition: Where): Where {
  if (condition === everything) return nothing;
  return condition === nothing ? everything : { NOT: condition };
}
