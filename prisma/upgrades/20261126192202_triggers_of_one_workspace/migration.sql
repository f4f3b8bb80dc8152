-- Triggers name the workspace whose rows they read and write, join no rows of a statement with a table, and do not depend on
-- the name of their table: so they work in each shard of a distributed table, too.

-- Writes the audit log: one entry per changed row and transaction. Its argument is the rule of the table, from
-- src/database/audit/rules.ts; who acts is in a setting of the transaction, empty if the gateway acts by itself.
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

-- Events of the rows that one statement has added: their type, what they tell (a key, and its value in SQL), and the FROM clause
-- that says which rows are told of, where others decide that: of the rows as jsonb, $1, of the workspace $2.
CREATE OR REPLACE FUNCTION "tellAdded"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  workspace text;
  rows jsonb;
  columns text;
  told jsonb;
BEGIN
  FOR workspace IN SELECT DISTINCT "workspaceId" FROM added ORDER BY 1 LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM "Webhook" WHERE "workspaceId" = workspace AND "enabled");
    SELECT jsonb_agg(to_jsonb(row)) INTO rows FROM added row WHERE row."workspaceId" = workspace;
    SELECT string_agg(format('%L, %s', named.key, named.value), ', ') INTO columns FROM jsonb_each_text(TG_ARGV[1]::jsonb) named;
    FOR told IN EXECUTE format('SELECT jsonb_build_object(%s) FROM %s', columns, TG_ARGV[2]) USING rows, workspace LOOP
      PERFORM "tellEvent"(workspace, TG_ARGV[0], told);
    END LOOP;
  END LOOP;
  RETURN NULL;
END $$;

-- A delivery of each event to each webhook that wants it; a webhook is not deleted meanwhile.
CREATE OR REPLACE FUNCTION "deliverEvents"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event record;
  webhook text;
BEGIN
  FOR event IN SELECT * FROM told ORDER BY "position" LOOP
    FOR webhook IN
      SELECT "id" FROM "Webhook" WHERE "workspaceId" = event."workspaceId"
        AND CASE event."type" WHEN 'ping' THEN "id" = event."data" ->> 'webhookId'
          ELSE "enabled" AND ("events" = '{}' OR replace(event."type", '.', '_') = ANY ("events"::text[])) END
      FOR KEY SHARE
    LOOP
      INSERT INTO "WebhookDelivery" ("id", "workspaceId", "webhookId", "eventId", "event")
      VALUES ("newId"('dlv'), event."workspaceId", webhook, event."id", replace(event."type", '.', '_')::"WebhookEvent");
    END LOOP;
  END LOOP;
  RETURN NULL;
END $$;

-- Takes removed passages out of their segments, and deletes segments that have none left.
CREATE OR REPLACE FUNCTION "unindexPassages"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN
    SELECT "workspaceId", array_agg("segment") AS numbers, array_agg("count") AS counts, array_agg("words") AS words,
      array_agg("slots") AS slots
    FROM (
      SELECT "workspaceId", "segment", count(*)::int AS "count", sum("words")::int AS "words",
        string_agg(int2send("slot"), ''::bytea) AS "slots"
      FROM removed WHERE "segment" IS NOT NULL GROUP BY 1, 2
    ) AS counted
    GROUP BY 1 ORDER BY 1
  LOOP
    -- In one order for all, so that two that remove passages of the same segments do not wait for each other.
    PERFORM 1 FROM "PassageSegment" WHERE "workspaceId" = lost."workspaceId" AND "number" = ANY (lost.numbers)
    ORDER BY "number" FOR UPDATE;
    UPDATE "PassageSegment" AS part
    SET "live" = "live" - counted."count", "words" = part."words" - counted."words", "gone" = "gone" || counted."slots"
    FROM unnest(lost.numbers, lost.counts, lost.words, lost.slots) AS counted("number", "count", "words", "slots")
    WHERE part."workspaceId" = lost."workspaceId" AND part."number" = counted."number";
    DELETE FROM "PassageSegment"
    WHERE "workspaceId" = lost."workspaceId" AND "number" = ANY (lost.numbers) AND "live" <= 0;
  END LOOP;
  RETURN NULL;
END $$;

-- A person's answers go with each of their memberships, which go with the person: the person's own row, which belongs to no
-- workspace, need not look into all of them.
DROP TRIGGER "User_answers" ON "User";

CREATE OR REPLACE FUNCTION "eraseAnswers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "eraseAnswersOf"("workspaceId", array_agg("id")) FROM gone GROUP BY "workspaceId" ORDER BY "workspaceId";
  RETURN NULL;
END $$;

DROP FUNCTION "eraseAnswersAbout"(text[]);

CREATE OR REPLACE FUNCTION "eraseAnswersOfMember"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Those of workspace '' were given before the invitation was accepted.
  PERFORM "eraseAnswersOf"('', ARRAY[OLD."id", OLD."userId"]);
  PERFORM "eraseAnswersOf"(OLD."workspaceId", ARRAY[OLD."id", OLD."userId"]);
  RETURN NULL;
END $$;

-- An invitation that a known person accepts becomes theirs; the invitee whom it named is deleted.
CREATE TRIGGER "Membership_answers_moved" AFTER UPDATE OF "userId" ON "Membership"
FOR EACH ROW WHEN (OLD."userId" IS DISTINCT FROM NEW."userId") EXECUTE FUNCTION "eraseAnswersOfMember"();

-- Events of rows, and the audit log
DROP TRIGGER "Message_created" ON "Message";
CREATE TRIGGER "Message_created" AFTER INSERT ON "Message" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "tellAdded"('message.created', '{"messageId":"row.\"id\"","conversationId":"conversation.\"id\"","agentId":"conversation.\"agentId\"","role":"row.\"role\""}', 'jsonb_populate_recordset(NULL::"Message", $1) row JOIN "Conversation" conversation ON conversation."workspaceId" = $2 AND conversation."id" = row."conversationId" LEFT JOIN "Message" edited ON edited."workspaceId" = $2 AND edited."id" = conversation."branchedAtId" WHERE NOT conversation."preview" AND row."position" >= coalesce(edited."position", 0) ORDER BY row."conversationId", row."position"');
