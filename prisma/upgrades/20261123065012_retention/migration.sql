-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "retention" JSONB;

-- AlterTable
ALTER TABLE "Settings" ADD COLUMN     "retention" JSONB NOT NULL DEFAULT '{}';

-- Events of rows, and the audit log
DROP TRIGGER "Agent_audit_delete" ON "Agent";
DROP TRIGGER "Agent_audit_insert" ON "Agent";
DROP TRIGGER "Agent_audit_update" ON "Agent";
DROP TRIGGER "Settings_audit_insert" ON "Settings";
DROP TRIGGER "Settings_audit_update" ON "Settings";
CREATE TRIGGER "Settings_audit_insert" AFTER INSERT ON "Settings" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (NEW."merge" <> 'never' OR coalesce(NEW."requestsPerMinute", NEW."costPerMinute", NEW."tokenRequestsPerMinute", NEW."tokenCostPerMinute") IS NOT NULL OR NEW."retention" <> '{}')) EXECUTE FUNCTION "auditRow"('{"type":"Settings","id":["workspaceId"],"values":["merge","requestsPerMinute","costPerMinute","tokenRequestsPerMinute","tokenCostPerMinute","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Settings_audit_update" AFTER UPDATE ON "Settings" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Settings","id":["workspaceId"],"values":["merge","requestsPerMinute","costPerMinute","tokenRequestsPerMinute","tokenCostPerMinute","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Agent_audit_insert" AFTER INSERT ON "Agent" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["id"],"values":["status","purpose","freedom","behaviorType","model","fallbackModel","temperature","references","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Agent_audit_update" AFTER UPDATE ON "Agent" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["id"],"values":["status","purpose","freedom","behaviorType","model","fallbackModel","temperature","references","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Agent_audit_delete" AFTER DELETE ON "Agent" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["id"],"values":["status","purpose","freedom","behaviorType","model","fallbackModel","temperature","references","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
