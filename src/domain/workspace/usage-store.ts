import type { Database, Transaction } from '../../database/client.ts';
import type { Prisma } from '../../database/generated/prisma/client.ts';
import type { JointWrite } from '../../database/query/joint-writes.ts';
import { joinSql, sql } from '../../database/sql.ts';

/**
 * The interactions of a month (`YYYY-MM`, UTC). Without a current subscription `max` is 0 and `subscriptionId` empty.
 */
export type MonthlyUsage = { month: string; current: number; max: number; subscriptionId: string };
type Store = Pick<Database | Transaction, '$queryRaw' | '$executeRaw'>;

/** The current subscription, the newest that is active or on trial, and the workspace's limit. */
const planOf = (workspaceId: string) => sql`
  SELECT "plan"."id", COALESCE("tenant"."maxInteractions", "plan"."maxInteractions") AS "max"
  FROM "Subscription" AS "plan" JOIN "Workspace" AS "tenant" ON "tenant"."id" = "plan"."workspaceId"
  WHERE "plan"."workspaceId" = ${workspaceId} AND "plan"."status" IN ('trial', 'active')
  ORDER BY "plan"."createdAt" DESC, "plan"."id" DESC LIMIT 1`;

/** The usage of a month (`YYYY-MM`) and its limit, as one row. */
export const usageOf = (workspaceId: string, month: string) => sql`
  SELECT ${month}::text AS "month", COALESCE("used"."current", 0) AS "current", COALESCE("plan"."max", 0) AS "max",
    COALESCE("plan"."id", '') AS "subscriptionId"
  FROM (VALUES (1)) AS "one"
  LEFT JOIN (${planOf(workspaceId)}) AS "plan" ON TRUE
  LEFT JOIN "Usage" AS "used" ON "used"."workspaceId" = ${workspaceId} AND "used"."month" = ${month}`;

/** Counts an interaction of a month that has had one before, if its limit is not reached. */
const countingAnother = (workspaceId: string, month: string, now: Date, condition: Prisma.Sql) => sql`
  UPDATE "Usage" AS "used" SET "current" = "used"."current" + 1, "updatedAt" = ${now}::timestamptz
  FROM (${planOf(workspaceId)}) AS "plan"
  WHERE "used"."workspaceId" = ${workspaceId} AND "used"."month" = ${month} AND "used"."current" < "plan"."max" AND ${condition}
  RETURNING "used"."current", "plan"."max"`;

/**
 * Counts an interaction unless the month's limit is reached. The statement that counts also compares, so that
 * concurrent calls cannot exceed the limit. The row of the month stays locked until the transaction ends. `current` is
 * null if nothing was counted.
 */
export async function countInteraction(
  store: Store,
  workspaceId: string,
  month: string,
  now: Date,
): Promise<{ max: number | null; current: number | null }> {
  const [counted] = await store.$queryRaw<{ max: number; current: number }[]>(
    countingAnother(workspaceId, month, now, sql`true`),
  );
  if (counted) return counted;
  const [plan] = await store.$queryRaw<{ max: number }[]>(planOf(workspaceId));
  if (!plan || plan.max <= 0) return { max: plan?.max ?? null, current: null };
  const [first] = await store.$queryRaw<{ current: number }[]>`
    INSERT INTO "Usage" AS "used" ("workspaceId", "month", "current", "createdAt", "updatedAt")
    VALUES (${workspaceId}, ${month}, 1, ${now}, ${now})
    ON CONFLICT ("workspaceId", "month") DO UPDATE
      SET "current" = "used"."current" + 1, "updatedAt" = excluded."updatedAt"
      WHERE "used"."current" < ${plan.max}::int
    RETURNING "current"`;
  return { max: plan.max, current: first?.current ?? null };
}

/**
 * Counts an interaction if the month has had one before, its limit is not reached, nor one of `percentages` of it by
 * this interaction.
 */
export const countWithoutEvents = (
  workspaceId: string,
  month: string,
  now: Date,
  percentages: number[],
): JointWrite => ({
  statement(condition) {
    const reached = percentages.map((percent) => sql`ceil("plan"."max"::numeric * ${percent}::int / 100)`);
    const isPlain = sql`"used"."current" + 1 <> ALL (ARRAY[${joinSql(reached)}]) AND ${condition}`;
    return countingAnother(workspaceId, month, now, isPlain);
  },
});

/** Takes an interaction of a month back. */
export async function uncountInteraction(store: Store, workspaceId: string, month: string, now: Date): Promise<void> {
  await store.$executeRaw`
    UPDATE "Usage" SET "current" = "current" - 1, "updatedAt" = ${now}::timestamptz
    WHERE "workspaceId" = ${workspaceId} AND "month" = ${month} AND "current" > 0`;
}
