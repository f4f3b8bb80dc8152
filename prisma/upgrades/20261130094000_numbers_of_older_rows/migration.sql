-- Columns that were added after their rows, from the traces and messages. A job did this in small steps; no release had such
-- rows. What cannot be derived stays null, and `updatedAt` as it is. A trace may have any number.
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
    CASE WHEN jsonb_typeof(t."data" -> 'totalMs') = 'number' THEN least(round((t."data" ->> 'totalMs')::numeric), 1000000000)::int END AS "total",
    CASE WHEN jsonb_typeof(t."data" -> 'firstTokenMs') = 'number' THEN least(round((t."data" ->> 'firstTokenMs')::numeric), 1000000000)::int END AS "first",
    CASE WHEN jsonb_typeof(t."data" -> 'retrievalMs') = 'number' THEN least(round((t."data" ->> 'retrievalMs')::numeric), 1000000000)::int END AS "retrieval"
  FROM "Message" x LEFT JOIN "MessageTrace" t
    ON t."workspaceId" = x."workspaceId" AND t."messageId" = x."id" AND x."role" = 'assistant'
  WHERE x."agentId" IS NULL
) n
JOIN "Conversation" c ON c."workspaceId" = n."workspaceId" AND c."id" = n."conversationId"
WHERE m."workspaceId" = n."workspaceId" AND m."id" = n."id";

-- Tokens that no model reported were 0, which spoils an average.
UPDATE "Message" SET "promptTokens" = NULL, "completionTokens" = NULL, "cachedTokens" = NULL
WHERE "promptTokens" = 0 AND "completionTokens" = 0;

UPDATE "Conversation" c SET
  "duration" = least(greatest(0, coalesce(round(extract(epoch FROM l."at" - c."createdAt")), 0)), 2147483647)::int,
  "handedOver" = CASE WHEN c."status" = 'waiting_human' OR c."takenOverBy" IS NOT NULL OR l."byPerson" THEN true END
FROM (
  SELECT x."workspaceId", x."id", max(m."createdAt") AS "at", bool_or(m."createdBy" IS NOT NULL) AS "byPerson"
  FROM "Conversation" x LEFT JOIN "Message" m ON m."workspaceId" = x."workspaceId" AND m."conversationId" = x."id"
  WHERE x."duration" IS NULL GROUP BY x."workspaceId", x."id"
) l
WHERE c."workspaceId" = l."workspaceId" AND c."id" = l."id";

-- DropTable
DROP TABLE "Backfill";
