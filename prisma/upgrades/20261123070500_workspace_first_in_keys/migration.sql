-- Every key of a workspace's table begins with the workspace, so that the tables can be partitioned or distributed by it.

-- The unique index (workspaceId, id), which foreign keys refer to, becomes the primary key: no row is read.
ALTER TABLE "Agent" DROP CONSTRAINT "Agent_pkey", ADD CONSTRAINT "Agent_pkey" PRIMARY KEY USING INDEX "Agent_workspaceId_id_key";
ALTER TABLE "Base" DROP CONSTRAINT "Base_pkey", ADD CONSTRAINT "Base_pkey" PRIMARY KEY USING INDEX "Base_workspaceId_id_key";
ALTER TABLE "Channel" DROP CONSTRAINT "Channel_pkey", ADD CONSTRAINT "Channel_pkey" PRIMARY KEY USING INDEX "Channel_workspaceId_id_key";
ALTER TABLE "Citation" DROP CONSTRAINT "Citation_pkey", ADD CONSTRAINT "Citation_pkey" PRIMARY KEY USING INDEX "Citation_workspaceId_id_key";
ALTER TABLE "Conversation" DROP CONSTRAINT "Conversation_pkey", ADD CONSTRAINT "Conversation_pkey" PRIMARY KEY USING INDEX "Conversation_workspaceId_id_key";
ALTER TABLE "Copy" DROP CONSTRAINT "Copy_pkey", ADD CONSTRAINT "Copy_pkey" PRIMARY KEY USING INDEX "Copy_workspaceId_id_key";
ALTER TABLE "Document" DROP CONSTRAINT "Document_pkey", ADD CONSTRAINT "Document_pkey" PRIMARY KEY USING INDEX "Document_workspaceId_id_key";
ALTER TABLE "EvaluationCase" DROP CONSTRAINT "EvaluationCase_pkey", ADD CONSTRAINT "EvaluationCase_pkey" PRIMARY KEY USING INDEX "EvaluationCase_workspaceId_id_key";
ALTER TABLE "EvaluationResult" DROP CONSTRAINT "EvaluationResult_pkey", ADD CONSTRAINT "EvaluationResult_pkey" PRIMARY KEY USING INDEX "EvaluationResult_workspaceId_id_key";
ALTER TABLE "EvaluationRun" DROP CONSTRAINT "EvaluationRun_pkey", ADD CONSTRAINT "EvaluationRun_pkey" PRIMARY KEY USING INDEX "EvaluationRun_workspaceId_id_key";
ALTER TABLE "Field" DROP CONSTRAINT "Field_pkey", ADD CONSTRAINT "Field_pkey" PRIMARY KEY USING INDEX "Field_workspaceId_id_key";
ALTER TABLE "Gap" DROP CONSTRAINT "Gap_pkey", ADD CONSTRAINT "Gap_pkey" PRIMARY KEY USING INDEX "Gap_workspaceId_id_key";
ALTER TABLE "GapProposal" DROP CONSTRAINT "GapProposal_pkey", ADD CONSTRAINT "GapProposal_pkey" PRIMARY KEY USING INDEX "GapProposal_workspaceId_id_key";
ALTER TABLE "GapQuestion" DROP CONSTRAINT "GapQuestion_pkey", ADD CONSTRAINT "GapQuestion_pkey" PRIMARY KEY USING INDEX "GapQuestion_workspaceId_id_key";
ALTER TABLE "Interaction" DROP CONSTRAINT "Interaction_pkey", ADD CONSTRAINT "Interaction_pkey" PRIMARY KEY USING INDEX "Interaction_workspaceId_id_key";
ALTER TABLE "Key" DROP CONSTRAINT "Key_pkey", ADD CONSTRAINT "Key_pkey" PRIMARY KEY USING INDEX "Key_workspaceId_id_key";
ALTER TABLE "Lead" DROP CONSTRAINT "Lead_pkey", ADD CONSTRAINT "Lead_pkey" PRIMARY KEY USING INDEX "Lead_workspaceId_id_key";
ALTER TABLE "Membership" DROP CONSTRAINT "Membership_pkey", ADD CONSTRAINT "Membership_pkey" PRIMARY KEY USING INDEX "Membership_workspaceId_id_key";
ALTER TABLE "Message" DROP CONSTRAINT "Message_pkey", ADD CONSTRAINT "Message_pkey" PRIMARY KEY USING INDEX "Message_workspaceId_id_key";
ALTER TABLE "MessageSegment" DROP CONSTRAINT "MessageSegment_pkey", ADD CONSTRAINT "MessageSegment_pkey" PRIMARY KEY USING INDEX "MessageSegment_workspaceId_number_key";
ALTER TABLE "OutboxEvent" DROP CONSTRAINT "OutboxEvent_pkey", ADD CONSTRAINT "OutboxEvent_pkey" PRIMARY KEY USING INDEX "OutboxEvent_workspaceId_id_key";
ALTER TABLE "Passage" DROP CONSTRAINT "Passage_pkey", ADD CONSTRAINT "Passage_pkey" PRIMARY KEY USING INDEX "Passage_workspaceId_id_key";
ALTER TABLE "PassageSegment" DROP CONSTRAINT "PassageSegment_pkey", ADD CONSTRAINT "PassageSegment_pkey" PRIMARY KEY USING INDEX "PassageSegment_workspaceId_number_key";
ALTER TABLE "Plugin" DROP CONSTRAINT "Plugin_pkey", ADD CONSTRAINT "Plugin_pkey" PRIMARY KEY USING INDEX "Plugin_workspaceId_id_key";
ALTER TABLE "Source" DROP CONSTRAINT "Source_pkey", ADD CONSTRAINT "Source_pkey" PRIMARY KEY USING INDEX "Source_workspaceId_id_key";
ALTER TABLE "SourcePage" DROP CONSTRAINT "SourcePage_pkey", ADD CONSTRAINT "SourcePage_pkey" PRIMARY KEY USING INDEX "SourcePage_workspaceId_id_key";
ALTER TABLE "StoredFile" DROP CONSTRAINT "StoredFile_pkey", ADD CONSTRAINT "StoredFile_pkey" PRIMARY KEY USING INDEX "StoredFile_workspaceId_id_key";
ALTER TABLE "Subscription" DROP CONSTRAINT "Subscription_pkey", ADD CONSTRAINT "Subscription_pkey" PRIMARY KEY USING INDEX "Subscription_workspaceId_id_key";
ALTER TABLE "Turn" DROP CONSTRAINT "Turn_pkey", ADD CONSTRAINT "Turn_pkey" PRIMARY KEY USING INDEX "Turn_workspaceId_id_key";
ALTER TABLE "Webhook" DROP CONSTRAINT "Webhook_pkey", ADD CONSTRAINT "Webhook_pkey" PRIMARY KEY USING INDEX "Webhook_workspaceId_id_key";
ALTER TABLE "WebhookDelivery" DROP CONSTRAINT "WebhookDelivery_pkey", ADD CONSTRAINT "WebhookDelivery_pkey" PRIMARY KEY USING INDEX "WebhookDelivery_workspaceId_id_key";

