-- CreateTable
CREATE TABLE "ReachedStage" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "conversationId" TEXT NOT NULL,
    "stage" "ConversationStage" NOT NULL,
    "beganAt" TIMESTAMPTZ(3) NOT NULL,
    "reachedAt" TIMESTAMPTZ(3) NOT NULL,
    "elapsed" INTEGER NOT NULL,

    CONSTRAINT "ReachedStage_pkey" PRIMARY KEY ("workspaceId","id")
);

-- What is known of older conversations: that they began, and when they were last changed.
INSERT INTO "ReachedStage" ("id", "workspaceId", "conversationId", "stage", "beganAt", "reachedAt", "elapsed")
SELECT 'stg_' || substr(c."id", 5, 10) || substr(md5(c."id" || reached."stage"), 1, 16), c."workspaceId", c."id", reached."stage",
  c."createdAt", reached."at", least(extract(epoch FROM reached."at" - c."createdAt"), 2147483647)::int
FROM "Conversation" c CROSS JOIN LATERAL (
  SELECT 'identify'::"ConversationStage" AS "stage", c."createdAt" AS "at"
  UNION ALL SELECT c."stage", greatest(c."updatedAt", c."createdAt") WHERE c."stage" <> 'identify'
) reached;

-- CreateIndex
CREATE INDEX "ReachedStage_workspaceId_reachedAt_id_idx" ON "ReachedStage"("workspaceId", "reachedAt", "id");

-- CreateIndex
CREATE INDEX "ReachedStage_workspaceId_beganAt_idx" ON "ReachedStage"("workspaceId", "beganAt");

-- CreateIndex
CREATE INDEX "ReachedStage_workspaceId_conversationId_reachedAt_id_idx" ON "ReachedStage"("workspaceId", "conversationId", "reachedAt", "id");

-- CreateIndex
CREATE INDEX "Citation_workspaceId_createdAt_id_idx" ON "Citation"("workspaceId", "createdAt", "id");

-- AddForeignKey
ALTER TABLE "ReachedStage" ADD CONSTRAINT "ReachedStage_workspaceId_conversationId_fkey" FOREIGN KEY ("workspaceId", "conversationId") REFERENCES "Conversation"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Whatever changes a conversation. The id begins with a time, as all ids do, and is one for a conversation and a stage.
CREATE FUNCTION "reachStage"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "ReachedStage" ("id", "workspaceId", "conversationId", "stage", "beganAt", "reachedAt", "elapsed")
  SELECT 'stg_' || substr(NEW."id", 5, 10) || substr(md5(NEW."id" || reached."stage"), 1, 16), NEW."workspaceId", NEW."id",
    reached."stage", NEW."createdAt", reached."at", least(extract(epoch FROM reached."at" - NEW."createdAt"), 2147483647)::int
  FROM (VALUES ('identify'::"ConversationStage", NEW."createdAt"), (NEW."stage", greatest(NEW."updatedAt", NEW."createdAt")))
    AS reached("stage", "at")
  ON CONFLICT ("workspaceId", "id") DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER "Conversation_begins" AFTER INSERT ON "Conversation" FOR EACH ROW EXECUTE FUNCTION "reachStage"();
CREATE TRIGGER "Conversation_reaches" AFTER UPDATE OF "stage" ON "Conversation" FOR EACH ROW
  WHEN (NEW."stage" <> OLD."stage") EXECUTE FUNCTION "reachStage"();
