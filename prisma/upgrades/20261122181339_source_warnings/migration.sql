-- AlterTable
ALTER TABLE "Source" ADD COLUMN     "warnings" TEXT[] DEFAULT ARRAY[]::TEXT[];