-- Tables without such an index: each builds one.
ALTER TABLE "MessageAlternative" DROP CONSTRAINT "MessageAlternative_pkey", ADD CONSTRAINT "MessageAlternative_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "PassageEmbedding" DROP CONSTRAINT "PassageEmbedding_pkey", ADD CONSTRAINT "PassageEmbedding_pkey" PRIMARY KEY ("workspaceId", "passageId", "model");
ALTER TABLE "PassageRun" DROP CONSTRAINT "PassageRun_pkey", ADD CONSTRAINT "PassageRun_pkey" PRIMARY KEY ("workspaceId", "number");
ALTER TABLE "PluginGrant" DROP CONSTRAINT "PluginGrant_pkey", ADD CONSTRAINT "PluginGrant_pkey" PRIMARY KEY ("workspaceId", "stateHash");
ALTER TABLE "TurnBatch" DROP CONSTRAINT "TurnBatch_pkey", ADD CONSTRAINT "TurnBatch_pkey" PRIMARY KEY ("workspaceId", "turnId", "position");

-- A key of a request belongs to a workspace; that of a person who belongs to none yet has the empty one, which has no row.
ALTER TABLE "Idempotency" DROP CONSTRAINT "Idempotency_workspaceId_fkey";
UPDATE "Idempotency" SET "workspaceId" = '' WHERE "workspaceId" IS NULL;
ALTER TABLE "Idempotency" ALTER COLUMN "workspaceId" SET NOT NULL, ALTER COLUMN "workspaceId" SET DEFAULT '';
ALTER TABLE "Idempotency" DROP CONSTRAINT "Idempotency_pkey", ADD CONSTRAINT "Idempotency_pkey" PRIMARY KEY ("workspaceId", "caller", "key");
DROP INDEX "Idempotency_workspaceId_idx";

CREATE FUNCTION "removeKeysOfWorkspace"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "Idempotency" WHERE "workspaceId" = OLD."id";
  RETURN NULL;
END $$;

CREATE TRIGGER "Workspace_keys" AFTER DELETE ON "Workspace" FOR EACH ROW EXECUTE FUNCTION "removeKeysOfWorkspace"();

