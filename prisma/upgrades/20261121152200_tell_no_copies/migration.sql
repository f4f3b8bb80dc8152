-- A conversation that branches off begins with copies of messages that were told when they were said: those before the
-- message that is edited.
CREATE OR REPLACE FUNCTION "tellMessages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM "Webhook" WHERE "enabled" AND "workspaceId" IN (SELECT "workspaceId" FROM added)) THEN
    PERFORM "tellEvent"(m."workspaceId", 'message.created', jsonb_build_object(
      'messageId', m."id", 'conversationId', c."id", 'agentId', c."agentId", 'role', m."role"))
    FROM added m JOIN "Conversation" c ON c."workspaceId" = m."workspaceId" AND c."id" = m."conversationId"
    LEFT JOIN "Message" edited ON edited."workspaceId" = c."workspaceId" AND edited."id" = c."branchedAtId"
    WHERE NOT c."preview" AND m."position" >= coalesce(edited."position", 0)
    ORDER BY m."conversationId", m."position";
  END IF;
  RETURN NULL;
END $$;
