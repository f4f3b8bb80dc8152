import type { Transaction } from '../../database/client.ts';

type BaseKey = { workspaceId: string; id: string };

/** Derives the status and the passage count of a base from its sources. The caller holds the base's lock. */
export async function refreshBase(tx: Transaction, { workspaceId, id }: BaseKey, now: Date): Promise<void> {
  await tx.$executeRaw`
    UPDATE "Base" SET
      status = (
        SELECT CASE
          WHEN bool_or(status = 'in_progress') THEN 'in_progress'
          WHEN bool_and(status = 'failed') THEN 'failed'
          WHEN bool_or(status = 'failed') THEN 'partial'
          ELSE 'succeeded'
        END::"BaseStatus"
        FROM "Source" WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${id}
      ),
      records = (
        SELECT coalesce(sum(live), 0) FROM "PassageSegment"
        WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${id} AND draft IS NULL
      ),
      "updatedAt" = ${now}
    WHERE "workspaceId" = ${workspaceId} AND id = ${id}`;
}
