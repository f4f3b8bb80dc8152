-- AlterTable
ALTER TABLE "Channel" ADD COLUMN     "origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "publishableToken" TEXT;

-- Widgets that are there already get a token as well; 122 of its bits are random.
UPDATE "Channel" SET "publishableToken" = 'pub_' || replace(gen_random_uuid()::text, '-', '') WHERE "platform" = 'widget';

-- CreateIndex
CREATE UNIQUE INDEX "Channel_publishableToken_key" ON "Channel"("publishableToken");
