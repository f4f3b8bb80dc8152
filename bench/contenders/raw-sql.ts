import { groupStatements } from './raw-groups.ts';
import { array, maybe, maybeWord, newest, object, ofAgent, plain, text, time, word } from './raw-parts.ts';

/**
 * Hand-optimised SQL: one statement per operation, whose single text column is the body of the response. Text is
 * concatenated with ||, which costs PostgreSQL less than json_build_object and json_agg.
 */
const leadOf = (columns: Record<string, string>) =>
  `coalesce((SELECT ${object(columns)} FROM "Lead" l WHERE l."workspaceId" = c."workspaceId" AND l.id = c."leadId"), 'null')`;

const ofConversation = '"workspaceId" = c."workspaceId" AND "conversationId" = c.id';

const shortMessage = object({
  id: word('m.id'),
  role: word('m.role'),
  content: maybe('m.content'),
  createdAt: time('m."createdAt"'),
});
const shortConversation = object({
  id: word('c.id'),
  title: text('c.title'),
  status: word('c.status'),
  createdAt: time('c."createdAt"'),
  lead: leadOf({ id: word('l.id'), name: maybe('l.name'), email: maybe('l.email') }),
  messages: object({
    nodes: `(SELECT ${array(shortMessage)}
      FROM (SELECT * FROM "Message" WHERE ${ofConversation} ORDER BY position LIMIT 5) m)`,
  }),
});
const shortAgent = object({
  id: word('a.id'),
  name: text('a.name'),
  status: word('a.status'),
  conversations: object({
    nodes: `(SELECT ${array(shortConversation)}
      FROM (SELECT * FROM "Conversation" WHERE ${ofAgent} ORDER BY ${newest} LIMIT 10) c)`,
  }),
});

/** $1 the workspace. */
const nested = `SELECT '{"data":{"agents":{"nodes":' || ${array(shortAgent)} || '}}}' AS body
FROM (SELECT * FROM "Agent" WHERE "workspaceId" = $1 ORDER BY ${newest} LIMIT 20) a`;

const listed = object({
  id: word('c.id'),
  title: text('c.title'),
  status: word('c.status'),
  messageCount: plain('c."messageCount"'),
  createdAt: time('c."createdAt"'),
  updatedAt: time('c."updatedAt"'),
  lead: leadOf({ id: word('l.id'), name: maybe('l.name'), email: maybe('l.email'), phone: maybe('l.phone') }),
});
const cursor = `translate(encode(convert_to(c."createdAt" || ' ' || c.id, 'UTF8'), 'base64'), E'\\n', '')`;
const pageInfo = object({
  hasNextPage: '(count(*) > 20)::text',
  endCursor: `coalesce('"' || max(${cursor}) FILTER (WHERE n = least(20, found)) || '"', 'null')`,
});
const page = `(SELECT '"nodes":' || ${array(listed, ' FILTER (WHERE n <= 20)')} || ',"pageInfo":' || ${pageInfo}
  FROM (SELECT *, row_number() OVER () AS n, count(*) OVER () AS found FROM (
    SELECT * FROM "Conversation" WHERE ${ofAgent} AND ("createdAt", id) < ($3::timestamptz, $4) ORDER BY ${newest} LIMIT 21
  ) limited) c)`;
const count = `(SELECT count(*) FROM "Conversation" WHERE ${ofAgent})`;

/** $1 the workspace, $2 the agent, $3 and $4 the time and id of the row before the page. */
const list = `SELECT '{"data":{"agent":{"conversations":{' || ${page} || '}}}}' AS body
FROM "Agent" a WHERE a."workspaceId" = $1 AND a.id = $2`;
const listWithTotal = `SELECT '{"data":{"agent":{"conversations":{"totalCount":' || ${count} || ',' || ${page} || '}}}}' AS body
FROM "Agent" a WHERE a."workspaceId" = $1 AND a.id = $2`;

const message = object({
  id: word('m.id'),
  position: plain('m.position'),
  role: word('m.role'),
  content: maybe('m.content'),
  createdAt: time('m."createdAt"'),
});
const conversation = object({
  id: word('c.id'),
  title: text('c.title'),
  status: word('c.status'),
  stage: word('c.stage'),
  summary: maybe('c.summary'),
  createdAt: time('c."createdAt"'),
  messages: object({
    nodes: `(SELECT '[' || coalesce(string_agg(${message}, ',' ORDER BY m.position), '') || ']'
      FROM (SELECT * FROM "Message" WHERE ${ofConversation} ORDER BY position DESC LIMIT 20) m)`,
  }),
});

