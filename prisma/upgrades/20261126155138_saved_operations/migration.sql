-- CreateTable
CREATE TABLE "SavedOperation" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "document" TEXT NOT NULL,
    "documentHash" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "variables" JSONB NOT NULL DEFAULT '{}',
    "chart" JSONB NOT NULL DEFAULT '{}',
    "cost" INTEGER,
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "SavedOperation_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateIndex
CREATE INDEX "SavedOperation_workspaceId_createdAt_id_idx" ON "SavedOperation"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SavedOperation_workspaceId_updatedAt_id_idx" ON "SavedOperation"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "SavedOperation_workspaceId_name_id_idx" ON "SavedOperation"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "SavedOperation_workspaceId_documentHash_idx" ON "SavedOperation"("workspaceId", "documentHash");

-- CreateIndex
CREATE UNIQUE INDEX "SavedOperation_workspaceId_name_key" ON "SavedOperation"("workspaceId", "name");

-- AddForeignKey
ALTER TABLE "SavedOperation" ADD CONSTRAINT "SavedOperation_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Events of rows, and the audit log
CREATE TRIGGER "SavedOperation_audit_insert" AFTER INSERT ON "SavedOperation" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"SavedOperation","id":["id"],"values":["documentHash","cost"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "SavedOperation_audit_update" AFTER UPDATE ON "SavedOperation" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"SavedOperation","id":["id"],"values":["documentHash","cost"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "SavedOperation_audit_delete" AFTER DELETE ON "SavedOperation" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"SavedOperation","id":["id"],"values":["documentHash","cost"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');

CREATE TRIGGER "SavedOperation_later" BEFORE UPDATE OF "updatedAt" ON "SavedOperation" FOR EACH ROW
  WHEN (NEW."updatedAt" <= OLD."updatedAt") EXECUTE FUNCTION "laterThanBefore"();
