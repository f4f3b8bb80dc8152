-- AlterTable
ALTER TABLE "Conversation" ADD COLUMN     "summarizedTo" INTEGER NOT NULL DEFAULT 0;