/** $1 the workspace, $2 the conversation. */
const point = `SELECT '{"data":{"conversation":' || ${conversation} || '}}' AS body
FROM "Conversation" c WHERE c."workspaceId" = $1 AND c.id = $2`;

const times = (alias: string) => ({ createdAt: time(`${alias}."createdAt"`), updatedAt: time(`${alias}."updatedAt"`) });
const wholeLead = {
  id: word('l.id'),
  workspaceId: word('l."workspaceId"'),
  agentId: maybeWord('l."agentId"'),
  name: maybe('l.name'),
  email: maybe('l.email'),
  phone: maybe('l.phone'),
  company: maybe('l.company'),
  site: maybe('l.site'),
  custom: plain('l.custom'),
  utm: plain('l.utm'),
  capture: word('l.capture'),
  ...times('l'),
};
const wholeConversation = object({
  id: word('c.id'),
  title: text('c.title'),
  agentId: word('c."agentId"'),
  channelId: word('c."channelId"'),
  workspaceId: word('c."workspaceId"'),
  platform: word('c.platform'),
  context: plain('c.context'),
  platformUserIdentifier: text('c."platformUserIdentifier"'),
  leadId: maybeWord('c."leadId"'),
  stage: word('c.stage'),
  preview: plain('c.preview'),
  summary: maybe('c.summary'),
  status: word('c.status'),
  lead: leadOf(wholeLead),
  ...times('c'),
});
const wholeAgent = object({
  id: word('a.id'),
  name: text('a.name'),
  description: maybe('a.description'),
  avatar: maybe('a.avatar'),
  color: text('a.color'),
  welcome: maybe('a.welcome'),
  instructions: maybe('a.instructions'),
  off: maybe('a.off'),
  references: plain('a."references"'),
  purpose: word('a.purpose'),
  freedom: word('a.freedom'),
  behavior_type: word('a."behaviorType"'),
  status: word('a.status'),
  left: plain('a."left"'),
  workspaceId: word('a."workspaceId"'),
  createdBy: word('a."createdBy"'),
  updatedBy: word('a."updatedBy"'),
  ...times('a'),
});
const meta = object({
  total: 'total::text',
  page: 'page::text',
  size: '20::text',
  first: '1::text',
  last: 'last::text',
  next: `coalesce(CASE WHEN page < last THEN (page + 1)::text END, 'null')`,
  previous: `coalesce(CASE WHEN page > 1 THEN least(page - 1, last)::text END, 'null')`,
});
const numbers = (
  total: string,
  page: string,
) => `(SELECT total, ${page}::int AS page, greatest(1, (total + 19) / 20) AS last
  FROM (SELECT count(*) AS total ${total}) counted) numbers`;

/** $1 the workspace, $2 the page number. */
const agentsPage = `SELECT '{"data":' || (
  SELECT ${array(wholeAgent)} FROM (
    SELECT * FROM "Agent" WHERE "workspaceId" = $1 ORDER BY ${newest} LIMIT 20 OFFSET ($2::int - 1) * 20) a
) || ',"meta":' || ${meta} || '}' AS body FROM ${numbers('FROM "Agent" WHERE "workspaceId" = $1', '$2')}`;

/** $1 the workspace, $2 the agent, $3 the page number. */
const conversationsPage = `SELECT '{"data":' || (
  SELECT ${array(wholeConversation)} FROM (
    SELECT * FROM "Conversation" WHERE ${ofAgent} ORDER BY ${newest} LIMIT 20 OFFSET ($3::int - 1) * 20) c
) || ',"meta":' || ${meta} || '}' AS body
FROM "Agent" a, LATERAL ${numbers(`FROM "Conversation" WHERE ${ofAgent}`, '$3')}
WHERE a."workspaceId" = $1 AND a.id = $2`;

