-- CreateEnum
CREATE TYPE "ConversationOutcome" AS ENUM ('resolved_by_agent', 'resolved_by_person', 'handed_over', 'abandoned');

-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "resolveAfterMinutes" INTEGER NOT NULL DEFAULT 1440;

-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "outcome" "ConversationOutcome";

-- CreateIndex: open conversations, by their silence.
CREATE INDEX "Conversation_open" ON "Conversation" ("workspaceId", "agentId", "updatedAt") WHERE "status" IN ('active', 'waiting_human');