-- Secrets are found by their hash before the workspace is known: a plain index serves that, and they stay unique by their 256 random bits.
DROP INDEX "App_secretHash_key";
CREATE UNIQUE INDEX "App_workspaceId_secretHash_key" ON "App"("workspaceId", "secretHash");
CREATE INDEX "App_secretHash_idx" ON "App"("secretHash");
DROP INDEX "Channel_publishableToken_key";
CREATE UNIQUE INDEX "Channel_workspaceId_publishableToken_key" ON "Channel"("workspaceId", "publishableToken");
CREATE INDEX "Channel_publishableToken_idx" ON "Channel"("publishableToken");
DROP INDEX "Key_secretHash_key";
CREATE UNIQUE INDEX "Key_workspaceId_secretHash_key" ON "Key"("workspaceId", "secretHash");
CREATE INDEX "Key_secretHash_idx" ON "Key"("secretHash");
DROP INDEX "Membership_linkHash_key";
CREATE UNIQUE INDEX "Membership_workspaceId_linkHash_key" ON "Membership"("workspaceId", "linkHash");
CREATE INDEX "Membership_linkHash_idx" ON "Membership"("linkHash");
DROP INDEX "PluginGrant_ticketHash_key";
CREATE UNIQUE INDEX "PluginGrant_workspaceId_ticketHash_key" ON "PluginGrant"("workspaceId", "ticketHash");
CREATE INDEX "PluginGrant_ticketHash_idx" ON "PluginGrant"("ticketHash");
CREATE INDEX "PluginGrant_stateHash_idx" ON "PluginGrant"("stateHash");

-- The index of passages and messages is looked up by workspace and number.
CREATE UNIQUE INDEX "Passage_workspaceId_segment_slot_key" ON "Passage"("workspaceId", "segment", "slot");
DROP INDEX "Passage_segment_slot_key";
CREATE INDEX "PassageTerm_workspaceId_segment_idx" ON "PassageTerm"("workspaceId", "segment");
DROP INDEX "PassageTerm_segment_idx";
CREATE INDEX "MessageTerm_workspaceId_segment_idx" ON "MessageTerm"("workspaceId", "segment");
DROP INDEX "MessageTerm_segment_idx";
CREATE INDEX "PassageSegment_workspaceId_run_idx" ON "PassageSegment"("workspaceId", "run");
DROP INDEX "PassageSegment_run_idx";

-- What triggers write names the workspace, too.
CREATE OR REPLACE FUNCTION "forgetMessages"(workspace text, numbers int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('messages of ' || workspace, 0));
  -- In one order for all, so that two that remove messages of the same segments do not wait for each other.
  PERFORM 1 FROM "MessageSegment" AS part WHERE "workspaceId" = workspace AND NOT "draft" AND EXISTS (
    SELECT FROM unnest(numbers) AS gone(number) WHERE gone.number >= part."first" AND gone.number < part."first" + part."size"
  ) ORDER BY part."number" FOR UPDATE;
  UPDATE "MessageSegment" AS part SET "live" = "live" - lost."count",
    "words" = "words" - ("words"::bigint * lost."count" / greatest("live", 1))::int, "gone" = "gone" || lost."slots"
  FROM (
    SELECT held."number", count(*)::int AS "count", string_agg(int2send((gone.number - held."first")::smallint), ''::bytea) AS "slots"
    FROM unnest(numbers) AS gone(number) JOIN "MessageSegment" AS held ON held."workspaceId" = workspace AND NOT held."draft"
      AND gone.number >= held."first" AND gone.number < held."first" + held."size"
    GROUP BY 1
  ) AS lost WHERE part."workspaceId" = workspace AND part."number" = lost."number";
END $$;

