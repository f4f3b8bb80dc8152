-- DropIndex
DROP INDEX "Passage_searchText_idx";

-- AlterTable
ALTER TABLE "PassageSegment" ADD COLUMN     "vocabulary" TEXT NOT NULL DEFAULT '';

-- Passages are indexed anew at the next start: only then the words of a segment are known.
UPDATE "Passage" SET "segment" = NULL, "slot" = NULL WHERE "segment" IS NOT NULL;
TRUNCATE "PassageTerm";
DELETE FROM "PassageSegment";
