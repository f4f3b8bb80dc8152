-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "branchedAtId" TEXT,
ADD COLUMN     "branchedFromId" TEXT;

-- AlterTable
ALTER TABLE "Turn" ADD COLUMN     "regenerates" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "MessageAlternative" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "conversationId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "content" TEXT,
    "toolCalls" JSONB,
    "feedback" JSONB,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "steps" JSONB NOT NULL DEFAULT '[]',
    "trace" JSONB,
    "promptTokens" INTEGER NOT NULL DEFAULT 0,
    "completionTokens" INTEGER NOT NULL DEFAULT 0,
    "cachedTokens" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "replacedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "MessageAlternative_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "MessageAlternative_workspaceId_messageId_replacedAt_idx" ON "MessageAlternative"("workspaceId", "messageId", "replacedAt");

-- CreateIndex
CREATE INDEX "MessageAlternative_workspaceId_conversationId_idx" ON "MessageAlternative"("workspaceId", "conversationId");

-- AddForeignKey
ALTER TABLE "MessageAlternative" ADD CONSTRAINT "MessageAlternative_workspaceId_conversationId_fkey" FOREIGN KEY ("workspaceId", "conversationId") REFERENCES "Conversation"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;
