-- AlterTable
ALTER TABLE "Key" ADD COLUMN     "dashboardId" TEXT;

-- CreateIndex
CREATE INDEX "Key_workspaceId_dashboardId_createdAt_id_idx" ON "Key"("workspaceId", "dashboardId", "createdAt", "id");

-- AddForeignKey
ALTER TABLE "Key" ADD CONSTRAINT "Key_workspaceId_dashboardId_fkey" FOREIGN KEY ("workspaceId", "dashboardId") REFERENCES "Dashboard"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Events of rows, and the audit log
DROP TRIGGER "Key_audit_delete" ON "Key";
DROP TRIGGER "Key_audit_insert" ON "Key";
DROP TRIGGER "Key_audit_update" ON "Key";
CREATE TRIGGER "Key_audit_insert" AFTER INSERT ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","operations","dashboardId","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
CREATE TRIGGER "Key_audit_update" AFTER UPDATE ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,lastUsedAt,lastUsedFrom}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,lastUsedAt,lastUsedFrom}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","operations","dashboardId","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
CREATE TRIGGER "Key_audit_delete" AFTER DELETE ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","operations","dashboardId","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
