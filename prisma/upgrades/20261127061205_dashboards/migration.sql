-- CreateTable
CREATE TABLE "Dashboard" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "last" TEXT,
    "timeZone" TEXT,
    "tiles" JSONB NOT NULL DEFAULT '[]',
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Dashboard_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateIndex
CREATE INDEX "Dashboard_workspaceId_createdAt_id_idx" ON "Dashboard"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Dashboard_workspaceId_updatedAt_id_idx" ON "Dashboard"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Dashboard_workspaceId_name_id_idx" ON "Dashboard"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "Dashboard_workspaceId_title_id_idx" ON "Dashboard"("workspaceId", "title", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Dashboard_workspaceId_name_key" ON "Dashboard"("workspaceId", "name");

-- AddForeignKey
ALTER TABLE "Dashboard" ADD CONSTRAINT "Dashboard_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Events of rows, and the audit log
CREATE TRIGGER "Dashboard_audit_insert" AFTER INSERT ON "Dashboard" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Dashboard","id":["id"],"values":["last","timeZone"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Dashboard_audit_update" AFTER UPDATE ON "Dashboard" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Dashboard","id":["id"],"values":["last","timeZone"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Dashboard_audit_delete" AFTER DELETE ON "Dashboard" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Dashboard","id":["id"],"values":["last","timeZone"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');

CREATE TRIGGER "Dashboard_later" BEFORE UPDATE OF "updatedAt" ON "Dashboard" FOR EACH ROW
  WHEN (NEW."updatedAt" <= OLD."updatedAt") EXECUTE FUNCTION "laterThanBefore"();
