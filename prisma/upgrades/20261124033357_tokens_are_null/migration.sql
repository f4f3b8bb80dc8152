-- AlterTable
ALTER TABLE "Message" ALTER COLUMN "promptTokens" DROP DEFAULT,
ALTER COLUMN "completionTokens" DROP DEFAULT,
ALTER COLUMN "cachedTokens" DROP DEFAULT;
