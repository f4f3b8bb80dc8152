-- CreateEnum
CREATE TYPE "GapState" AS ENUM ('open', 'answered', 'dismissed');

-- CreateEnum
CREATE TYPE "GapReason" AS ENUM ('nothing_found', 'unknown');

-- CreateTable
CREATE TABLE "Gap" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "state" "GapState" NOT NULL DEFAULT 'open',
    "marks" TEXT[],
    "count" INTEGER NOT NULL DEFAULT 1,
    "firstAskedAt" TIMESTAMPTZ(3) NOT NULL,
    "lastAskedAt" TIMESTAMPTZ(3) NOT NULL,
    -- Most gaps were asked once: a page of them is found by an index only when they differ.
    "rank" TEXT NOT NULL GENERATED ALWAYS AS (
      lpad("count"::text, 10, '0')
      || lpad(floor(date_part('epoch', "lastAskedAt" AT TIME ZONE 'UTC'))::bigint::text, 11, '0')
    ) STORED,
    "sourceId" TEXT,
    "updatedBy" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Gap_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "GapQuestion" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "gapId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "reason" "GapReason" NOT NULL,
    "askedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "GapQuestion_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Gap_workspaceId_lastAskedAt_id_idx" ON "Gap"("workspaceId", "lastAskedAt", "id");

-- CreateIndex
CREATE INDEX "Gap_workspaceId_rank_id_idx" ON "Gap"("workspaceId", "rank", "id");

-- CreateIndex
CREATE INDEX "Gap_workspaceId_agentId_lastAskedAt_id_idx" ON "Gap"("workspaceId", "agentId", "lastAskedAt", "id");

-- CreateIndex
CREATE INDEX "Gap_workspaceId_agentId_rank_id_idx" ON "Gap"("workspaceId", "agentId", "rank", "id");

-- CreateIndex
CREATE INDEX "Gap_marks_idx" ON "Gap" USING GIN ("marks");

-- CreateIndex
CREATE UNIQUE INDEX "Gap_workspaceId_id_key" ON "Gap"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "GapQuestion_workspaceId_gapId_askedAt_id_idx" ON "GapQuestion"("workspaceId", "gapId", "askedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "GapQuestion_workspaceId_messageId_key" ON "GapQuestion"("workspaceId", "messageId");

-- AddForeignKey
ALTER TABLE "Gap" ADD CONSTRAINT "Gap_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "GapQuestion" ADD CONSTRAINT "GapQuestion_workspaceId_gapId_fkey" FOREIGN KEY ("workspaceId", "gapId") REFERENCES "Gap"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "GapQuestion" ADD CONSTRAINT "GapQuestion_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;


-- Whoever removes what was asked, and however: a gap counts what is left of it, and is no more when nothing is.
CREATE FUNCTION "countGaps"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- In one order for all, so that two that remove questions of the same gaps do not wait for each other.
  PERFORM 1 FROM "Gap" WHERE "id" IN (SELECT DISTINCT "gapId" FROM removed) ORDER BY "id" FOR UPDATE;
  DELETE FROM "Gap" WHERE "id" IN (SELECT DISTINCT "gapId" FROM removed) AND NOT EXISTS (
    SELECT FROM "GapQuestion" AS question
    WHERE question."workspaceId" = "Gap"."workspaceId" AND question."gapId" = "Gap"."id"
  );
  UPDATE "Gap" SET "count" = rest."count", "firstAskedAt" = rest."first", "lastAskedAt" = rest."last"
  FROM (
    SELECT "workspaceId", "gapId", count(*)::int AS "count", min("askedAt") AS "first", max("askedAt") AS "last"
    FROM "GapQuestion" AS question
    WHERE ("workspaceId", "gapId") IN (SELECT DISTINCT "workspaceId", "gapId" FROM removed) GROUP BY 1, 2
  ) AS rest
  WHERE "Gap"."workspaceId" = rest."workspaceId" AND "Gap"."id" = rest."gapId";
  RETURN NULL;
END $$;

CREATE TRIGGER "GapQuestion_removed" AFTER DELETE ON "GapQuestion"
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "countGaps"();
