-- CreateTable
CREATE TABLE "GapProposal" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "gapId" TEXT NOT NULL,
    "questionId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "createdBy" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "GapProposal_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "GapProposal_workspaceId_gapId_createdAt_id_idx" ON "GapProposal"("workspaceId", "gapId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "GapProposal_workspaceId_questionId_idx" ON "GapProposal"("workspaceId", "questionId");

-- CreateIndex
CREATE UNIQUE INDEX "GapProposal_workspaceId_id_key" ON "GapProposal"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "GapProposal_workspaceId_messageId_key" ON "GapProposal"("workspaceId", "messageId");

-- CreateIndex
CREATE UNIQUE INDEX "GapQuestion_workspaceId_id_key" ON "GapQuestion"("workspaceId", "id");

-- AddForeignKey
ALTER TABLE "GapProposal" ADD CONSTRAINT "GapProposal_workspaceId_gapId_fkey" FOREIGN KEY ("workspaceId", "gapId") REFERENCES "Gap"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "GapProposal" ADD CONSTRAINT "GapProposal_workspaceId_questionId_fkey" FOREIGN KEY ("workspaceId", "questionId") REFERENCES "GapQuestion"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "GapProposal" ADD CONSTRAINT "GapProposal_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;
