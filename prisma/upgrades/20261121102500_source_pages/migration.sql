-- CreateEnum
CREATE TYPE "SourcePageStatus" AS ENUM ('waiting', 'succeeded', 'failed', 'skipped');

-- AlterTable
ALTER TABLE "Source" ADD COLUMN     "contentHash" TEXT,
ADD COLUMN     "done" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "found" JSONB,
ADD COLUMN     "total" INTEGER;

-- CreateTable
CREATE TABLE "SourcePage" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "sourceId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "status" "SourcePageStatus" NOT NULL DEFAULT 'waiting',
    "reason" TEXT,
    "title" TEXT,
    "depth" INTEGER NOT NULL DEFAULT 0,
    "revision" INTEGER NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "contentHash" TEXT,
    "firstPosition" INTEGER NOT NULL DEFAULT 0,
    "records" INTEGER NOT NULL DEFAULT 0,
    "readAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "SourcePage_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "SourcePage_workspaceId_sourceId_revision_status_depth_id_idx" ON "SourcePage"("workspaceId", "sourceId", "revision", "status", "depth", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SourcePage_workspaceId_id_key" ON "SourcePage"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SourcePage_workspaceId_sourceId_url_key" ON "SourcePage"("workspaceId", "sourceId", "url");

-- AddForeignKey
ALTER TABLE "SourcePage" ADD CONSTRAINT "SourcePage_workspaceId_sourceId_fkey" FOREIGN KEY ("workspaceId", "sourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;
