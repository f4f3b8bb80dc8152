import type { Services } from '../../context.ts';
import { withPauses } from '../../database/batches.ts';
import { type Transaction, transact } from '../../database/client.ts';

/** Rows per transaction: on the embedded database, requests wait for it. */
const batchSize = 250;
/** How long one run may take, in milliseconds: other jobs wait for it. */
const timeLimitMs = 30_000;

/** Fills in rows; returns how many it changed. */
type Work = (tx: Transaction, workspaceIds: string[], ids: string[]) => Promise<number>;

/**
 * Fills in columns of messages and conversations that were added after their rows, from their traces and messages,
 * oldest first and in small transactions; the next run continues where this one ends. What cannot be derived stays
 * null. `updatedAt` does not change.
 */
export async function fillInNumbers({ database, log }: Pick<Services, 'database' | 'log'>): Promise<void> {
  const end = performance.now() + timeLimitMs;
  for (const [name, table, work] of backfills) {
    let filled = 0;
    for (let more = true; more && performance.now() < end; ) {
      const { visited, changed } = await withPauses(() =>
        transact(database, (tx) => fillBatch(tx, { name, table, work })),
      );
      filled += changed;
      more = visited === batchSize;
    }
    if (filled > 0) log.info({ name, rows: filled }, 'Columns of older rows were backfilled');
  }
}

/** Returns how many rows it visited, and changed; 0 if all are done or another process is at work. */
async function fillBatch(
  tx: Transaction,
  { name, table, work }: { name: string; table: 'Message' | 'Conversation'; work: Work },
): Promise<{ visited: number; changed: number }> {
  await tx.$executeRaw`INSERT INTO "Backfill" ("name") VALUES (${name}) ON CONFLICT DO NOTHING`;
  const [progress] = await tx.$queryRaw<{ after: string; isDone: boolean }[]>`
    SELECT "after", "isDone" FROM "Backfill" WHERE "name" = ${name} FOR UPDATE SKIP LOCKED`;
  if (!progress || progress.isDone) return { visited: 0, changed: 0 };
  // Written by an older version, it is an id alone: then all rows are visited again, and those that are done stay.
  const [workspaceId = '', id = ''] = progress.after.includes(' ') ? progress.after.split(' ') : [];
  const rows = await tx.$queryRawUnsafe<{ workspaceId: string; id: string }[]>(
    `SELECT "workspaceId", "id" FROM "${table}" WHERE ("workspaceId", "id") > ($1, $2)
     ORDER BY "workspaceId", "id" LIMIT ${batchSize}`,
    workspaceId,
    id,
  );
  const last = rows.at(-1);
  const workspaceIds = rows.map((row) => row.workspaceId);
  const ids = rows.map((row) => row.id);
  const changed = last ? await work(tx, workspaceIds, ids) : 0;
  const isDone = rows.length < batchSize;
  const after = last ? `${last.workspaceId} ${last.id}` : progress.after;
  await tx.backfill.update({ where: { name }, data: { after, isDone } });
  return { visited: rows.length, changed };
}

const fillMessages: Work = (tx, workspaceIds, ids) => tx.$executeRaw`
  UPDATE "Message" m SET
    "agentId" = c."agentId",
    "channelId" = c."channelId",
    "rating" = CASE WHEN m."feedback" ->> 'rating' IN ('like', 'dislike')
      THEN (m."feedback" ->> 'rating')::"MessageRating" END,
    "model" = coalesce(n."model", CASE WHEN n."isReply" THEN m."metadata" ->> 'model' END),
    "cost" = n."cost",
    "replyTime" = n."total",
    "timeToFirstToken" = n."first" + n."retrieval",
    "promptTokens" = CASE WHEN n."isCounted" THEN m."promptTokens" END,
    "completionTokens" = CASE WHEN n."isCounted" THEN m."completionTokens" END,
    "cachedTokens" = CASE WHEN n."isCounted" THEN m."cachedTokens" END
  FROM (
    SELECT x."workspaceId", x."id", x."conversationId",
      x."createdBy" IS NULL AND (x."promptTokens" IS NULL OR x."promptTokens" > 0) AS "isReply",
      (x."promptTokens" = 0 AND x."completionTokens" = 0) IS NOT TRUE AS "isCounted",
      t."data" ->> 'model' AS "model",
      CASE WHEN jsonb_typeof(t."data" -> 'cost') = 'number' THEN (t."data" ->> 'cost')::double precision END AS "cost",
      CASE WHEN jsonb_typeof(t."data" -> 'totalMs') = 'number' THEN (t."data" ->> 'totalMs')::int END AS "total",
      CASE WHEN jsonb_typeof(t."data" -> 'firstTokenMs') = 'number' THEN (t."data" ->> 'firstTokenMs')::int END AS "first",
      CASE WHEN jsonb_typeof(t."data" -> 'retrievalMs') = 'number' THEN (t."data" ->> 'retrievalMs')::int END AS "retrieval"
    FROM unnest(${workspaceIds}::text[], ${ids}::text[]) AS given("workspaceId", "id")
    JOIN "Message" x ON x."workspaceId" = given."workspaceId" AND x."id" = given."id" AND x."agentId" IS NULL
    LEFT JOIN "MessageTrace" t
      ON t."workspaceId" = x."workspaceId" AND t."messageId" = x."id" AND x."role" = 'assistant'
  ) n
  JOIN "Conversation" c ON c."workspaceId" = n."workspaceId" AND c."id" = n."conversationId"
  WHERE m."workspaceId" = n."workspaceId" AND m."id" = n."id"`;

/**
 * Makes the tokens of messages null that no model wrote or that it reported none for: both were 0, which spoils an
 * average. Messages that `fillMessages` has still to visit are left to it: by their 0 it knows what is no reply.
 */
const clearTokens: Work = (tx, workspaceIds, ids) => tx.$executeRaw`
  UPDATE "Message" m SET "promptTokens" = NULL, "completionTokens" = NULL, "cachedTokens" = NULL
  FROM unnest(${workspaceIds}::text[], ${ids}::text[]) AS given("workspaceId", "id")
  WHERE m."workspaceId" = given."workspaceId" AND m."id" = given."id"
    AND m."agentId" IS NOT NULL AND m."promptTokens" = 0 AND m."completionTokens" = 0`;

const fillConversations: Work = (tx, workspaceIds, ids) => tx.$executeRaw`
  UPDATE "Conversation" c SET
    "duration" = least(greatest(0, coalesce(round(extract(epoch FROM l."at" - c."createdAt")), 0)), 2147483647)::int,
    "handedOver" = CASE WHEN c."status" = 'waiting_human' OR c."takenOverBy" IS NOT NULL OR l."byPerson" THEN true END
  FROM (
    SELECT x."workspaceId", x."id", max(m."createdAt") AS "at", bool_or(m."createdBy" IS NOT NULL) AS "byPerson"
    FROM unnest(${workspaceIds}::text[], ${ids}::text[]) AS given("workspaceId", "id")
    JOIN "Conversation" x ON x."workspaceId" = given."workspaceId" AND x."id" = given."id" AND x."duration" IS NULL
    LEFT JOIN "Message" m ON m."workspaceId" = x."workspaceId" AND m."conversationId" = x."id"
    GROUP BY x."workspaceId", x."id"
  ) l
  WHERE c."workspaceId" = l."workspaceId" AND c."id" = l."id"`;

const backfills = [
  ['numbers of messages', 'Message', fillMessages],
  ['tokens of messages', 'Message', clearTokens],
  ['numbers of conversations', 'Conversation', fillConversations],
] as const satisfies [string, string, Work][];
