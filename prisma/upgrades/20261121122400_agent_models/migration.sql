-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "fallbackModel" TEXT,
ADD COLUMN     "maxOutputTokens" INTEGER,
ADD COLUMN     "model" TEXT,
ADD COLUMN     "temperature" DOUBLE PRECISION,
ADD COLUMN     "timeoutMs" INTEGER;
