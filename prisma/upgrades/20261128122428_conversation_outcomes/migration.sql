-- CreateIndex: open conversations, by their silence.
CREATE INDEX "Conversation_open" ON "Conversation" ("workspaceId", "agentId", "updatedAt") WHERE "status" IN ('active', 'waiting_human');

-- CreateEnum
CREATE TYPE "ConversationOutcome" AS ENUM ('resolved_by_agent', 'resolved_by_person', 'handed_over', 'abandoned');

-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "resolveAfterMinutes" INTEGER NOT NULL DEFAULT 1440;

-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "outcome" "ConversationOutcome",
ADD COLUMN     "satisfaction" INTEGER,
ADD COLUMN     "satisfactionAt" TIMESTAMPTZ(3),
ADD COLUMN     "satisfactionComment" TEXT;

-- Events of rows, and the audit log
DROP TRIGGER "Conversation_updated" ON "Conversation";
CREATE TRIGGER "Conversation_updated" AFTER UPDATE ON "Conversation" FOR EACH ROW WHEN ((OLD."status", OLD."stage", OLD."outcome", OLD."satisfaction", OLD."leadId", OLD."title") IS DISTINCT FROM (NEW."status", NEW."stage", NEW."outcome", NEW."satisfaction", NEW."leadId", NEW."title") AND NOT NEW."preview") EXECUTE FUNCTION "tellRow"('conversation.updated', '{"conversationId":"id","agentId":"agentId"}', '["status","stage","outcome","satisfaction","leadId","title"]');
