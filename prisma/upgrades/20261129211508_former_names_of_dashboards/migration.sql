-- AlterTable
ALTER TABLE "Dashboard" ADD COLUMN     "formerNames" TEXT[] DEFAULT ARRAY[]::TEXT[];
