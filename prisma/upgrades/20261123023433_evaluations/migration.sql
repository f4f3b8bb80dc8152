-- CreateEnum
CREATE TYPE "EvaluationStatus" AS ENUM ('in_progress', 'succeeded', 'failed');

-- CreateTable
CREATE TABLE "EvaluationCase" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "question" TEXT NOT NULL,
    "questionKey" TEXT NOT NULL,
    "expectedSourceId" TEXT,
    "expectedText" TEXT,
    "searchText" TEXT NOT NULL DEFAULT '',
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "EvaluationCase_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "EvaluationRun" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "status" "EvaluationStatus" NOT NULL DEFAULT 'in_progress',
    "reason" TEXT,
    "answers" BOOLEAN NOT NULL,
    "caseCount" INTEGER NOT NULL,
    "doneCount" INTEGER NOT NULL DEFAULT 0,
    "passedCount" INTEGER NOT NULL DEFAULT 0,
    "foundCount" INTEGER NOT NULL DEFAULT 0,
    "newlyFailingCount" INTEGER NOT NULL DEFAULT 0,
    "previousId" TEXT,
    "endedAt" TIMESTAMPTZ(3),
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "EvaluationRun_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "EvaluationResult" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "caseId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "question" TEXT NOT NULL,
    "expectedSourceId" TEXT,
    "expectedText" TEXT,
    "passed" BOOLEAN,
    "rank" INTEGER,
    "contained" BOOLEAN,
    "cited" BOOLEAN,
    "answer" TEXT,
    "failure" TEXT,
    "newlyFailing" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "EvaluationResult_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_createdAt_id_idx" ON "EvaluationCase"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_updatedAt_id_idx" ON "EvaluationCase"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_agentId_createdAt_id_idx" ON "EvaluationCase"("workspaceId", "agentId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_agentId_updatedAt_id_idx" ON "EvaluationCase"("workspaceId", "agentId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_expectedSourceId_createdAt_id_idx" ON "EvaluationCase"("workspaceId", "expectedSourceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_expectedSourceId_updatedAt_id_idx" ON "EvaluationCase"("workspaceId", "expectedSourceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_searchText_idx" ON "EvaluationCase" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "EvaluationCase_workspaceId_id_key" ON "EvaluationCase"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "EvaluationCase_workspaceId_agentId_questionKey_key" ON "EvaluationCase"("workspaceId", "agentId", "questionKey");

-- CreateIndex
CREATE INDEX "EvaluationRun_workspaceId_createdAt_id_idx" ON "EvaluationRun"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationRun_workspaceId_agentId_createdAt_id_idx" ON "EvaluationRun"("workspaceId", "agentId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationRun_status_idx" ON "EvaluationRun"("status");

-- CreateIndex
CREATE UNIQUE INDEX "EvaluationRun_workspaceId_id_key" ON "EvaluationRun"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "EvaluationResult_workspaceId_runId_position_id_idx" ON "EvaluationResult"("workspaceId", "runId", "position", "id");

-- CreateIndex
CREATE UNIQUE INDEX "EvaluationResult_workspaceId_id_key" ON "EvaluationResult"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "EvaluationResult_workspaceId_runId_position_key" ON "EvaluationResult"("workspaceId", "runId", "position");

-- AddForeignKey
ALTER TABLE "EvaluationCase" ADD CONSTRAINT "EvaluationCase_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "EvaluationCase" ADD CONSTRAINT "EvaluationCase_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "EvaluationCase" ADD CONSTRAINT "EvaluationCase_workspaceId_expectedSourceId_fkey" FOREIGN KEY ("workspaceId", "expectedSourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "EvaluationRun" ADD CONSTRAINT "EvaluationRun_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "EvaluationRun" ADD CONSTRAINT "EvaluationRun_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "EvaluationResult" ADD CONSTRAINT "EvaluationResult_workspaceId_runId_fkey" FOREIGN KEY ("workspaceId", "runId") REFERENCES "EvaluationRun"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Two updates of a row never have the same time.
CREATE TRIGGER "EvaluationCase_later" BEFORE UPDATE OF "updatedAt" ON "EvaluationCase" FOR EACH ROW WHEN (NEW."updatedAt" <= OLD."updatedAt") EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "EvaluationRun_later" BEFORE UPDATE OF "updatedAt" ON "EvaluationRun" FOR EACH ROW WHEN (NEW."updatedAt" <= OLD."updatedAt") EXECUTE FUNCTION "laterThanBefore"();
