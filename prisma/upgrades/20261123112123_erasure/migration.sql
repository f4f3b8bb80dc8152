-- CreateEnum
CREATE TYPE "ErasureStatus" AS ENUM ('in_progress', 'completed');

-- CreateTable
CREATE TABLE "ErasureReceipt" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "status" "ErasureStatus" NOT NULL DEFAULT 'in_progress',
    "deleted" JSONB NOT NULL,
    "sourceIds" TEXT[],
    "remains" TEXT[],
    "backupsUntil" TIMESTAMPTZ(3),
    "filesDeletedAt" TIMESTAMPTZ(3),
    "indexCleanedAt" TIMESTAMPTZ(3),
    "vacuumedAt" TIMESTAMPTZ(3),
    "checkpointedAt" TIMESTAMPTZ(3),
    "completedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ErasureReceipt_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateIndex
CREATE INDEX "ErasureReceipt_workspaceId_createdAt_id_idx" ON "ErasureReceipt"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "ErasureReceipt_status_idx" ON "ErasureReceipt"("status");

-- AddForeignKey
ALTER TABLE "ErasureReceipt" ADD CONSTRAINT "ErasureReceipt_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;
