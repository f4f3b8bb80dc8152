-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "turnUntil" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "Idempotency" DROP COLUMN "response",
ADD COLUMN     "answered" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "claimedUntil" TIMESTAMPTZ(3),
ADD COLUMN     "conversationId" TEXT,
ADD COLUMN     "messageIds" TEXT[];
