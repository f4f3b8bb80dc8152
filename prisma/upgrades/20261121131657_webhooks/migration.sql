-- CreateEnum
CREATE TYPE "WebhookEvent" AS ENUM ('message_created', 'conversation_created', 'conversation_updated', 'lead_created', 'lead_updated', 'lead_removed', 'source_succeeded', 'source_failed', 'usage_threshold', 'ping');

-- CreateEnum
CREATE TYPE "WebhookDeliveryStatus" AS ENUM ('pending', 'succeeded', 'failed');

-- CreateTable
CREATE TABLE "Webhook" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "events" "WebhookEvent"[] DEFAULT ARRAY[]::"WebhookEvent"[],
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabledReason" TEXT,
    "failingSince" TIMESTAMPTZ(3),
    "secretCipher" TEXT NOT NULL,
    "previousSecretCipher" TEXT,
    "previousSecretUntil" TIMESTAMPTZ(3),
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "WebhookDelivery" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "webhookId" TEXT NOT NULL,
    "eventId" TEXT NOT NULL,
    "event" "WebhookEvent" NOT NULL,
    "status" "WebhookDeliveryStatus" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claims" INTEGER NOT NULL DEFAULT 0,
    "nextAttemptAt" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "lastAttemptAt" TIMESTAMPTZ(3),
    "responseStatus" INTEGER,
    "error" TEXT,
    "durationMs" INTEGER,
    "body" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "WebhookDelivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Webhook_workspaceId_createdAt_id_idx" ON "Webhook"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Webhook_workspaceId_id_key" ON "Webhook"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "WebhookDelivery_workspaceId_createdAt_id_idx" ON "WebhookDelivery"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WebhookDelivery_workspaceId_webhookId_createdAt_id_idx" ON "WebhookDelivery"("workspaceId", "webhookId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WebhookDelivery_status_nextAttemptAt_idx" ON "WebhookDelivery"("status", "nextAttemptAt");

-- CreateIndex
CREATE UNIQUE INDEX "WebhookDelivery_workspaceId_id_key" ON "WebhookDelivery"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "WebhookDelivery_workspaceId_eventId_webhookId_key" ON "WebhookDelivery"("workspaceId", "eventId", "webhookId");

-- AddForeignKey
ALTER TABLE "Webhook" ADD CONSTRAINT "Webhook_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_workspaceId_webhookId_fkey" FOREIGN KEY ("workspaceId", "webhookId") REFERENCES "Webhook"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_workspaceId_eventId_fkey" FOREIGN KEY ("workspaceId", "eventId") REFERENCES "OutboxEvent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What happened is told by the tables themselves, so that no way of writing can forget it: an operation of the graph, a
-- statement of the lane, a turn, a job. Nothing is written in a workspace that has no webhook for it.

-- An id as the gateway makes them: src/database/ids.ts.
CREATE FUNCTION "newId"(prefix text) RETURNS text LANGUAGE sql VOLATILE AS $$
  WITH seed AS MATERIALIZED (
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time, uuid_send(gen_random_uuid()) AS random
  ), digits AS (
    SELECT place, (time >> (45 - 5 * place)) & 31 AS digit FROM seed, generate_series(0, 9) place
    UNION ALL SELECT 10 + place, get_byte(random, place) & 31 FROM seed, generate_series(0, 15) place
  )
  SELECT prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', digit::int + 1, 1), '' ORDER BY place)
  FROM digits
$$;

-- The workspace is looked for since its rows go after it when it is removed.
CREATE FUNCTION "tellEvent"(workspace text, event text, told jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM "Webhook" w JOIN "Workspace" s ON s."id" = w."workspaceId"
    WHERE w."workspaceId" = workspace AND w."enabled"
      AND (w."events" = '{}' OR replace(event, '.', '_') = ANY (w."events"::text[]))
  ) THEN
    INSERT INTO "OutboxEvent" ("id", "workspaceId", "type", "data") VALUES ("newId"('evt'), workspace, event, told);
  END IF;
END $$;

CREATE FUNCTION "tellLead"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lead "Lead" := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM "tellEvent"(lead."workspaceId", TG_ARGV[0], jsonb_build_object('leadId', lead."id", 'agentId', lead."agentId"));
  RETURN NULL;
END $$;

CREATE TRIGGER "Lead_created" AFTER INSERT ON "Lead" FOR EACH ROW EXECUTE FUNCTION "tellLead"('lead.created');
CREATE TRIGGER "Lead_removed" AFTER DELETE ON "Lead" FOR EACH ROW EXECUTE FUNCTION "tellLead"('lead.removed');
CREATE TRIGGER "Lead_updated" AFTER UPDATE ON "Lead" FOR EACH ROW
WHEN ((OLD."name", OLD."email", OLD."phone", OLD."company", OLD."site", OLD."custom", OLD."utm", OLD."capture")
  IS DISTINCT FROM (NEW."name", NEW."email", NEW."phone", NEW."company", NEW."site", NEW."custom", NEW."utm", NEW."capture"))
EXECUTE FUNCTION "tellLead"('lead.updated');

CREATE FUNCTION "tellConversation"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told jsonb := jsonb_build_object('conversationId', NEW."id", 'agentId', NEW."agentId");
BEGIN
  IF TG_OP = 'UPDATE' THEN
    told := told || jsonb_build_object('changed', array_remove(ARRAY[
      CASE WHEN OLD."status" <> NEW."status" THEN 'status' END,
      CASE WHEN OLD."stage" <> NEW."stage" THEN 'stage' END,
      CASE WHEN OLD."leadId" IS DISTINCT FROM NEW."leadId" THEN 'leadId' END,
      CASE WHEN OLD."title" <> NEW."title" THEN 'title' END
    ], NULL));
  END IF;
  PERFORM "tellEvent"(NEW."workspaceId", TG_ARGV[0], told);
  RETURN NULL;
END $$;

-- Most changes of a conversation are that messages and turns come and go: those are told as messages, or not at all.
CREATE TRIGGER "Conversation_created" AFTER INSERT ON "Conversation" FOR EACH ROW
WHEN (NOT NEW."preview") EXECUTE FUNCTION "tellConversation"('conversation.created');
CREATE TRIGGER "Conversation_updated" AFTER UPDATE ON "Conversation" FOR EACH ROW
WHEN (NOT NEW."preview" AND (OLD."status", OLD."stage", OLD."leadId", OLD."title")
  IS DISTINCT FROM (NEW."status", NEW."stage", NEW."leadId", NEW."title"))
EXECUTE FUNCTION "tellConversation"('conversation.updated');

CREATE FUNCTION "tellMessages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM "Webhook" WHERE "enabled" AND "workspaceId" IN (SELECT "workspaceId" FROM added)) THEN
    PERFORM "tellEvent"(m."workspaceId", 'message.created', jsonb_build_object(
      'messageId', m."id", 'conversationId', c."id", 'agentId', c."agentId", 'role', m."role"))
    FROM added m JOIN "Conversation" c ON c."workspaceId" = m."workspaceId" AND c."id" = m."conversationId"
    WHERE NOT c."preview" ORDER BY m."conversationId", m."position";
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "Message_created" AFTER INSERT ON "Message"
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "tellMessages"();

CREATE FUNCTION "tellSource"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tellEvent"(NEW."workspaceId", 'source.' || NEW."status",
    jsonb_build_object('sourceId', NEW."id", 'baseId', NEW."baseId"));
  RETURN NULL;
