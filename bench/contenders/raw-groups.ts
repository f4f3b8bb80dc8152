import { array, newest, object, ofAgent, plain, text, time, word } from './raw-parts.ts';

const inOrder = (item: string, order: string) =>
  `'[' || coalesce(string_agg(${item}, ',' ORDER BY ${order}), '') || ']'`;
const spanOf = (unit: string) => `date_trunc('${unit}', "createdAt" AT TIME ZONE 'UTC') AS at`;
const bySpan = (unit: string) =>
  object({ by: object({ [unit]: object({ from: time('g.at') }) }), count: plain('g.n') });

/** $1 the workspace, $2 and $3 the time range. */
const groupsByDay = `SELECT '{"data":{"conversations":{"groups":{"nodes":' || ${inOrder(bySpan('day'), 'g.at')} || '}}}}' AS body
FROM (SELECT ${spanOf('day')}, count(*) AS n FROM "Conversation"
  WHERE "workspaceId" = $1 AND "createdAt" >= $2::timestamptz AND "createdAt" < $3::timestamptz GROUP BY 1) g`;

const ofTop = object({
  by: object({ conversation: object({ id: word('c.id'), title: text('c.title') }) }),
  count: plain('t.n'),
});
/** $1 the workspace. */
const groupsTop = `WITH g AS (SELECT "conversationId" AS id, count(*) AS n FROM "Message" WHERE "workspaceId" = $1 GROUP BY 1),
t AS MATERIALIZED (SELECT * FROM g ORDER BY n DESC, id COLLATE "C" LIMIT 10)
SELECT '{"data":{"messages":{"groups":{"nodes":' ||
  (SELECT ${inOrder(ofTop, 't.n DESC, t.id COLLATE "C"')} FROM t JOIN "Conversation" c ON c."workspaceId" = $1 AND c.id = t.id) ||
  ',"other":{"count":' || ((SELECT coalesce(sum(n), 0) FROM g) - (SELECT coalesce(sum(n), 0) FROM t))::text || '}}}}}' AS body`;

const groupedAgent = object({
  id: word('a.id'),
  name: text('a.name'),
  conversations: object({
    groups: object({
      nodes: `(SELECT ${inOrder(bySpan('month'), 'g.at')} FROM (
        SELECT ${spanOf('month')}, count(*) AS n FROM "Conversation" WHERE ${ofAgent} GROUP BY 1 ORDER BY 1 LIMIT 30) g)`,
    }),
  }),
});
/** $1 the workspace. */
const groupsNested = `SELECT '{"data":{"agents":{"nodes":' || ${array(groupedAgent)} || '}}}' AS body
FROM (SELECT * FROM "Agent" WHERE "workspaceId" = $1 ORDER BY ${newest} LIMIT 20) a`;

const ofType = (list: string, nodes: string, from: string) =>
  `SELECT '{"data":{"${list}":{"groups":{"nodes":' || ${nodes} || '}}}}' AS body FROM (${from}) g`;
const conversations = 'FROM "Conversation" WHERE "workspaceId" = $1';

/** $1 the workspace. */
const groupsRatio = ofType(
  'conversations',
  inOrder(
    object({ by: object({ agent: object({ id: word('g.id') }) }), count: plain('g.n'), long: plain('g.long') }),
    'g.n DESC, g.id COLLATE "C"',
  ),
  `SELECT "agentId" AS id, count(*) AS n, count(*) FILTER (WHERE "messageCount" >= 6)::float8 / count(*) AS long ${conversations}
   GROUP BY 1 ORDER BY 2 DESC, "agentId" COLLATE "C" LIMIT 20`,
);

/** $1 the workspace, $2 and $3 the time range. */
const groupsRunning = ofType(
  'conversations',
  inOrder(
    object({
      by: object({ day: object({ from: time('g.at') }) }),
      count: plain('g.n'),
      cumulative: object({ count: plain('g.total') }),
    }),
    'g.at',
  ),
  `SELECT ${spanOf('day')}, count(*) AS n, sum(count(*)) OVER (ORDER BY date_trunc('day', "createdAt" AT TIME ZONE 'UTC')) AS total
   ${conversations} AND "createdAt" >= $2::timestamptz AND "createdAt" < $3::timestamptz GROUP BY 1`,
);

/** $1 the workspace. */
const groupsHistogram = ofType(
  'conversations',
  inOrder(
    object({
      by: object({ range: object({ from: plain('g.low'), to: plain('g.high') }) }),
      count: plain('g.n'),
    }),
    'g.low',
  ),
  `SELECT k * 5 AS low, k * 5 + 5 AS high, n
   FROM (SELECT floor("messageCount" / 5.0)::int AS k, count(*) AS n ${conversations} GROUP BY 1) AS h`,
);

/** $1 the workspace. */
const groupsFunnel = ofType(
  'reachedStages',
  inOrder(
    object({ by: object({ stage: word('g.stage') }), count: plain('g.n'), p50: object({ elapsed: plain('g.p50') }) }),
    'g.n DESC, g.stage',
  ),
  `SELECT stage::text, count(*) AS n, percentile_disc(0.5) WITHIN GROUP (ORDER BY elapsed) AS p50
   FROM "ReachedStage" WHERE "workspaceId" = $1 GROUP BY 1`,
);

export const groupStatements = {
  groupsByDay,
  groupsTop,
  groupsNested,
  groupsRatio,
  groupsRunning,
  groupsHistogram,
  groupsFunnel,
};
