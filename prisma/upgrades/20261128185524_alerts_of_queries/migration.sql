-- AlterTable
ALTER TABLE "Alert" ADD COLUMN     "queryHash" TEXT,
ADD COLUMN     "waitingReason" TEXT;
