-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "takenOverAt" TIMESTAMPTZ(3),
ADD COLUMN     "takenOverBy" TEXT;

-- AlterTable
ALTER TABLE "Message" ADD COLUMN     "createdBy" TEXT;
