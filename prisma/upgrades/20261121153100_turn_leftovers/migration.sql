-- DropIndex
DROP INDEX "TurnBatch_workspaceId_turnId_idx";

-- AlterTable
ALTER TABLE "Turn" DROP COLUMN "attempt",
DROP COLUMN "key";
