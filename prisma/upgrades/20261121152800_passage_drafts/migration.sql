-- DropIndex
DROP INDEX "Passage_workspaceId_sourceId_position_key";

-- AlterTable
ALTER TABLE "PassageSegment" ADD COLUMN     "draft" TEXT,
ADD COLUMN     "sourceId" TEXT;

-- CreateIndex
CREATE INDEX "Passage_workspaceId_sourceId_position_id_idx" ON "Passage"("workspaceId", "sourceId", "position", "id");

-- CreateIndex
CREATE INDEX "PassageSegment_workspaceId_sourceId_idx" ON "PassageSegment"("workspaceId", "sourceId");

-- AddForeignKey
ALTER TABLE "PassageSegment" ADD CONSTRAINT "PassageSegment_workspaceId_sourceId_fkey" FOREIGN KEY ("workspaceId", "sourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
