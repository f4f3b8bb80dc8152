-- A token that somebody got for a member (POST /apps/auth) makes rows that name this member: who acted is in the audit log alone, so it
-- has each of these rows. A change that only names the member as the last to change the row is recorded for such a token.
CREATE OR REPLACE FUNCTION "auditRow"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule jsonb := TG_ARGV[0]::jsonb;
  actor jsonb := nullif(current_setting('parley.actor', true), '')::jsonb;
  before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) ELSE '{}' END;
  after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) ELSE '{}' END;
  present jsonb := CASE WHEN TG_OP = 'DELETE' THEN before ELSE after END;
  -- Only a row of "Workspace" has no column of that name.
  workspace text := coalesce(present ->> 'workspaceId', present ->> 'id');
  what text := rule ->> 'type';
  changed jsonb;
  told text[];
  verb "AuditAction";
  identity text;
  known record;
BEGIN
  IF actor IS NULL AND NOT rule ? 'bySystem' THEN RETURN NULL; END IF;
  -- A branch copies messages of others.
  IF rule ? 'onBehalf' AND (actor ->> 'onBehalfOfId' IS NULL
    OR TG_OP = 'INSERT' AND after ->> 'createdBy' IS DISTINCT FROM actor ->> 'onBehalfOfId') THEN RETURN NULL; END IF;
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
    IF TG_OP = 'UPDATE' AND changed = '{}' AND (NOT rule ? 'named' OR actor ->> 'onBehalfOfId' IS NULL) THEN RETURN NULL; END IF;
  END IF;

  SELECT e."id", e."action", e."changes" INTO known FROM "AuditEntry" e
  WHERE e."workspaceId" = workspace AND e."createdAt" = now()::timestamptz(3)
    AND e."transaction" = pg_current_xact_id()::text AND e."type" = what AND e."rowId" = identity;
  IF known."id" IS NULL THEN
    told := ARRAY(SELECT jsonb_object_keys(changed) ORDER BY 1);
    INSERT INTO "AuditEntry"
      ("workspaceId", "id", "actorKind", "actorId", "onBehalfOfId", "address", "action", "type", "rowId", "fields", "changes", "transaction")
    VALUES (workspace, "newId"('aud'), coalesce(actor ->> 'kind', 'system')::"AuditActorKind", actor ->> 'id',
      actor ->> 'onBehalfOfId', actor ->> 'address', verb, what, identity, told, changed,
      pg_current_xact_id()::text);
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
    told := ARRAY(SELECT jsonb_object_keys(changed) ORDER BY 1);
    UPDATE "AuditEntry" SET
      "action" = CASE
        WHEN known."action" = 'created' AND verb = 'updated' THEN 'created'
        WHEN known."action" = 'deleted' AND verb = 'created' THEN 'updated'
        WHEN known."action" = 'deleted' AND verb = 'updated' THEN 'deleted'
        ELSE verb
      END,
      "changes" = changed, "fields" = told
    WHERE "workspaceId" = workspace AND "id" = known."id";
  END IF;
  RETURN NULL;
END $$;

DROP TRIGGER "Agent_audit_update" ON "Agent";
DROP TRIGGER "AppRole_audit_update" ON "AppRole";
DROP TRIGGER "Base_audit_update" ON "Base";
DROP TRIGGER "Channel_audit_update" ON "Channel";
DROP TRIGGER "Dashboard_audit_update" ON "Dashboard";
DROP TRIGGER "Field_audit_update" ON "Field";
DROP TRIGGER "SavedOperation_audit_update" ON "SavedOperation";
DROP TRIGGER "Webhook_audit_update" ON "Webhook";
CREATE TRIGGER "AppRole_audit_update" AFTER UPDATE ON "AppRole" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,enforced}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,enforced}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"RoleRecord","id":["membershipId","appId"],"values":["role","membershipId","appId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","enforced"],"named":true}');
CREATE TRIGGER "Agent_audit_update" AFTER UPDATE ON "Agent" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["id"],"values":["status","purpose","freedom","behaviorType","model","fallbackModel","temperature","references","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"named":true}');
CREATE TRIGGER "Channel_audit_update" AFTER UPDATE ON "Channel" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Channel","id":["id"],"values":["agentId","platform","origins"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"removedAt":"removedAt","named":true}');
CREATE TRIGGER "Webhook_audit_update" AFTER UPDATE ON "Webhook" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,failingSince}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,failingSince}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Webhook","id":["id"],"values":["enabled","events","disabledReason","runsAs"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","failingSince"],"bySystem":true,"named":true}');
CREATE TRIGGER "Field_audit_update" AFTER UPDATE ON "Field" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,nameKey}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,nameKey}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Field","id":["id"],"values":["active","type"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","nameKey"],"named":true}');
CREATE TRIGGER "Base_audit_update" AFTER UPDATE ON "Base" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,status,records}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,status,records}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Base","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","records"],"named":true}');
CREATE TRIGGER "SavedOperation_audit_update" AFTER UPDATE ON "SavedOperation" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"SavedOperation","id":["id"],"values":["documentHash","cost"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"named":true}');
CREATE TRIGGER "Dashboard_audit_update" AFTER UPDATE ON "Dashboard" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Dashboard","id":["id"],"values":["last","timeZone"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"named":true}');
CREATE TRIGGER "Message_audit_insert" AFTER INSERT ON "Message" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (NEW."createdBy" IS NOT NULL)) EXECUTE FUNCTION "auditRow"('{"type":"Message","id":["id"],"values":["conversationId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"onBehalf":true}');
CREATE TRIGGER "EvaluationCase_audit_insert" AFTER INSERT ON "EvaluationCase" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"EvaluationCase","id":["id"],"values":["agentId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"onBehalf":true}');
CREATE TRIGGER "EvaluationCase_audit_update" AFTER UPDATE ON "EvaluationCase" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"EvaluationCase","id":["id"],"values":["agentId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"named":true,"onBehalf":true}');
CREATE TRIGGER "EvaluationRun_audit_insert" AFTER INSERT ON "EvaluationRun" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"EvaluationRun","id":["id"],"values":["agentId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"onBehalf":true}');
CREATE TRIGGER "Gap_audit_update" AFTER UPDATE ON "Gap" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,marks,count,firstAskedAt,lastAskedAt,rank}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,marks,count,firstAskedAt,lastAskedAt,rank}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Gap","id":["id"],"values":["state","sourceId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","marks","count","firstAskedAt","lastAskedAt","rank"],"named":true,"onBehalf":true}');
