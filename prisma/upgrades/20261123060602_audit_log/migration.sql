-- CreateEnum
CREATE TYPE "AuditAction" AS ENUM ('created', 'updated', 'deleted', 'taken_over', 'handed_back', 'exported', 'erased');

-- CreateEnum
CREATE TYPE "AuditActorKind" AS ENUM ('member', 'key', 'app', 'operator', 'invitee', 'visitor', 'system');

-- CreateTable
CREATE TABLE "AuditEntry" (
    "workspaceId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "actorKind" "AuditActorKind" NOT NULL,
    "actorId" TEXT,
    "address" TEXT,
    "action" "AuditAction" NOT NULL,
    "type" TEXT NOT NULL,
    "rowId" TEXT NOT NULL,
    "fields" TEXT[],
    "changes" JSONB NOT NULL DEFAULT '{}',
    "transaction" TEXT NOT NULL DEFAULT '',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AuditEntry_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_createdAt_idx" ON "AuditEntry"("createdAt");

-- AddForeignKey
ALTER TABLE "AuditEntry" ADD CONSTRAINT "AuditEntry_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Writes the audit log: one entry per changed row and transaction. Its argument is the rule of the table, from
-- src/database/audit/rules.ts; who acts is in a setting of the transaction, empty if the gateway acts by itself.
CREATE FUNCTION "auditRow"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule jsonb := TG_ARGV[0]::jsonb;
  actor jsonb := nullif(current_setting('parley.actor', true), '')::jsonb;
  before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) ELSE '{}' END;
  after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) ELSE '{}' END;
  present jsonb := CASE WHEN TG_OP = 'DELETE' THEN before ELSE after END;
  workspace text := CASE WHEN TG_TABLE_NAME = 'Workspace' THEN present ->> 'id' ELSE present ->> 'workspaceId' END;
  what text := rule ->> 'type';
  changed jsonb;
  verb "AuditAction";
  identity text;
  known record;
BEGIN
  IF actor IS NULL AND NOT rule ? 'bySystem' THEN RETURN NULL; END IF;
  SELECT string_agg(present ->> part.name, '/' ORDER BY part.place) INTO identity
  FROM jsonb_array_elements_text(rule -> 'id') WITH ORDINALITY part(name, place);
  IF rule ? 'field' THEN
    verb := 'updated';
    changed := jsonb_build_object(rule ->> 'field', jsonb_build_object(
      CASE WHEN TG_OP = 'DELETE' THEN 'removed' ELSE 'added' END, jsonb_build_array(present -> (rule ->> 'column'))
    ));
  ELSIF rule ? 'mark' THEN
    verb := (rule -> 'actions' ->> (CASE WHEN after ->> (rule ->> 'mark') IS NULL THEN 1 ELSE 0 END))::"AuditAction";
    changed := jsonb_build_object(rule ->> 'mark', jsonb_build_object(
      'before', before -> (rule ->> 'mark'), 'after', after -> (rule ->> 'mark')
    ));
  ELSE
    verb := CASE
      WHEN TG_OP = 'INSERT' THEN 'created'
      WHEN TG_OP = 'DELETE' OR (before ->> (rule ->> 'removedAt') IS NULL AND after ->> (rule ->> 'removedAt') IS NOT NULL) THEN 'deleted'
      ELSE 'updated'
    END;
    -- Of a new or a deleted row, only what has a value that may be recorded.
    SELECT coalesce(jsonb_object_agg(
      regexp_replace(column_name, '(Cipher|Hash)$', ''),
      CASE WHEN NOT rule -> 'values' ? column_name THEN '{}'
        WHEN TG_OP = 'INSERT' THEN jsonb_build_object('after', after -> column_name)
        WHEN TG_OP = 'DELETE' THEN jsonb_build_object('before', before -> column_name)
        ELSE jsonb_build_object('before', before -> column_name, 'after', after -> column_name)
      END
    ), '{}') INTO changed
    FROM jsonb_object_keys(present) column_name
    WHERE NOT rule -> 'omit' ? column_name
      AND CASE WHEN TG_OP = 'UPDATE' THEN before -> column_name IS DISTINCT FROM after -> column_name
        ELSE rule -> 'values' ? column_name AND present -> column_name NOT IN ('null', '[]') END
      -- Without an actor, secrets are only encrypted again.
      AND (actor IS NOT NULL OR TG_OP <> 'UPDATE' OR column_name NOT LIKE '%Cipher');
    IF TG_OP = 'UPDATE' AND changed = '{}' THEN RETURN NULL; END IF;
  END IF;

  SELECT e."id", e."action", e."changes" INTO known FROM "AuditEntry" e
  WHERE e."workspaceId" = workspace AND e."createdAt" = now()::timestamptz(3)
    AND e."transaction" = pg_current_xact_id()::text AND e."type" = what AND e."rowId" = identity;
  IF known."id" IS NULL THEN
    INSERT INTO "AuditEntry"
      ("workspaceId", "id", "actorKind", "actorId", "address", "action", "type", "rowId", "fields", "changes", "transaction")
    VALUES (workspace, "newId"('aud'), coalesce(actor ->> 'kind', 'system')::"AuditActorKind", actor ->> 'id', actor ->> 'address',
      verb, what, identity, ARRAY(SELECT jsonb_object_keys(changed) ORDER BY 1), changed, pg_current_xact_id()::text);
  ELSE
    -- Several rows that join it to others: all of their ids.
    IF rule ? 'field' AND known."changes" ? (rule ->> 'field') THEN
      changed := jsonb_build_object(rule ->> 'field', (
        SELECT jsonb_object_agg(side.key, coalesce(known."changes" -> (rule ->> 'field') -> side.key, '[]')
          || coalesce(changed -> (rule ->> 'field') -> side.key, '[]'))
        FROM jsonb_object_keys((known."changes" -> (rule ->> 'field')) || (changed -> (rule ->> 'field'))) side(key)
      ));
    END IF;
    changed := known."changes" || changed;
    UPDATE "AuditEntry" SET
      "action" = CASE
        WHEN known."action" = 'created' AND verb = 'updated' THEN 'created'
        WHEN known."action" = 'deleted' AND verb = 'created' THEN 'updated'
        WHEN known."action" = 'deleted' AND verb = 'updated' THEN 'deleted'
        ELSE verb
      END,
      "changes" = changed, "fields" = ARRAY(SELECT jsonb_object_keys(changed) ORDER BY 1)
    WHERE "workspaceId" = workspace AND "id" = known."id";
  END IF;
  RETURN NULL;
