-- CreateTable
CREATE TABLE "Citation" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "sourceId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Citation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Citation_workspaceId_sourceId_createdAt_id_idx" ON "Citation"("workspaceId", "sourceId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Citation_workspaceId_id_key" ON "Citation"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Citation_workspaceId_messageId_sourceId_key" ON "Citation"("workspaceId", "messageId", "sourceId");

-- AddForeignKey
ALTER TABLE "Citation" ADD CONSTRAINT "Citation_workspaceId_sourceId_fkey" FOREIGN KEY ("workspaceId", "sourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Citation" ADD CONSTRAINT "Citation_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whatever writes a reply. A source that is being removed meanwhile is passed over: no reply waits for that or fails by it.
-- The id begins with the time of the message, as all ids begin with a time.
CREATE FUNCTION "citeSources"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "Citation" ("id", "workspaceId", "sourceId", "messageId", "createdAt")
  SELECT 'cit_' || substr(NEW."id", 5, 10) || substr(md5(NEW."id" || "Source"."id"), 1, 16),
    NEW."workspaceId", "Source"."id", NEW."id", NEW."createdAt"
  FROM "Source" WHERE "workspaceId" = NEW."workspaceId" AND "id" IN (
    SELECT reference ->> 'sourceId' FROM jsonb_array_elements(NEW."metadata" -> 'references') AS reference
  ) FOR KEY SHARE OF "Source" SKIP LOCKED;
  RETURN NULL;
END $$;

CREATE TRIGGER "Message_cites" AFTER INSERT ON "Message" FOR EACH ROW
WHEN (NEW."role" = 'assistant' AND jsonb_typeof(NEW."metadata" -> 'references') = 'array')
EXECUTE FUNCTION "citeSources"();

INSERT INTO "Citation" ("id", "workspaceId", "sourceId", "messageId", "createdAt")
SELECT DISTINCT 'cit_' || substr(message."id", 5, 10) || substr(md5(message."id" || "Source"."id"), 1, 16),
  message."workspaceId", "Source"."id", message."id", message."createdAt"
FROM "Message" AS message
CROSS JOIN LATERAL jsonb_array_elements(message."metadata" -> 'references') AS reference
JOIN "Source" ON "Source"."workspaceId" = message."workspaceId" AND "Source"."id" = reference ->> 'sourceId'
WHERE message."role" = 'assistant' AND jsonb_typeof(message."metadata" -> 'references') = 'array';
