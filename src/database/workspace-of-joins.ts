import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { LRUCache } from 'lru-cache';

/** By statement: Prisma writes the same texts again and again. */
const known = new LRUCache<string, string>({ max: 1_000 });

/** Longer statements have long lists of ids, and do not come again. */
const maxLength = 100_000;
const joins = /"(?:workspaceId|id)" = "\w+"\."|"\) = \("/;

/** Where a statement of Prisma says which workspace's rows it reads, and the parameter that names it. */
const root = /WHERE \(*(?:"t0"\."\w+" = \$\d+ AND )*"t0"\."workspaceId" = (\$\d+)/g;
/** Of the tables without `workspaceId`. A user is read as a member of the viewer's workspace, and so is all below. */
const rootsOf: Record<string, RegExp> = {
  Workspace: /WHERE \(*"t0"\."id" = (\$\d+)/g,
  User: /EXISTS\(SELECT "t1"\."userId" FROM "public"\."Membership" AS "t1" WHERE \(*"t1"\."workspaceId" = (\$\d+) AND/g,
};
/** Pairs of columns by which Prisma relates two tables. Only `Workspace` is related by its `id` to a workspace. */
const pair = /"\w+"\."(?:workspaceId" = ("\w+"\."(?:workspaceId|id)")|id" = ("\w+"\."workspaceId"))/g;
const pairsOfTwo = /\(("\w+"\."workspaceId"),"\w+"\."\w+"\) = \(("\w+"\."workspaceId"),"\w+"\."\w+"\)/g;

/**
 * Makes the joins of a statement that Prisma has written name the workspace by the parameter, too, if it reads one
 * workspace: Citus does not find the node of a table that names it as the column of another only. The result is the
 * same, and so are PostgreSQL's plans, which derive this condition by themselves where they can.
 */
function nameWorkspaceInJoins(sql: string): string {
  if (!sql.startsWith('SELECT') || !joins.test(sql) || sql.length > maxLength) return sql;
  const before = known.get(sql);
  if (before !== undefined) return before;
  const after = rewritten(sql);
  known.set(sql, after);
  return after;
}

function rewritten(sql: string): string {
  const table = /FROM "public"\."(\w+)" AS "t0"/.exec(sql)?.[1] ?? '';
  const last = [...sql.matchAll(rootsOf[table] ?? root)].at(-1);
  const parameter = last?.[1];
  if (!last || !parameter || isAlternative(sql, last.index + last[0].length)) return sql;
  return sql
    .replaceAll(pair, (whole, column, other) => `(${whole} AND ${column ?? other} = ${parameter})`)
    .replaceAll(pairsOfTwo, (whole, one, other) => `(${whole} AND ${one} = ${parameter} AND ${other} = ${parameter})`);
}

/** Whether the condition that ends at a position is one of several of which one must hold. */
function isAlternative(sql: string, offset: number): boolean {
  let depth = 0;
  let outermost = 0;
  for (const [token] of sql.slice(offset).matchAll(/[()]| OR /g)) {
    if (token === '(') depth += 1;
    else if (token === ')') outermost = Math.min(outermost, --depth);
    else if (depth === outermost) return true;
  }
  return false;
}

/** Sends the statements of a connection or transaction with the workspace in their joins. */
export function withWorkspaceInJoins<Queryable extends SqlQueryable>(queryable: Queryable): Queryable {
  const query = queryable.queryRaw.bind(queryable);
  return Object.assign(queryable, {
    queryRaw: ((statement) => query({ ...statement, sql: nameWorkspaceInJoins(statement.sql) })) as typeof query,
  });
}
