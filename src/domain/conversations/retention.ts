import type { Services } from '../../context.ts';
import { newId } from '../../database/ids.ts';
import { inBatches, inPieces } from '../../database/upkeep/batches.ts';

type Store = Pick<Services, 'database' | 'now'>;
/** The days that an agent's data is kept; without a number, for ever. */
type Kept = { conversations: number | null; traces: number | null; attachments: number | null };
type AgentRetention = Kept & { workspaceId: string; agentId: string };

const dayMs = 24 * 3_600_000;
/** Rows that one statement reads to find those that have expired. */
const pieceSize = 500;
/** Conversations that one statement deletes, and how many messages with them. */
const conversationsAtOnce = 100;
const messagesAtOnce = 500;

/**
 * Deletes conversations, traces and attachments that are older than their agent or workspace keeps them, in small
 * steps. The objects of attachments are deleted later, by the sweep of files.
 */
export async function applyRetention({ database, now }: Store): Promise<void> {
  const agents = await database.$queryRaw<AgentRetention[]>`
    SELECT a."workspaceId", a."id" AS "agentId", (kept ->> 'conversations')::int AS "conversations",
      (kept ->> 'traces')::int AS "traces", (kept ->> 'attachments')::int AS "attachments"
    FROM "Agent" a LEFT JOIN "Settings" s ON s."workspaceId" = a."workspaceId",
      LATERAL (SELECT coalesce(a."retention", s."retention", '{}') AS kept) retention
    WHERE kept ?| ARRAY['conversations', 'traces', 'attachments']`;
  for (const { workspaceId, agentId, conversations } of agents) {
    if (conversations === null) continue;
    const before = new Date(now().getTime() - conversations * dayMs);
    await inBatches(() => clearConversations({ database, now }, { workspaceId, agentId, before }), 1);
  }
  for (const [workspaceId, ofWorkspace] of Map.groupBy(agents, (agent) => agent.workspaceId)) {
    const traces = limitsOf(ofWorkspace, 'traces', now());
    if (traces) await clearTraces({ database, now }, workspaceId, traces);
    const attachments = limitsOf(ofWorkspace, 'attachments', now());
    if (attachments) await clearAttachments({ database, now }, workspaceId, attachments);
  }
}

type Expired = { workspaceId: string; agentId: string; before: Date };

/**
 * Deletes the oldest expired conversations of an agent, or messages of the first if it has many. Returns how many rows
 * it deleted.
 */
async function clearConversations({ database }: Store, { workspaceId, agentId, before }: Expired): Promise<number> {
  const oldest = await database.$queryRaw<{ id: string; messageCount: number }[]>`
    SELECT "id", "messageCount" FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "agentId" = ${agentId}
      AND "updatedAt" < ${before} AND "turnId" IS NULL ORDER BY "updatedAt" LIMIT ${conversationsAtOnce}`;
  if (!oldest[0]) return 0;
  let messages = 0;
  const few = oldest.filter(({ messageCount }) => (messages += messageCount) <= messagesAtOnce);
  const chosen = few.length > 0 ? few : [oldest[0]];
  if (few.length === 0) {
    const deleted = await database.$executeRaw`
      WITH held AS MATERIALIZED (
        SELECT "id" FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "id" = ${oldest[0].id}
          AND "updatedAt" < ${before} AND "turnId" IS NULL FOR UPDATE SKIP LOCKED
      ), first AS MATERIALIZED (
        SELECT "id" FROM "Message" WHERE "workspaceId" = ${workspaceId} AND "conversationId" = (SELECT "id" FROM held)
        ORDER BY "position" LIMIT ${messagesAtOnce}
      )
      DELETE FROM "Message" AS said USING first WHERE said."workspaceId" = ${workspaceId} AND said."id" = first."id"`;
    if (deleted > 0) return deleted;
  }
  return database.$executeRaw`
    DELETE FROM "Conversation" WHERE "workspaceId" = ${workspaceId}
      AND "id" = ANY (${chosen.map(({ id }) => id)}::text[]) AND "updatedAt" < ${before} AND "turnId" IS NULL`;
}

/** From when on agents keep something: a time for each, and the first id that a message may have. */
type Limits = { agentIds: string[]; times: Date[]; firstIds: string[]; last: string };

