-- AlterTable
ALTER TABLE "Key" ADD COLUMN     "operations" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- Events of rows, and the audit log
DROP TRIGGER "Key_audit_delete" ON "Key";
DROP TRIGGER "Key_audit_insert" ON "Key";
DROP TRIGGER "Key_audit_update" ON "Key";
CREATE TRIGGER "Key_audit_insert" AFTER INSERT ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","operations","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
CREATE TRIGGER "Key_audit_update" AFTER UPDATE ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,lastUsedAt,lastUsedFrom}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,lastUsedAt,lastUsedFrom}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","operations","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
CREATE TRIGGER "Key_audit_delete" AFTER DELETE ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","operations","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
