-- AlterTable
ALTER TABLE "Message" ADD COLUMN     "searchNumber" INTEGER;

-- CreateTable
CREATE TABLE "MessageSegment" (
    "number" BIGSERIAL NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "first" INTEGER NOT NULL,
    "size" INTEGER NOT NULL,
    "live" INTEGER NOT NULL,
    "words" INTEGER NOT NULL,
    "gone" BYTEA NOT NULL DEFAULT '\x',
    "draft" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "MessageSegment_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "MessageTerm" (
    "workspaceId" TEXT NOT NULL,
    "term" TEXT COLLATE "C" NOT NULL,
    "segment" BIGINT NOT NULL,
    "block" BYTEA NOT NULL,

    CONSTRAINT "MessageTerm_pkey" PRIMARY KEY ("workspaceId","term","segment")
);

-- CreateIndex
CREATE INDEX "MessageSegment_workspaceId_first_idx" ON "MessageSegment"("workspaceId", "first");

-- CreateIndex
CREATE UNIQUE INDEX "MessageSegment_workspaceId_number_key" ON "MessageSegment"("workspaceId", "number");

-- CreateIndex
CREATE INDEX "MessageTerm_segment_idx" ON "MessageTerm"("segment");

-- CreateIndex
CREATE INDEX "Message_workspaceId_searchNumber_createdAt_idx" ON "Message"("workspaceId", "searchNumber", "createdAt");

-- AddForeignKey
ALTER TABLE "MessageSegment" ADD CONSTRAINT "MessageSegment_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Blocks do not compress; those of frequent terms are read in one piece.
ALTER TABLE "MessageTerm" ALTER COLUMN "block" SET STORAGE EXTERNAL;

-- The index tells messages of these numbers no more. Whoever joins segments holds the lock alone: none is missed meanwhile.
CREATE FUNCTION "forgetMessages"(workspace text, numbers int[]) RETURNS void LANGUAGE plpgsql AS $$
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
  ) AS lost WHERE part."number" = lost."number";
END $$;

CREATE FUNCTION "unindexMessages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "forgetMessages"("workspaceId", array_agg("searchNumber"))
  FROM removed WHERE "searchNumber" IS NOT NULL GROUP BY "workspaceId" ORDER BY "workspaceId";
  RETURN NULL;
END $$;

CREATE TRIGGER "Message_removed" AFTER DELETE ON "Message"
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "unindexMessages"();

-- A message that says something else is one that waits to be indexed; so is one of whose attachments more is known.
CREATE FUNCTION "indexAnew"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchNumber" := NULL;
  RETURN NEW;
END $$;

CREATE TRIGGER "Message_says" BEFORE UPDATE OF "content", "attachments" ON "Message" FOR EACH ROW
WHEN (OLD."searchNumber" IS NOT NULL
  AND (OLD."content" IS DISTINCT FROM NEW."content" OR OLD."attachments" IS DISTINCT FROM NEW."attachments"))
EXECUTE FUNCTION "indexAnew"();

CREATE FUNCTION "unindexMessage"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "forgetMessages"(OLD."workspaceId", ARRAY[OLD."searchNumber"]);
  RETURN NULL;
END $$;

CREATE TRIGGER "Message_unnumbered" AFTER UPDATE ON "Message" FOR EACH ROW
WHEN (OLD."searchNumber" IS NOT NULL AND NEW."searchNumber" IS NULL) EXECUTE FUNCTION "unindexMessage"();

CREATE FUNCTION "indexMessagesOfFile"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "Message" SET "searchNumber" = NULL FROM "MessageFile" AS held
  WHERE held."workspaceId" = NEW."workspaceId" AND held."fileId" = NEW."id" AND "Message"."id" = held."messageId"
    AND "Message"."searchNumber" IS NOT NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER "StoredFile_read" AFTER UPDATE OF "text" ON "StoredFile" FOR EACH ROW
WHEN (OLD."text" IS DISTINCT FROM NEW."text") EXECUTE FUNCTION "indexMessagesOfFile"();

CREATE FUNCTION "removeMessageTerms"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "MessageTerm" WHERE "segment" = ANY (ARRAY(SELECT "number" FROM removed));
  RETURN NULL;
END $$;

CREATE TRIGGER "MessageSegment_removed" AFTER DELETE ON "MessageSegment"
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "removeMessageTerms"();
