-- DropIndex
DROP INDEX "Passage_lexemes_idx";

-- AlterTable
ALTER TABLE "Passage" DROP COLUMN "lexemes",
ADD COLUMN     "segment" BIGINT,
ADD COLUMN     "slot" SMALLINT,
ADD COLUMN     "words" SMALLINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "PassageSegment" (
    "number" BIGSERIAL NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "baseId" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "live" INTEGER NOT NULL,
    "words" INTEGER NOT NULL,
    "gone" BYTEA NOT NULL DEFAULT '\x'::bytea,

    CONSTRAINT "PassageSegment_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "PassageTerm" (
    "workspaceId" TEXT NOT NULL,
    "term" TEXT COLLATE "C" NOT NULL,
    "segment" BIGINT NOT NULL,
    "block" BYTEA NOT NULL,

    CONSTRAINT "PassageTerm_pkey" PRIMARY KEY ("workspaceId","term","segment")
);

-- CreateIndex
CREATE INDEX "PassageSegment_workspaceId_baseId_idx" ON "PassageSegment"("workspaceId", "baseId");

-- CreateIndex
CREATE UNIQUE INDEX "PassageSegment_workspaceId_number_key" ON "PassageSegment"("workspaceId", "number");

-- CreateIndex
CREATE INDEX "PassageTerm_segment_idx" ON "PassageTerm"("segment");

-- CreateIndex
CREATE UNIQUE INDEX "Passage_segment_slot_key" ON "Passage"("segment", "slot");

-- AddForeignKey
ALTER TABLE "Passage" ADD CONSTRAINT "Passage_workspaceId_segment_fkey" FOREIGN KEY ("workspaceId", "segment") REFERENCES "PassageSegment"("workspaceId", "number") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "PassageSegment" ADD CONSTRAINT "PassageSegment_workspaceId_baseId_fkey" FOREIGN KEY ("workspaceId", "baseId") REFERENCES "Base"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Blocks do not compress; those of frequent terms are read in one piece.
ALTER TABLE "PassageTerm" ALTER COLUMN "block" SET STORAGE EXTERNAL;

-- Whoever removes passages, and however: the index tells them no more, and its numbers stay exact.
CREATE FUNCTION "unindexPassages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- In one order for all, so that two that remove passages of the same segments do not wait for each other.
  PERFORM 1 FROM "PassageSegment" WHERE "number" IN (SELECT DISTINCT "segment" FROM removed) ORDER BY "number" FOR UPDATE;
  UPDATE "PassageSegment" AS part
  SET "live" = "live" - lost."count", "words" = part."words" - lost."words", "gone" = "gone" || lost."slots"
  FROM (
    SELECT "workspaceId", "segment", count(*)::int AS "count", sum("words")::int AS "words",
      string_agg(int2send("slot"), ''::bytea) AS "slots"
    FROM removed WHERE "segment" IS NOT NULL GROUP BY 1, 2
  ) AS lost
  WHERE part."workspaceId" = lost."workspaceId" AND part."number" = lost."segment";
  DELETE FROM "PassageSegment" AS part USING (SELECT DISTINCT "workspaceId", "segment" FROM removed) AS lost
  WHERE part."workspaceId" = lost."workspaceId" AND part."number" = lost."segment" AND part."live" <= 0;
  RETURN NULL;
END $$;

CREATE TRIGGER "Passage_removed" AFTER DELETE ON "Passage"
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "unindexPassages"();

CREATE FUNCTION "removeTerms"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "PassageTerm" AS term USING removed
  WHERE term."segment" = removed."number" AND term."workspaceId" = removed."workspaceId";
  RETURN NULL;
END $$;

CREATE TRIGGER "PassageSegment_removed" AFTER DELETE ON "PassageSegment"
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "removeTerms"();