CREATE OR REPLACE FUNCTION "indexMessagesOfFile"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "Message" SET "searchNumber" = NULL FROM "MessageFile" AS held
  WHERE held."workspaceId" = NEW."workspaceId" AND held."fileId" = NEW."id"
    AND "Message"."workspaceId" = NEW."workspaceId" AND "Message"."id" = held."messageId" AND "Message"."searchNumber" IS NOT NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "removeMessageTerms"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN SELECT "workspaceId", array_agg("number") AS numbers FROM removed GROUP BY 1 ORDER BY 1 LOOP
    DELETE FROM "MessageTerm" WHERE "workspaceId" = lost."workspaceId" AND "segment" = ANY (lost.numbers);
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "unindexPassages"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN SELECT "workspaceId", array_agg(DISTINCT "segment") AS numbers FROM removed
    WHERE "segment" IS NOT NULL GROUP BY 1 ORDER BY 1
  LOOP
    -- In one order for all, so that two that remove passages of the same segments do not wait for each other.
    PERFORM 1 FROM "PassageSegment" WHERE "workspaceId" = lost."workspaceId" AND "number" = ANY (lost.numbers)
    ORDER BY "number" FOR UPDATE;
    UPDATE "PassageSegment" AS part
    SET "live" = "live" - counted."count", "words" = part."words" - counted."words", "gone" = "gone" || counted."slots"
    FROM (
      SELECT "segment", count(*)::int AS "count", sum("words")::int AS "words", string_agg(int2send("slot"), ''::bytea) AS "slots"
      FROM removed WHERE "workspaceId" = lost."workspaceId" AND "segment" IS NOT NULL GROUP BY 1
    ) AS counted
    WHERE part."workspaceId" = lost."workspaceId" AND part."number" = counted."segment";
    DELETE FROM "PassageSegment"
    WHERE "workspaceId" = lost."workspaceId" AND "number" = ANY (lost.numbers) AND "live" <= 0;
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "removeTerms"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN
    SELECT "workspaceId", array_agg("number") AS numbers, array_agg(DISTINCT "run") FILTER (WHERE "run" IS NOT NULL) AS runs
    FROM removed GROUP BY 1 ORDER BY 1
  LOOP
    DELETE FROM "PassageTerm" WHERE "workspaceId" = lost."workspaceId" AND "segment" = ANY (lost.numbers);
    DELETE FROM "PassageRun" AS run WHERE run."workspaceId" = lost."workspaceId" AND run."number" = ANY (lost.runs)
      AND NOT EXISTS (
        SELECT FROM "PassageSegment" AS part WHERE part."workspaceId" = lost."workspaceId" AND part."run" = run."number"
      );
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "removeTermsOfRun"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN SELECT "workspaceId", array_agg("number") AS numbers FROM removed GROUP BY 1 ORDER BY 1 LOOP
    DELETE FROM "PassageTerm" WHERE "workspaceId" = lost."workspaceId" AND "segment" = ANY (lost.numbers);
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "countGaps"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN SELECT "workspaceId", array_agg(DISTINCT "gapId") AS gaps FROM removed GROUP BY 1 ORDER BY 1 LOOP
    -- In one order for all, so that two that remove questions of the same gaps do not wait for each other.
    PERFORM 1 FROM "Gap" WHERE "workspaceId" = lost."workspaceId" AND "id" = ANY (lost.gaps) ORDER BY "id" FOR UPDATE;
    DELETE FROM "Gap" WHERE "workspaceId" = lost."workspaceId" AND "id" = ANY (lost.gaps) AND NOT EXISTS (
      SELECT FROM "GapQuestion" AS question
      WHERE question."workspaceId" = lost."workspaceId" AND question."gapId" = "Gap"."id"
    );
    UPDATE "Gap" SET "count" = rest."count", "firstAskedAt" = rest."first", "lastAskedAt" = rest."last"
    FROM (
      SELECT "gapId", count(*)::int AS "count", min("askedAt") AS "first", max("askedAt") AS "last"
      FROM "GapQuestion" WHERE "workspaceId" = lost."workspaceId" AND "gapId" = ANY (lost.gaps) GROUP BY 1
    ) AS rest
    WHERE "Gap"."workspaceId" = lost."workspaceId" AND "Gap"."id" = rest."gapId";
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "stopForPerson"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "Turn" SET "stopAsked" = true
  WHERE "workspaceId" = NEW."workspaceId" AND "id" = NEW."turnId" AND "state" = 'open';
  RETURN NULL;
END $$;

-- A stored answer goes with whoever it tells of. Answers of a workspace name its own rows and its members.
CREATE FUNCTION "eraseAnswersOf"(workspace text, gone text[]) RETURNS void LANGUAGE sql AS $$
  UPDATE "Idempotency" SET "answerCipher" = NULL, "fingerprint" = '', "about" = '{}'
  WHERE "workspaceId" = workspace AND "about" && gone
$$;

CREATE OR REPLACE FUNCTION "eraseAnswers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'User' THEN
    -- A person may have been answered in any workspace.
    PERFORM "eraseAnswersAbout"((SELECT array_agg("id") FROM gone));
  ELSE
    PERFORM "eraseAnswersOf"("workspaceId", array_agg("id")) FROM gone GROUP BY "workspaceId" ORDER BY "workspaceId";
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "eraseAnswersOfMember"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Those of workspace '' were given before the invitation was accepted.
  PERFORM "eraseAnswersOf"('', ARRAY[OLD."id"]);
  PERFORM "eraseAnswersOf"(OLD."workspaceId", ARRAY[OLD."id", OLD."userId"]);
  RETURN NULL;
END $$;