function limitsOf(agents: AgentRetention[], what: keyof Kept, now: Date): Limits | null {
  const limited = agents.flatMap(({ agentId, [what]: days }) => (days === null ? [] : [{ agentId, days }]));
  if (limited.length === 0) return null;
  const times = limited.map(({ days }) => new Date(now.getTime() - days * dayMs));
  const firstIds = times.map(firstIdAt);
  return { agentIds: limited.map(({ agentId }) => agentId), times, firstIds, last: firstIds.toSorted().at(-1) ?? '' };
}

/** Ids begin with the time of their creation: older rows are a range of the primary key, which needs no other index. */
const firstIdAt = (time: Date): string => newId('message', time.getTime()).slice(0, 14);

/** What a piece of a table ended at, for the next one. */
type Piece = [{ last: string | null; count: number }];

async function clearTraces({ database }: Store, workspaceId: string, limits: Limits): Promise<void> {
  const { agentIds, times, firstIds, last } = limits;
  await inPieces(
    (after) => database.$queryRaw<Piece>`
      WITH piece AS MATERIALIZED (
        SELECT "messageId" FROM "MessageTrace" WHERE "workspaceId" = ${workspaceId} AND "messageId" > ${after}
          AND "messageId" < ${last} ORDER BY "messageId" LIMIT ${pieceSize}
      ), gone AS (
        DELETE FROM "MessageTrace" AS trace USING piece, "Message" m, "Conversation" c,
          unnest(${agentIds}::text[], ${firstIds}::text[]) AS kept("agentId", "firstId")
        WHERE trace."workspaceId" = ${workspaceId} AND trace."messageId" = piece."messageId"
          AND m."workspaceId" = ${workspaceId} AND m."id" = piece."messageId"
          AND c."workspaceId" = ${workspaceId} AND c."id" = m."conversationId"
          AND kept."agentId" = c."agentId" AND piece."messageId" < kept."firstId"
      )
      SELECT max("messageId") AS "last", count(*)::int AS "count" FROM piece`,
    pieceSize,
  );
  await inPieces(
    (after) => database.$queryRaw<Piece>`
      WITH piece AS MATERIALIZED (
        SELECT "id", "conversationId", "createdAt", "trace" IS NULL AS "isClear" FROM "MessageAlternative"
        WHERE "workspaceId" = ${workspaceId} AND "id" > ${after} ORDER BY "id" LIMIT ${pieceSize}
      ), cleared AS (
        UPDATE "MessageAlternative" AS old SET "trace" = NULL
        FROM piece, "Conversation" c, unnest(${agentIds}::text[], ${times}::timestamptz[]) AS kept("agentId", "from")
        WHERE old."workspaceId" = ${workspaceId} AND old."id" = piece."id" AND NOT piece."isClear"
          AND c."workspaceId" = ${workspaceId} AND c."id" = piece."conversationId"
          AND kept."agentId" = c."agentId" AND piece."createdAt" < kept."from"
      )
      SELECT max("id") AS "last", count(*)::int AS "count" FROM piece`,
    pieceSize,
  );
}

/** Deleting a MessageFile makes the sweep look at its file. */
const clearAttachments = ({ database }: Store, workspaceId: string, { agentIds, firstIds, last }: Limits) =>
  inPieces(
    (after) => database.$queryRaw<Piece>`
      WITH piece AS MATERIALIZED (
        SELECT DISTINCT "messageId" FROM "MessageFile" WHERE "workspaceId" = ${workspaceId} AND "messageId" > ${after}
          AND "messageId" < ${last} ORDER BY "messageId" LIMIT ${pieceSize}
      ), expired AS MATERIALIZED (
        SELECT piece."messageId" FROM piece
        JOIN "Message" m ON m."workspaceId" = ${workspaceId} AND m."id" = piece."messageId"
        JOIN "Conversation" c ON c."workspaceId" = ${workspaceId} AND c."id" = m."conversationId"
        JOIN unnest(${agentIds}::text[], ${firstIds}::text[]) AS kept("agentId", "firstId")
          ON kept."agentId" = c."agentId" AND piece."messageId" < kept."firstId"
      ), cleared AS (
        UPDATE "Message" AS said SET "attachments" = '[]' FROM expired
        WHERE said."workspaceId" = ${workspaceId} AND said."id" = expired."messageId"
      ), gone AS (
        DELETE FROM "MessageFile" AS held USING expired
        WHERE held."workspaceId" = ${workspaceId} AND held."messageId" = expired."messageId"
      )
      SELECT max("messageId") AS "last", count(*)::int AS "count" FROM piece`,
    pieceSize,
  );
