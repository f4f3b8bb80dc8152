-- CreateEnum
CREATE TYPE "TurnState" AS ENUM ('running', 'answered', 'failed');

-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "turnStop" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "TurnStream" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "conversationId" TEXT NOT NULL,
    "key" TEXT,
    "fingerprint" TEXT NOT NULL,
    "state" "TurnState" NOT NULL DEFAULT 'running',
    "aliveUntil" TIMESTAMPTZ(3) NOT NULL,
    "turnUntil" TIMESTAMPTZ(3) NOT NULL,
    "month" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "TurnStream_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "TurnBatch" (
    "workspaceId" TEXT NOT NULL,
    "streamId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "parts" JSONB NOT NULL,

    CONSTRAINT "TurnBatch_pkey" PRIMARY KEY ("streamId","position")
);

-- CreateIndex
CREATE INDEX "TurnStream_workspaceId_key_idx" ON "TurnStream"("workspaceId", "key");

-- CreateIndex
CREATE INDEX "TurnStream_workspaceId_conversationId_idx" ON "TurnStream"("workspaceId", "conversationId");

-- CreateIndex
CREATE INDEX "TurnStream_expiresAt_idx" ON "TurnStream"("expiresAt");

-- CreateIndex
CREATE UNIQUE INDEX "TurnStream_workspaceId_id_key" ON "TurnStream"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "TurnBatch_workspaceId_streamId_idx" ON "TurnBatch"("workspaceId", "streamId");

-- AddForeignKey
ALTER TABLE "TurnStream" ADD CONSTRAINT "TurnStream_workspaceId_conversationId_fkey" FOREIGN KEY ("workspaceId", "conversationId") REFERENCES "Conversation"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TurnBatch" ADD CONSTRAINT "TurnBatch_workspaceId_streamId_fkey" FOREIGN KEY ("workspaceId", "streamId") REFERENCES "TurnStream"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;