END $$;

CREATE TRIGGER "Source_ended" AFTER UPDATE ON "Source" FOR EACH ROW
WHEN (OLD."status" = 'in_progress' AND NEW."status" <> 'in_progress') EXECUTE FUNCTION "tellSource"();

-- Every event, whoever wrote it, is on its way to the webhooks for it as soon as it is there. A webhook that is being
-- removed is waited for, so that its end is never the failure of another's write.
CREATE FUNCTION "deliverEvents"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "WebhookDelivery" ("id", "workspaceId", "webhookId", "eventId", "event")
  SELECT "newId"('dlv'), e."workspaceId", w."id", e."id", replace(e."type", '.', '_')::"WebhookEvent"
  FROM told e JOIN "Webhook" w ON w."workspaceId" = e."workspaceId"
  WHERE CASE e."type" WHEN 'ping' THEN w."id" = e."data"->>'webhookId'
    ELSE w."enabled" AND (w."events" = '{}' OR replace(e."type", '.', '_') = ANY (w."events"::text[])) END
  ORDER BY e."position"
  FOR KEY SHARE OF w;
  RETURN NULL;
END $$;

CREATE TRIGGER "OutboxEvent_delivered" AFTER INSERT ON "OutboxEvent"
REFERENCING NEW TABLE AS told FOR EACH STATEMENT EXECUTE FUNCTION "deliverEvents"();
