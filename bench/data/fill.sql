-- Three workspaces with 600 agents, and `bench.conversations` conversations with ten messages each on average. A tenth of
-- the agents hold six tenths of the conversations, and a tenth of the conversations more than half of the messages.

CREATE FUNCTION pg_temp.bench_id(prefix text, at timestamptz, seed text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT prefix || '_' ||
    substr(digits, (ms >> 45 & 31)::int + 1, 1) || substr(digits, (ms >> 40 & 31)::int + 1, 1) ||
    substr(digits, (ms >> 35 & 31)::int + 1, 1) || substr(digits, (ms >> 30 & 31)::int + 1, 1) ||
    substr(digits, (ms >> 25 & 31)::int + 1, 1) || substr(digits, (ms >> 20 & 31)::int + 1, 1) ||
    substr(digits, (ms >> 15 & 31)::int + 1, 1) || substr(digits, (ms >> 10 & 31)::int + 1, 1) ||
    substr(digits, (ms >> 5 & 31)::int + 1, 1) || substr(digits, (ms & 31)::int + 1, 1) ||
    left(md5(prefix || seed), 16)
  FROM (SELECT '0123456789abcdefghjkmnpqrstvwxyz' AS digits, round(extract(epoch FROM at) * 1000)::bigint AS ms) AS time
$$;

CREATE FUNCTION pg_temp.sentence(n int, length int) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT left('Olá! My order "' || md5(n::text) || '" has not arrived yet,' || chr(10) ||
    'and the tracking page has shown nothing new since last week: could you please find out where it is, tell me when I ' ||
    'can expect it, and say what I have to do if I would rather send it back? Thank you — ' || md5((n + 1)::text), length)
$$;

INSERT INTO "Workspace" (id, name, "createdAt", "updatedAt")
SELECT pg_temp.bench_id('wsp', at, w::text), 'Workspace ' || w, at, at
FROM generate_series(0, 2) AS w, LATERAL (SELECT timestamptz '2024-01-01Z' + w * interval '1 day' AS at) AS time;

INSERT INTO "User" (id, name, email, "createdAt", "updatedAt")
SELECT pg_temp.bench_id('usr', "createdAt", id), 'Owner', 'owner-' || right(name, 1) || '@bench.test', "createdAt", "createdAt"
FROM "Workspace";

INSERT INTO "Membership" (id, "workspaceId", "userId", role, "createdAt", "updatedAt")
SELECT pg_temp.bench_id('mem', w."createdAt", w.id), w.id, u.id, 'owner', w."createdAt", w."createdAt"
FROM "Workspace" w JOIN "User" u ON u.email = 'owner-' || right(w.name, 1) || '@bench.test';

CREATE TEMP TABLE bench_agent AS
SELECT a, w.id AS "workspaceId", pg_temp.bench_id('agt', at, a::text) AS id, at,
  pg_temp.bench_id('chn', at, a::text) AS "channelId", u.id AS "userId"
FROM generate_series(0, 599) AS a
CROSS JOIN LATERAL (SELECT timestamptz '2024-02-01Z' + a * interval '1 hour' AS at) AS time
JOIN "Workspace" w ON w.name = 'Workspace ' || a % 3
JOIN "Membership" m ON m."workspaceId" = w.id JOIN "User" u ON u.id = m."userId";

-- Conversations of the past stay open: the gateway would otherwise resolve them while it is measured.
INSERT INTO "Agent" (id, "workspaceId", name, "searchText", description, welcome, instructions, purpose, status,
  "resolveAfterMinutes", "createdBy", "updatedBy", "createdAt", "updatedAt")
SELECT id, "workspaceId", 'Agent ' || a, 'agent ' || a, pg_temp.sentence(a, 80), 'Hello! How can I help?',
  pg_temp.sentence(a, 250), (enum_range(NULL::"AgentPurpose"))[a % 4 + 1], 'active', 0, "userId", "userId", at, at
FROM bench_agent;

INSERT INTO "Channel" (id, "workspaceId", "agentId", platform, "credentialsCipher", "createdBy", "updatedBy", "createdAt", "updatedAt")
SELECT "channelId", "workspaceId", id, 'widget', '', "userId", "userId", at, at FROM bench_agent;

CREATE TEMP TABLE bench_conversation AS
SELECT c, time.at, b."workspaceId", b.id AS "agentId", b."channelId", pg_temp.bench_id('cnv', time.at, c::text) AS id,
  CASE WHEN c % 3 = 0 THEN pg_temp.bench_id('led', time.at, c::text) END AS "leadId",
  CASE WHEN c % 10 = c / 10 % 6 THEN 55 ELSE 5 END AS messages
FROM (SELECT current_setting('bench.conversations')::int AS total) AS size
CROSS JOIN LATERAL generate_series(0, total - 1) AS c
CROSS JOIN LATERAL (SELECT date_trunc('second', timestamptz '2025-03-01Z' + c * (interval '600 days' / total)) AS at) AS time
CROSS JOIN LATERAL (
  SELECT CASE WHEN c % 10 < 6 THEN (c / 10 * 6 + c % 10) % 60 * 10
    ELSE (c / 10 * 4 + c % 10 - 6) % 540 / 9 * 10 + (c / 10 * 4 + c % 10 - 6) % 9 + 1 END AS a
) AS owner
JOIN bench_agent b USING (a)
ORDER BY c;

INSERT INTO "Lead" (id, "workspaceId", "agentId", name, email, phone, custom, utm, capture, "searchText", "createdAt", "updatedAt")
SELECT "leadId", "workspaceId", "agentId", 'Visitor ' || c, 'visitor-' || c || '@example.com',
  '+55119' || lpad((c % 100000000)::text, 8, '0'), '{}', '{"source": "newsletter"}', 'completed',
  'visitor ' || c || ' visitor-' || c || '@example.com', at, at
FROM bench_conversation WHERE "leadId" IS NOT NULL ORDER BY c;

INSERT INTO "Conversation" (id, "workspaceId", "agentId", "channelId", "leadId", title, platform, context,
  "platformUserIdentifier", stage, summary, status, "messageCount", duration, "createdAt", "updatedAt")
SELECT id, "workspaceId", "agentId", "channelId", "leadId", pg_temp.sentence(c, 50), 'widget',
  '{"utm": {"source": "newsletter"}}', 'visitor-' || c, 'assist', CASE WHEN c % 2 = 0 THEN pg_temp.sentence(c, 120) END,
  'active', messages, (messages - 1) * 60, at, at + interval '1 hour'
FROM bench_conversation ORDER BY c;

INSERT INTO "Message" (id, "workspaceId", "agentId", "channelId", "conversationId", position, role, content,
  "promptTokens", "completionTokens", "createdAt", "updatedAt")
SELECT pg_temp.bench_id('msg', said, c || ' ' || p), "workspaceId", "agentId", "channelId", id, p,
  CASE WHEN p % 2 = 0 THEN 'user' ELSE 'assistant' END::"MessageRole", pg_temp.sentence(c + p, 60 + (c * 7 + p * 31) % 200),
  nullif(p % 2 * 300, 0), nullif(p % 2 * 40, 0), said, said
FROM bench_conversation
CROSS JOIN LATERAL generate_series(0, messages - 1) AS p
CROSS JOIN LATERAL (SELECT at + p * interval '1 minute' AS said) AS time
ORDER BY c, p;

DROP TABLE bench_conversation, bench_agent;
