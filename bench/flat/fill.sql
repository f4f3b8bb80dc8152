-- `flat.workspaces` workspaces. The first has `flat.first` conversations of 20 agents, each of the others `flat.other` of two
-- agents; they come in turns, so that the rows of one workspace lie among those of all. Ten messages a conversation.

CREATE FUNCTION pg_temp.flat_id(prefix text, n bigint) RETURNS text IMMUTABLE LANGUAGE sql AS
  $$ SELECT prefix || '_' || lpad(to_hex(n), 26, '0') $$;

INSERT INTO "Workspace" (id, name, "createdAt", "updatedAt")
SELECT pg_temp.flat_id('wsp', w), 'Workspace ' || w, now(), now()
FROM generate_series(0, current_setting('flat.workspaces')::int - 1) AS w;

INSERT INTO "User" (id, name, email, "createdAt", "updatedAt")
SELECT replace(id, 'wsp', 'usr'), 'Owner', id || '@bench.test', now(), now() FROM "Workspace";

INSERT INTO "Membership" (id, "workspaceId", "userId", role, "createdAt", "updatedAt")
SELECT replace(id, 'wsp', 'mem'), id, replace(id, 'wsp', 'usr'), 'owner', now(), now() FROM "Workspace";

-- Conversations of the past stay open: the gateway would otherwise resolve them while it is measured.
INSERT INTO "Agent" (id, "workspaceId", name, "searchText", status, "resolveAfterMinutes", "createdBy", "updatedBy",
  "createdAt", "updatedAt")
SELECT pg_temp.flat_id('agt', w * 100 + a), pg_temp.flat_id('wsp', w), 'Agent ' || a, 'agent ' || a, 'active', 0, '', '',
  at, at
FROM generate_series(0, current_setting('flat.workspaces')::int - 1) AS w,
  LATERAL generate_series(0, CASE w WHEN 0 THEN 19 ELSE 1 END) AS a,
  LATERAL (SELECT timestamptz '2024-01-01Z' + a * interval '1 hour' AS at) AS time;

INSERT INTO "Channel" (id, "workspaceId", "agentId", platform, "credentialsCipher", "createdBy", "updatedBy", "createdAt", "updatedAt")
SELECT replace(id, 'agt', 'chn'), "workspaceId", id, 'widget', '', '', '', "createdAt", "createdAt" FROM "Agent";

CREATE TEMP TABLE flat_conversation AS
SELECT row_number() OVER (ORDER BY share, w, k)::int AS c, w, k
FROM (
  SELECT w, k, k::float / count AS share
  FROM generate_series(0, current_setting('flat.workspaces')::int - 1) AS w,
    LATERAL (SELECT current_setting(CASE w WHEN 0 THEN 'flat.first' ELSE 'flat.other' END)::int AS count) AS size,
    LATERAL generate_series(0, count - 1) AS k
) AS turn;

CREATE TEMP TABLE flat_row AS
SELECT c, k, pg_temp.flat_id('wsp', w) AS "workspaceId", pg_temp.flat_id('cnv', c) AS id, at,
  pg_temp.flat_id('agt', w * 100 + agent) AS "agentId", pg_temp.flat_id('chn', w * 100 + agent) AS "channelId",
  CASE WHEN k % 3 = 0 THEN pg_temp.flat_id('led', c) END AS "leadId"
FROM flat_conversation,
  LATERAL (SELECT k % CASE w WHEN 0 THEN 20 ELSE 2 END AS agent) AS owner,
  LATERAL (SELECT timestamptz '2025-01-01Z' + c * interval '1 second' AS at) AS time
ORDER BY c;

INSERT INTO "Lead" (id, "workspaceId", "agentId", name, email, "searchText", "createdAt", "updatedAt")
SELECT "leadId", "workspaceId", "agentId", CASE WHEN c % 5 > 0 THEN md5(c::text) END, 'visitor-' || c || '@example.com',
  'visitor-' || c || '@example.com', at, at
FROM flat_row WHERE "leadId" IS NOT NULL ORDER BY c;

INSERT INTO "Conversation" (id, "workspaceId", "agentId", "channelId", "leadId", title, "platformUserIdentifier",
  "messageCount", duration, "createdAt", "updatedAt")
SELECT id, "workspaceId", "agentId", "channelId", "leadId", 'Conversation ' || k, 'visitor-' || c, 10, 540, at, at + interval '1 hour'
FROM flat_row ORDER BY c;

INSERT INTO "Message" (id, "workspaceId", "agentId", "channelId", "conversationId", position, role, content, "createdAt",
  "updatedAt")
SELECT pg_temp.flat_id('msg', c::bigint * 10 + p), "workspaceId", "agentId", "channelId", id, p,
  CASE WHEN p % 2 = 0 THEN 'user' ELSE 'assistant' END::"MessageRole",
  'My order ' || c || ' has not arrived yet: could you please find out where it is and tell me when I can expect it? ' || p,
  said, said
FROM flat_row, LATERAL generate_series(0, 9) AS p, LATERAL (SELECT at + p * interval '1 minute' AS said) AS time
ORDER BY c, p;

DROP TABLE flat_row, flat_conversation;
