-- AlterTable
ALTER TABLE "SavedOperation" ADD COLUMN     "maxAge" INTEGER;
