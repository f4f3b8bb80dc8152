import type { Services } from '../../context.ts';
import { type Transaction, transact } from '../../database/client.ts';

/** Rows per transaction. */
const batchSize = 1_000;
/** How long one run may take, in milliseconds: other jobs wait for it. */
const timeLimitMs = 30_000;

type Work = (tx: Transaction, ids: string[]) => Promise<unknown>;

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
      const count = await transact(database, (tx) => fillBatch(tx, { name, table, work }));
      filled += count;
      more = count === batchSize;
    }
    if (filled > 0) log.info({ name, rows: filled }, 'Sequence numbers of older rows were backfilled');
  }
}

/** Returns how many rows it processed; 0 if all are done or another process is at work. */
async function fillBatch(
  tx: Transaction,
  { name, table, work }: { name: string; table: 'message' | 'conversation'; work: Work },
): Promise<number> {
  await tx.$executeRaw`INSERT INTO "Backfill" ("name") VALUES (${name}) ON CONFLICT DO NOTHING`;
  const [place] = await tx.$queryRaw<{ after: string; isDone: boolean }[]>`
    SELECT "after", "isDone" FROM "Backfill" WHERE "name" = ${name} FOR UPDATE SKIP LOCKED`;
  if (!place || place.isDone) return 0;
  const page = {
    where: { id: { gt: place.after } },
    orderBy: { id: 'asc' },
    take: batchSize,
    select: { id: true },
  } as const;
  const rows = table === 'message' ? await tx.message.findMany(page) : await tx.conversation.findMany(page);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await work(tx, ids);
  const isDone = ids.length < batchSize;
  await tx.backfill.update({ where: { name }, data: { after: ids.at(-1) ?? place.after, isDone } });
  return ids.length;
}

const fillMessages: Work = (tx, ids) => tx.$executeRaw`
  UPDATE "Message" m SET
    "agentId" = c."agentId",
    "channelId" = c."channelId",
    "rating" = CASE WHEN m."feedback" ->> 'rating' IN ('like', 'dislike')
      THEN (m."feedback" ->> 'rating')::"MessageRating" END,
    "model" = coalesce(n."model", CASE WHEN n."isReply" THEN m."metadata" ->> 'model' END),
    "cost" = n."cost",
    "replyTime" = n."total",
    "timeToFirstToken" = n."first" + n."retrieval"
  FROM (
    SELECT x."id", x."conversationId",
      x."createdBy" IS NULL AND (x."promptTokens" IS NULL OR x."promptTokens" > 0) AS "isReply",
      t."data" ->> 'model' AS "model",
      CASE WHEN jsonb_typeof(t."data" -> 'cost') = 'number' THEN (t."data" ->> 'cost')::double precision END AS "cost",
      CASE WHEN jsonb_typeof(t."data" -> 'totalMs') = 'number' THEN (t."data" ->> 'totalMs')::int END AS "total",
      CASE WHEN jsonb_typeof(t."data" -> 'firstTokenMs') = 'number' THEN (t."data" ->> 'firstTokenMs')::int END AS "first",
      CASE WHEN jsonb_typeof(t."data" -> 'retrievalMs') = 'number' THEN (t."data" ->> 'retrievalMs')::int END AS "retrieval"
    FROM "Message" x
    LEFT JOIN "MessageTrace" t
      ON t."workspaceId" = x."workspaceId" AND t."messageId" = x."id" AND x."role" = 'assistant'
    WHERE x."id" = ANY (${ids}) AND x."agentId" IS NULL
  ) n
  JOIN "Conversation" c ON c."id" = n."conversationId"
  WHERE m."id" = n."id"`;

const fillConversations: Work = (tx, ids) => tx.$executeRaw`
  UPDATE "Conversation" c SET
    "duration" = least(greatest(0, coalesce(round(extract(epoch FROM l."at" - c."createdAt")), 0)), 2147483647)::int,
    "handedOver" = CASE WHEN c."status" = 'waiting_human' OR c."takenOverBy" IS NOT NULL OR l."byPerson" THEN true END
  FROM (
    SELECT x."id", max(m."createdAt") AS "at", bool_or(m."createdBy" IS NOT NULL) AS "byPerson"
    FROM "Conversation" x
    LEFT JOIN "Message" m ON m."workspaceId" = x."workspaceId" AND m."conversationId" = x."id"
    WHERE x."id" = ANY (${ids}) AND x."duration" IS NULL
    GROUP BY x."id"
  ) l
  WHERE c."id" = l."id"`;

const backfills = [
  ['numbers of messages', 'message', fillMessages],
  ['numbers of conversations', 'conversation', fillConversations],
] as const satisfies [string, string, Work][];
