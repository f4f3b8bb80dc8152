import type { Database, Transaction } from '../../database/client.ts';
import type { JointWrite } from '../../database/query/write-together.ts';
import { joinSql, sql } from '../../database/sql.ts';

/** The interactions of a month, and the current plan with its limit; null if there is none. */
export type UsageRow = { current: number; max: number | null; subscriptionId: string | null };
type Store = Pick<Database | Transaction, '$queryRaw' | '$executeRaw'>;

/** The current subscription, the newest that is active or on trial, and the workspace's limit. */
const planOf = (workspaceId: string) => sql`
  SELECT "plan"."id", COALESCE("tenant"."maxInteractions", "plan"."maxInteractions") AS "max"
  FROM "Subscription" AS "plan" JOIN "Workspace" AS "tenant" ON "tenant"."id" = "plan"."workspaceId"
  WHERE "plan"."workspaceId" = ${workspaceId} AND "plan"."status" IN ('trial', 'active')
  ORDER BY "plan"."createdAt" DESC, "plan"."id" DESC LIMIT 1`;

/** Returns the usage of a month (`YYYY-MM`) and its limit. */
export async function findUsage(store: Store, workspaceId: string, month: string): Promise<UsageRow> {
  const [row] = await store.$queryRaw<UsageRow[]>`
    SELECT COALESCE("used"."current", 0) AS "current", "plan"."max", "plan"."id" AS "subscriptionId"
    FROM (VALUES (1)) AS "one"
    LEFT JOIN (${planOf(workspaceId)}) AS "plan" ON TRUE
    LEFT JOIN "Usage" AS "used" ON "used"."workspaceId" = ${workspaceId} AND "used"."month" = ${month}`;
  return row as UsageRow;
}

/**
 * Counts an interaction unless the month's limit is reached, in one statement, so that concurrent calls cannot exceed
 * it. The row of the month stays locked until the transaction ends. `current` is null if nothing was counted.
 */
export async function countInteraction(
  store: Store,
  workspaceId: string,
  month: string,
  now: Date,
): Promise<{ max: number | null; current: number | null }> {
  const [row] = await store.$queryRaw<{ max: number | null; current: number | null }[]>`
    WITH "plan" AS (${planOf(workspaceId)}), "counted" AS (
      INSERT INTO "Usage" AS "used" ("workspaceId", "month", "current", "createdAt", "updatedAt")
      SELECT ${workspaceId}::text, ${month}::text, 1, ${now}::timestamptz, ${now}::timestamptz FROM "plan" WHERE "max" > 0
      ON CONFLICT ("workspaceId", "month") DO UPDATE
        SET "current" = "used"."current" + 1, "updatedAt" = excluded."updatedAt"
        WHERE "used"."current" < (SELECT "max" FROM "plan")
      RETURNING "current"
    )
    SELECT (SELECT "max" FROM "plan") AS "max", (SELECT "current" FROM "counted") AS "current"`;
  return row as { max: number | null; current: number | null };
}

/** Counts an interaction if the month's limit is not reached, nor one of `percentages` of it by this interaction. */
export const countingPlainly = (workspaceId: string, month: string, now: Date, percentages: number[]): JointWrite => ({
  statement(condition) {
    const isPlain = (current: ReturnType<typeof sql>) =>
      sql`${current} <> ALL (ARRAY[${joinSql(percentages.map((percent) => sql`ceil("max"::numeric * ${percent}::int / 100)`))}])`;
    return sql`
      INSERT INTO "Usage" AS "used" ("workspaceId", "month", "current", "createdAt", "updatedAt")
      SELECT ${workspaceId}::text, ${month}::text, 1, ${now}::timestamptz, ${now}::timestamptz
        FROM (${planOf(workspaceId)}) AS "plan" WHERE "max" > 0 AND ${isPlain(sql`1`)} AND ${condition}
      ON CONFLICT ("workspaceId", "month") DO UPDATE
        SET "current" = "used"."current" + 1, "updatedAt" = excluded."updatedAt"
        WHERE EXISTS (
          SELECT FROM (${planOf(workspaceId)}) AS "plan"
          WHERE "used"."current" < "max" AND ${isPlain(sql`"used"."current" + 1`)}
        )
      RETURNING "current"`;
  },
});

/** Takes an interaction of a month back. */
export async function uncountInteraction(store: Store, workspaceId: string, month: string, now: Date): Promise<void> {
  await store.$executeRaw`
    UPDATE "Usage" SET "current" = "current" - 1, "updatedAt" = ${now}::timestamptz
    WHERE "workspaceId" = ${workspaceId} AND "month" = ${month} AND "current" > 0`;
}
