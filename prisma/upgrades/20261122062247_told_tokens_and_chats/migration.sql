-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "chatId" TEXT,
ADD COLUMN     "chatOwner" TEXT;

-- AlterTable
ALTER TABLE "Message" ALTER COLUMN "promptTokens" DROP NOT NULL,
ALTER COLUMN "completionTokens" DROP NOT NULL,
ALTER COLUMN "cachedTokens" DROP NOT NULL;

-- AlterTable
ALTER TABLE "MessageAlternative" ALTER COLUMN "promptTokens" DROP NOT NULL,
ALTER COLUMN "completionTokens" DROP NOT NULL,
ALTER COLUMN "cachedTokens" DROP NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "Conversation_workspaceId_agentId_chatOwner_chatId_key" ON "Conversation"("workspaceId", "agentId", "chatOwner", "chatId");
