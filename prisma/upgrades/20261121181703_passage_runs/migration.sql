-- AlterTable
ALTER TABLE "PassageSegment" ADD COLUMN     "run" BIGINT,
ADD COLUMN     "start" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "PassageRun" (
    "number" BIGINT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "baseId" TEXT NOT NULL,
    "size" INTEGER NOT NULL,

    CONSTRAINT "PassageRun_pkey" PRIMARY KEY ("number")
);

-- CreateIndex
CREATE INDEX "PassageRun_workspaceId_baseId_idx" ON "PassageRun"("workspaceId", "baseId");

-- CreateIndex
CREATE INDEX "PassageSegment_run_idx" ON "PassageSegment"("run");

-- AddForeignKey
ALTER TABLE "PassageRun" ADD CONSTRAINT "PassageRun_workspaceId_baseId_fkey" FOREIGN KEY ("workspaceId", "baseId") REFERENCES "Base"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A run goes with the last segment that it has the postings of, and its postings with it. Terms are found by the number
-- alone: with the workspace a planner that knows nothing of the table walks through all terms of the workspace.
CREATE OR REPLACE FUNCTION "removeTerms"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "PassageTerm" AS term USING removed WHERE term."segment" = removed."number";
  DELETE FROM "PassageRun" AS run USING (SELECT DISTINCT "run" FROM removed WHERE "run" IS NOT NULL) AS lost
  WHERE run."number" = lost."run" AND NOT EXISTS (SELECT FROM "PassageSegment" AS part WHERE part."run" = lost."run");
  RETURN NULL;
END $$;

CREATE FUNCTION "removeTermsOfRun"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "PassageTerm" AS term USING removed WHERE term."segment" = removed."number";
  RETURN NULL;
END $$;

CREATE TRIGGER "PassageRun_removed" AFTER DELETE ON "PassageRun"
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "removeTermsOfRun"();
