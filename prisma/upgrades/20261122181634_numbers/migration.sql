-- Columns without a default: nothing is rewritten. src/domain/conversations/backfill.ts fills in what older rows lack.
-- CreateEnum
CREATE TYPE "MessageRating" AS ENUM ('like', 'dislike');

-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "duration" INTEGER,
ADD COLUMN     "handedOver" BOOLEAN;

-- AlterTable
ALTER TABLE "Message" ADD COLUMN     "agentId" TEXT,
ADD COLUMN     "channelId" TEXT,
ADD COLUMN     "cost" DOUBLE PRECISION,
ADD COLUMN     "model" TEXT,
ADD COLUMN     "rating" "MessageRating",
ADD COLUMN     "replyTime" INTEGER,
ADD COLUMN     "timeToFirstToken" INTEGER;

-- CreateTable
CREATE TABLE "Interaction" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "model" TEXT,
    "promptTokens" INTEGER,
    "completionTokens" INTEGER,
    "cachedTokens" INTEGER,
    "cost" DOUBLE PRECISION,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Interaction_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Backfill" (
    "name" TEXT NOT NULL,
    "after" TEXT NOT NULL DEFAULT '',
    "isDone" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "Backfill_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "Interaction_workspaceId_month_idx" ON "Interaction"("workspaceId", "month");

-- CreateIndex
CREATE UNIQUE INDEX "Interaction_workspaceId_id_key" ON "Interaction"("workspaceId", "id");

-- AddForeignKey
ALTER TABLE "Interaction" ADD CONSTRAINT "Interaction_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;
