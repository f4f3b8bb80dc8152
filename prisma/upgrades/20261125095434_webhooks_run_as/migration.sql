-- A webhook is sent what somebody may read: until now that was nobody in particular. A key that has made or changed it may have
-- set its URL, and counts before a member.
ALTER TABLE "Webhook" ADD COLUMN     "runsAs" TEXT;
UPDATE "Webhook" SET "runsAs" = CASE WHEN "updatedBy" LIKE 'key\_%' THEN "updatedBy" ELSE "createdBy" END;
ALTER TABLE "Webhook" ALTER COLUMN "runsAs" SET NOT NULL;

-- Events of rows, and the audit log
DROP TRIGGER "Webhook_audit_delete" ON "Webhook";
DROP TRIGGER "Webhook_audit_insert" ON "Webhook";
DROP TRIGGER "Webhook_audit_update" ON "Webhook";
CREATE TRIGGER "Webhook_audit_insert" AFTER INSERT ON "Webhook" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Webhook","id":["id"],"values":["enabled","events","runsAs"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Webhook_audit_delete" AFTER DELETE ON "Webhook" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Webhook","id":["id"],"values":["enabled","events","runsAs"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Webhook_audit_update" AFTER UPDATE ON "Webhook" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,failingSince}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,failingSince}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Webhook","id":["id"],"values":["enabled","events","disabledReason","runsAs"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","failingSince"],"bySystem":true}');
