-- CreateEnum
CREATE TYPE "RefreshInterval" AS ENUM ('hourly', 'daily', 'weekly', 'monthly');

-- AlterTable
ALTER TABLE "Source" ADD COLUMN     "lastRefreshError" TEXT,
ADD COLUMN     "nextRefreshAt" TIMESTAMPTZ(3),
ADD COLUMN     "refreshEvery" "RefreshInterval",
ADD COLUMN     "refreshing" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "validators" JSONB;

-- CreateIndex
CREATE INDEX "Source_nextRefreshAt_idx" ON "Source"("nextRefreshAt");

-- A source that could not be read again by itself stays what it was, and is told of as one that failed.
CREATE OR REPLACE FUNCTION "tellSource"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tellEvent"(NEW."workspaceId",
    'source.' || CASE WHEN NEW."lastRefreshError" IS NULL THEN NEW."status"::text ELSE 'failed' END,
    jsonb_build_object('sourceId', NEW."id", 'baseId', NEW."baseId"));
  RETURN NULL;
END $$;
