-- AlterTable
ALTER TABLE "PluginGrant" ADD COLUMN     "browserHash" TEXT,
ADD COLUMN     "ticketHash" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "PluginGrant_ticketHash_key" ON "PluginGrant"("ticketHash");
