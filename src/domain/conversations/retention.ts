import type { Services } from '../../context.ts';
import { newId } from '../../database/ids.ts';

type Store = Pick<Services, 'database' | 'now'>;
/** The days that an agent's data is kept; without a number, for ever. */
type AgentRetention = {
  workspaceId: string;
  agentId: string;
  conversations: number | null;
  traces: number | null;
  attachments: number | null;
};

const dayMs = 24 * 3_600_000;
/** Rows that one statement deletes, so that no lock is held for long, and statements per agent and round. */
const batchSize = 100;
const maxBatches = 100;

/**
 * Deletes conversations, traces and attachments that are older than their agent or workspace keeps them, in small
 * batches. The objects of attachments are deleted later, by the sweep of files.
 */
export async function applyRetention({ database, now }: Store): Promise<void> {
  const agents = await database.$queryRaw<AgentRetention[]>`
    SELECT a."workspaceId", a."id" AS "agentId", (kept ->> 'conversations')::int AS "conversations",
      (kept ->> 'traces')::int AS "traces", (kept ->> 'attachments')::int AS "attachments"
    FROM "Agent" a LEFT JOIN "Settings" s ON s."workspaceId" = a."workspaceId",
      LATERAL (SELECT coalesce(a."retention", s."retention", '{}') AS kept) retention
    WHERE kept ?| ARRAY['conversations', 'traces', 'attachments']`;
  for (const { workspaceId, agentId, conversations, traces, attachments } of agents) {
    if (conversations !== null) {
      const before = new Date(now().getTime() - conversations * dayMs);
      await inBatches(
        () => database.$executeRaw`
          DELETE FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "id" IN (
            SELECT "id" FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "agentId" = ${agentId}
              AND "updatedAt" < ${before} AND "turnId" IS NULL
            ORDER BY "updatedAt" LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
      );
    }
    if (traces !== null) await clearTraces({ database, now }, { workspaceId, agentId, days: traces });
    if (attachments !== null) await clearAttachments({ database, now }, { workspaceId, agentId, days: attachments });
  }
}

type Expired = { workspaceId: string; agentId: string; days: number };

/** Ids begin with the time of their creation: older rows are a range of the primary key, which needs no other index. */
const firstIdAt = (time: number): string => newId('message', time).slice(0, 14);

async function clearTraces({ database, now }: Store, { workspaceId, agentId, days }: Expired): Promise<void> {
  const time = now().getTime() - days * dayMs;
  const firstId = firstIdAt(time);
  await inBatches(
    () => database.$executeRaw`
      DELETE FROM "MessageTrace" WHERE "workspaceId" = ${workspaceId} AND "messageId" IN (
        SELECT t."messageId" FROM "MessageTrace" t
        JOIN "Message" m ON m."workspaceId" = t."workspaceId" AND m."id" = t."messageId"
        JOIN "Conversation" c ON c."workspaceId" = m."workspaceId" AND c."id" = m."conversationId"
        WHERE t."workspaceId" = ${workspaceId} AND t."messageId" < ${firstId} AND c."agentId" = ${agentId} LIMIT ${batchSize})`,
  );
  await inBatches(
    () => database.$executeRaw`
      UPDATE "MessageAlternative" SET "trace" = NULL WHERE "workspaceId" = ${workspaceId} AND "id" IN (
        SELECT a."id" FROM "MessageAlternative" a
        JOIN "Conversation" c ON c."workspaceId" = a."workspaceId" AND c."id" = a."conversationId"
        WHERE a."workspaceId" = ${workspaceId} AND a."trace" IS NOT NULL AND a."createdAt" < ${new Date(time)}
          AND c."agentId" = ${agentId} LIMIT ${batchSize})`,
  );
}

async function clearAttachments({ database, now }: Store, { workspaceId, agentId, days }: Expired): Promise<void> {
  const firstId = firstIdAt(now().getTime() - days * dayMs);
  // Deleting a MessageFile makes the sweep look at its file.
  await inBatches(
    () => database.$executeRaw`
      WITH expired AS (
        SELECT DISTINCT f."messageId" FROM "MessageFile" f
        JOIN "Message" m ON m."workspaceId" = f."workspaceId" AND m."id" = f."messageId"
        JOIN "Conversation" c ON c."workspaceId" = m."workspaceId" AND c."id" = m."conversationId"
        WHERE f."workspaceId" = ${workspaceId} AND f."messageId" < ${firstId} AND c."agentId" = ${agentId} LIMIT ${batchSize}
      ), cleared AS (
        UPDATE "Message" SET "attachments" = '[]'
        WHERE "workspaceId" = ${workspaceId} AND "id" IN (SELECT "messageId" FROM expired)
      )
      DELETE FROM "MessageFile" WHERE "workspaceId" = ${workspaceId} AND "messageId" IN (SELECT "messageId" FROM expired)`,
  );
}

/** Runs a statement until it finds no more rows. What is left after many batches waits for the next round. */
async function inBatches(run: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch += 1) if ((await run()) === 0) return;
}
