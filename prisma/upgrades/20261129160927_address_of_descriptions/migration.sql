-- AlterTable
ALTER TABLE "PluginInterface" ADD COLUMN     "address" TEXT NOT NULL DEFAULT '';
