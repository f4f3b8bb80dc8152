-- AlterEnum
ALTER TYPE "AuditAction" ADD VALUE 'token_issued';

-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN     "onBehalfOfId" TEXT;

-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_onBehalfOfId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "onBehalfOfId", "createdAt", "id");

-- Writes the audit log: one entry per changed row and transaction. Its argument is the rule of the table, from
-- src/database/audit/rules.ts; who acts is in a setting of the transaction, empty if the gateway acts by itself.
CREATE OR REPLACE FUNCTION "auditRow"() RETURNS trigger LANGUAGE plpgsql AS $$
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
      ("workspaceId", "id", "actorKind", "actorId", "onBehalfOfId", "address", "action", "type", "rowId", "fields", "changes", "transaction")
    VALUES (workspace, "newId"('aud'), coalesce(actor ->> 'kind', 'system')::"AuditActorKind", actor ->> 'id',
      actor ->> 'onBehalfOfId', actor ->> 'address', verb, what, identity, ARRAY(SELECT jsonb_object_keys(changed) ORDER BY 1), changed,
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
