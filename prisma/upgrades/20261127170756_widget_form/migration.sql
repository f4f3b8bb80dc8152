-- AlterTable
ALTER TABLE "Channel" ADD COLUMN     "form" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "greetings" JSONB NOT NULL DEFAULT '[]';
