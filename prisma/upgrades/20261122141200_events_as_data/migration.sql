-- Which changes of rows are events is declared as data beside the rules of each table, in src/domain; these two functions write
-- them, and the triggers are made from the declarations. Nothing is written in a workspace that has no webhook for it.

-- An event of one row: its type, what it tells (a key, and the column with its value), and the columns whose names are told
-- under `changed` when they have changed.
CREATE FUNCTION "tellRow"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  workspace text := coalesce(NEW."workspaceId", OLD."workspaceId");
  event text := TG_ARGV[0];
  before jsonb;
  after jsonb;
  told jsonb;
BEGIN
  -- The workspace is looked for since its rows go after it when it is removed.
  IF NOT EXISTS (
    SELECT FROM "Webhook" w JOIN "Workspace" s ON s."id" = w."workspaceId"
    WHERE w."workspaceId" = workspace AND w."enabled"
      AND (w."events" = '{}' OR replace(event, '.', '_') = ANY (w."events"::text[]))
  ) THEN
    RETURN NULL;
  END IF;
  before := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
  after := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
  SELECT jsonb_object_agg(named.key, coalesce(after, before) -> named.value) INTO told
  FROM jsonb_each_text(TG_ARGV[1]::jsonb) named;
  IF TG_NARGS > 2 THEN
    told := told || jsonb_build_object('changed', (
      SELECT coalesce(jsonb_agg(one.name ORDER BY one.place), '[]')
      FROM jsonb_array_elements_text(TG_ARGV[2]::jsonb) WITH ORDINALITY one(name, place)
      WHERE before -> one.name IS DISTINCT FROM after -> one.name
    ));
  END IF;
  INSERT INTO "OutboxEvent" ("id", "workspaceId", "type", "data") VALUES ("newId"('evt'), workspace, event, told);
  RETURN NULL;
END $$;

-- Events of the rows that one statement has added: their type, what they tell (a key, and its value in SQL), and the FROM clause
-- that says which rows are told of, where others decide that.
CREATE FUNCTION "tellAdded"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told text;
BEGIN
  IF EXISTS (SELECT FROM "Webhook" WHERE "enabled" AND "workspaceId" IN (SELECT "workspaceId" FROM added)) THEN
    SELECT string_agg(format('%L, %s', named.key, named.value), ', ') INTO told FROM jsonb_each_text(TG_ARGV[1]::jsonb) named;
    EXECUTE format('SELECT "tellEvent"(row."workspaceId", %L, jsonb_build_object(%s)) FROM %s', TG_ARGV[0], told, TG_ARGV[2]);
  END IF;
  RETURN NULL;
END $$;

DROP TRIGGER "Conversation_created" ON "Conversation";
DROP TRIGGER "Conversation_updated" ON "Conversation";
DROP TRIGGER "Lead_created" ON "Lead";
DROP TRIGGER "Lead_removed" ON "Lead";
DROP TRIGGER "Lead_updated" ON "Lead";
DROP TRIGGER "Message_created" ON "Message";
DROP TRIGGER "Source_ended" ON "Source";
DROP FUNCTION "tellConversation"();
DROP FUNCTION "tellLead"();
DROP FUNCTION "tellMessages"();
DROP FUNCTION "tellSource"();

CREATE TRIGGER "Message_created" AFTER INSERT ON "Message" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "tellAdded"('message.created', '{"messageId":"row.\"id\"","conversationId":"conversation.\"id\"","agentId":"conversation.\"agentId\"","role":"row.\"role\""}', 'added row JOIN "Conversation" conversation ON conversation."workspaceId" = row."workspaceId" AND conversation."id" = row."conversationId" LEFT JOIN "Message" edited ON edited."workspaceId" = conversation."workspaceId" AND edited."id" = conversation."branchedAtId" WHERE NOT conversation."preview" AND row."position" >= coalesce(edited."position", 0) ORDER BY row."conversationId", row."position"');
CREATE TRIGGER "Conversation_created" AFTER INSERT ON "Conversation" FOR EACH ROW WHEN (NOT NEW."preview") EXECUTE FUNCTION "tellRow"('conversation.created', '{"conversationId":"id","agentId":"agentId"}');
CREATE TRIGGER "Conversation_updated" AFTER UPDATE ON "Conversation" FOR EACH ROW WHEN ((OLD."status", OLD."stage", OLD."leadId", OLD."title") IS DISTINCT FROM (NEW."status", NEW."stage", NEW."leadId", NEW."title") AND NOT NEW."preview") EXECUTE FUNCTION "tellRow"('conversation.updated', '{"conversationId":"id","agentId":"agentId"}', '["status","stage","leadId","title"]');
CREATE TRIGGER "Lead_created" AFTER INSERT ON "Lead" FOR EACH ROW EXECUTE FUNCTION "tellRow"('lead.created', '{"leadId":"id","agentId":"agentId"}');
CREATE TRIGGER "Lead_updated" AFTER UPDATE ON "Lead" FOR EACH ROW WHEN ((OLD."name", OLD."email", OLD."phone", OLD."company", OLD."site", OLD."custom", OLD."utm", OLD."capture") IS DISTINCT FROM (NEW."name", NEW."email", NEW."phone", NEW."company", NEW."site", NEW."custom", NEW."utm", NEW."capture")) EXECUTE FUNCTION "tellRow"('lead.updated', '{"leadId":"id","agentId":"agentId"}');
CREATE TRIGGER "Lead_removed" AFTER DELETE ON "Lead" FOR EACH ROW EXECUTE FUNCTION "tellRow"('lead.removed', '{"leadId":"id","agentId":"agentId"}');
CREATE TRIGGER "Source_succeeded" AFTER UPDATE ON "Source" FOR EACH ROW WHEN (OLD."status" = 'in_progress' AND NEW."status" <> 'in_progress' AND NOT (NEW."status" = 'failed' OR NEW."lastRefreshError" IS NOT NULL)) EXECUTE FUNCTION "tellRow"('source.succeeded', '{"sourceId":"id","baseId":"baseId"}');
CREATE TRIGGER "Source_failed" AFTER UPDATE ON "Source" FOR EACH ROW WHEN (OLD."status" = 'in_progress' AND NEW."status" <> 'in_progress' AND (NEW."status" = 'failed' OR NEW."lastRefreshError" IS NOT NULL)) EXECUTE FUNCTION "tellRow"('source.failed', '{"sourceId":"id","baseId":"baseId"}');
