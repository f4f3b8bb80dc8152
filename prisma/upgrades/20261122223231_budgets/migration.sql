-- AlterTable
ALTER TABLE "Key" ADD COLUMN     "costPerMinute" INTEGER;

-- AlterTable
ALTER TABLE "Settings" ADD COLUMN     "costPerMinute" INTEGER,
ADD COLUMN     "requestsPerMinute" INTEGER,
ADD COLUMN     "tokenCostPerMinute" INTEGER,
ADD COLUMN     "tokenRequestsPerMinute" INTEGER;