/** $1 the new id, $2 the workspace, $3 name, $4 email, $5 phone, $6 utm, $7 the search text. */
const insert = `INSERT INTO "Lead" AS l (id, "workspaceId", name, email, phone, utm, capture, "searchText", "updatedAt")
VALUES ($1, $2, $3, $4, $5, $6, 'completed', $7, now())`;
const shortLead = object({
  id: word('l.id'),
  name: maybe('l.name'),
  email: maybe('l.email'),
  phone: maybe('l.phone'),
  capture: word('l.capture'),
  createdAt: time('l."createdAt"'),
});
const create = `${insert} RETURNING '{"data":{"createLead":{"lead":' || ${shortLead} || '}}}' AS body`;
const createRest = `${insert} RETURNING ${object(wholeLead)} AS body`;

/** $1 the workspace, $2 the lead, $3 the company. */
const update = `UPDATE "Lead" AS l SET company = $3,
  "searchText" = lower(concat_ws(' ', name, email, phone, $3::text)), "updatedAt" = now()
WHERE "workspaceId" = $1 AND id = $2
RETURNING '{"data":{"updateLead":{"lead":' || ${object({
  id: word('l.id'),
  name: maybe('l.name'),
  email: maybe('l.email'),
  company: maybe('l.company'),
  updatedAt: time('l."updatedAt"'),
})} || '}}}' AS body`;

/** Counts an interaction and reads what the model is asked with. $1 the workspace, $2 the agent, $3 the month. */
const used = `INSERT INTO "Usage" AS u ("workspaceId", month, current, "updatedAt") VALUES ($1, $3, 1, now())
ON CONFLICT ("workspaceId", month) DO UPDATE SET current = u.current + 1, "updatedAt" = excluded."updatedAt"`;
const insertMessage = (position: string, from = '') =>
  `INSERT INTO "Message" (id, "workspaceId", "conversationId", position, role, content, "agentId", "channelId", "updatedAt")
SELECT $6, $1, $5, ${position}, 'user', $7, $2, $4, now() ${from}`;
const asked = (
  history: string,
) => `SELECT json_build_object('instructions', a.instructions, 'history', ${history})::text AS body
FROM "Agent" a WHERE "workspaceId" = $1 AND id = $2`;
/** $4 the channel, $5 the conversation, $6 the message, $7 its content. */
const turnNew = `WITH used AS (${used}), conversation AS (
  INSERT INTO "Conversation" (id, "workspaceId", "agentId", "channelId", title, "messageCount", "updatedAt")
  VALUES ($5, $1, $2, $4, $7, 1, now())
), message AS (${insertMessage('0')}) ${asked(`'[]'::json`)}`;
const turnNext = `WITH used AS (${used}), conversation AS (
  UPDATE "Conversation" SET "messageCount" = "messageCount" + 1, "updatedAt" = now()
  WHERE "workspaceId" = $1 AND id = $5 RETURNING "messageCount"
), message AS (${insertMessage('"messageCount" - 1', 'FROM conversation')})
${asked(`(SELECT json_agg(json_build_object('role', m.role, 'content', m.content) ORDER BY m.position)
  FROM "Message" m WHERE m."workspaceId" = $1 AND m."conversationId" = $5)`)}`;
/** $1 the workspace, $2 the conversation, $3 the answer's id, $4 its content, $5 and $6 its tokens. */
const turnEnd = `WITH conversation AS (
  UPDATE "Conversation" SET "messageCount" = "messageCount" + 1, "updatedAt" = now()
  WHERE "workspaceId" = $1 AND id = $2 RETURNING *
)
INSERT INTO "Message" AS m (id, "workspaceId", "conversationId", position, role, content, "promptTokens", "completionTokens",
  "agentId", "channelId", "updatedAt")
SELECT $3, $1, $2, "messageCount" - 1, 'assistant', $4, $5::int, $6::int, "agentId", "channelId", now() FROM conversation
RETURNING json_build_object('id', $2, 'status', 'active', 'lead', NULL, 'messages', json_build_array(json_build_object(
  'id', m.id, 'role', m.role, 'content', m.content, 'usage', json_build_object(
    'promptTokens', m."promptTokens", 'completionTokens', m."completionTokens", 'cachedTokens', 0))))::text AS body`;

export const statements = {
  nested,
  list,
  listWithTotal,
  point,
  agentsPage,
  conversationsPage,
  ...groupStatements,
  create,
  createRest,
  update,
  turnNew,
  turnNext,
  turnEnd,
};