END $$;

-- Events of rows, and the audit log
CREATE TRIGGER "Workspace_audit_update" AFTER UPDATE ON "Workspace" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Workspace","id":["id"],"values":["maxInteractions"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Settings_audit_insert" AFTER INSERT ON "Settings" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (NEW."merge" <> 'never' OR coalesce(NEW."requestsPerMinute", NEW."costPerMinute", NEW."tokenRequestsPerMinute", NEW."tokenCostPerMinute") IS NOT NULL)) EXECUTE FUNCTION "auditRow"('{"type":"Settings","id":["workspaceId"],"values":["merge","requestsPerMinute","costPerMinute","tokenRequestsPerMinute","tokenCostPerMinute"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Settings_audit_update" AFTER UPDATE ON "Settings" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Settings","id":["workspaceId"],"values":["merge","requestsPerMinute","costPerMinute","tokenRequestsPerMinute","tokenCostPerMinute"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Membership_audit_insert" AFTER INSERT ON "Membership" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Membership","id":["id"],"values":["role","userId","acceptedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Membership_audit_update" AFTER UPDATE ON "Membership" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Membership","id":["id"],"values":["role","userId","acceptedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Membership_audit_delete" AFTER DELETE ON "Membership" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Membership","id":["id"],"values":["role","userId","acceptedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "App_audit_insert" AFTER INSERT ON "App" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"App","id":["id"],"values":["roles","internal"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","ownersOnly","unrestricted"]}');
CREATE TRIGGER "App_audit_update" AFTER UPDATE ON "App" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,ownersOnly,unrestricted}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,ownersOnly,unrestricted}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"App","id":["id"],"values":["roles","internal"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","ownersOnly","unrestricted"]}');
CREATE TRIGGER "App_audit_delete" AFTER DELETE ON "App" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"App","id":["id"],"values":["roles","internal"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","ownersOnly","unrestricted"]}');
CREATE TRIGGER "AppRole_audit_insert" AFTER INSERT ON "AppRole" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"RoleRecord","id":["membershipId","appId"],"values":["role","membershipId","appId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","enforced"]}');
CREATE TRIGGER "AppRole_audit_update" AFTER UPDATE ON "AppRole" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,enforced}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,enforced}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"RoleRecord","id":["membershipId","appId"],"values":["role","membershipId","appId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","enforced"]}');
CREATE TRIGGER "AppRole_audit_delete" AFTER DELETE ON "AppRole" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"RoleRecord","id":["membershipId","appId"],"values":["role","membershipId","appId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","enforced"]}');
CREATE TRIGGER "Key_audit_insert" AFTER INSERT ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
CREATE TRIGGER "Key_audit_update" AFTER UPDATE ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,lastUsedAt,lastUsedFrom}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,lastUsedAt,lastUsedFrom}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
CREATE TRIGGER "Key_audit_delete" AFTER DELETE ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
CREATE TRIGGER "Subscription_audit_insert" AFTER INSERT ON "Subscription" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"WorkspaceSubscription","id":["id"],"values":["status","appId","priceId","source","maxInteractions"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Subscription_audit_update" AFTER UPDATE ON "Subscription" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"WorkspaceSubscription","id":["id"],"values":["status","appId","priceId","source","maxInteractions"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Subscription_audit_delete" AFTER DELETE ON "Subscription" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"WorkspaceSubscription","id":["id"],"values":["status","appId","priceId","source","maxInteractions"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Agent_audit_insert" AFTER INSERT ON "Agent" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["id"],"values":["status","purpose","freedom","behaviorType","model","fallbackModel","temperature","references"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Agent_audit_update" AFTER UPDATE ON "Agent" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["id"],"values":["status","purpose","freedom","behaviorType","model","fallbackModel","temperature","references"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Agent_audit_delete" AFTER DELETE ON "Agent" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["id"],"values":["status","purpose","freedom","behaviorType","model","fallbackModel","temperature","references"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "AgentBase_audit_insert" AFTER INSERT ON "AgentBase" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"bases","column":"baseId"}');
CREATE TRIGGER "AgentBase_audit_update" AFTER UPDATE ON "AgentBase" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"bases","column":"baseId"}');
CREATE TRIGGER "AgentBase_audit_delete" AFTER DELETE ON "AgentBase" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"bases","column":"baseId"}');
CREATE TRIGGER "AgentPlugin_audit_insert" AFTER INSERT ON "AgentPlugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"plugins","column":"pluginId"}');
CREATE TRIGGER "AgentPlugin_audit_update" AFTER UPDATE ON "AgentPlugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"plugins","column":"pluginId"}');
CREATE TRIGGER "AgentPlugin_audit_delete" AFTER DELETE ON "AgentPlugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"plugins","column":"pluginId"}');
CREATE TRIGGER "Channel_audit_insert" AFTER INSERT ON "Channel" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Channel","id":["id"],"values":["agentId","platform","origins"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"removedAt":"removedAt"}');
CREATE TRIGGER "Channel_audit_update" AFTER UPDATE ON "Channel" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Channel","id":["id"],"values":["agentId","platform","origins"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"removedAt":"removedAt"}');
CREATE TRIGGER "Channel_audit_delete" AFTER DELETE ON "Channel" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Channel","id":["id"],"values":["agentId","platform","origins"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"removedAt":"removedAt"}');
CREATE TRIGGER "Plugin_audit_insert" AFTER INSERT ON "Plugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Plugin","id":["id"],"values":["authType"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Plugin_audit_update" AFTER UPDATE ON "Plugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Plugin","id":["id"],"values":["authType"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Plugin_audit_delete" AFTER DELETE ON "Plugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Plugin","id":["id"],"values":["authType"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Credential_audit_insert" AFTER INSERT ON "Credential" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Credential","id":["agentId","pluginId"],"values":["agentId","pluginId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","failure","refreshingUntil"]}');
CREATE TRIGGER "Credential_audit_update" AFTER UPDATE ON "Credential" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,status,failure,refreshingUntil}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,status,failure,refreshingUntil}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Credential","id":["agentId","pluginId"],"values":["agentId","pluginId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","failure","refreshingUntil"]}');
CREATE TRIGGER "Credential_audit_delete" AFTER DELETE ON "Credential" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Credential","id":["agentId","pluginId"],"values":["agentId","pluginId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","failure","refreshingUntil"]}');
CREATE TRIGGER "Webhook_audit_insert" AFTER INSERT ON "Webhook" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Webhook","id":["id"],"values":["enabled","events"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Webhook_audit_delete" AFTER DELETE ON "Webhook" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Webhook","id":["id"],"values":["enabled","events"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Webhook_audit_update" AFTER UPDATE ON "Webhook" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,failingSince}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,failingSince}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Webhook","id":["id"],"values":["enabled","events","disabledReason"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","failingSince"],"bySystem":true}');
CREATE TRIGGER "Field_audit_insert" AFTER INSERT ON "Field" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Field","id":["id"],"values":["active","type"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","nameKey"]}');
CREATE TRIGGER "Field_audit_update" AFTER UPDATE ON "Field" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,nameKey}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,nameKey}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Field","id":["id"],"values":["active","type"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","nameKey"]}');
CREATE TRIGGER "Field_audit_delete" AFTER DELETE ON "Field" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Field","id":["id"],"values":["active","type"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","nameKey"]}');
CREATE TRIGGER "Base_audit_insert" AFTER INSERT ON "Base" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Base","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","records"]}');
CREATE TRIGGER "Base_audit_update" AFTER UPDATE ON "Base" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,status,records}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,status,records}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Base","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","records"]}');
CREATE TRIGGER "Base_audit_delete" AFTER DELETE ON "Base" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Base","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","records"]}');
CREATE TRIGGER "Source_audit_delete" AFTER DELETE ON "Source" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Source","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Lead_audit_delete" AFTER DELETE ON "Lead" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Lead","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Conversation_audit_delete" AFTER DELETE ON "Conversation" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Conversation","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Copy_audit_delete" AFTER DELETE ON "Copy" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Copy","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Document_audit_delete" AFTER DELETE ON "Document" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Document","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "EvaluationCase_audit_delete" AFTER DELETE ON "EvaluationCase" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"EvaluationCase","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "EvaluationRun_audit_delete" AFTER DELETE ON "EvaluationRun" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"EvaluationRun","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Conversation_audit_update" AFTER UPDATE OF "takenOverBy" ON "Conversation" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND OLD."takenOverBy" IS DISTINCT FROM NEW."takenOverBy") EXECUTE FUNCTION "auditRow"('{"type":"Conversation","id":["id"],"values":["takenOverBy"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"mark":"takenOverBy","actions":["taken_over","handed_back"]}');
