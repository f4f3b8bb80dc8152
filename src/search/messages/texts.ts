import { literalSql, type Sql, sql } from '../../database/sql.ts';

/** A message as it is indexed; `number`: in the index, null if it is not indexed yet. */
export type MessageText = { id: string; number: number | null; text: string };

/**
 * SQL for the texts of messages `m` of a workspace, with their recordings and files; results of tools do not count.
 * `which`: the condition, and what follows it.
 */
export const messageTexts = (workspaceId: string, which: Sql): Sql => sql`
  SELECT m."id", m."searchNumber" AS "number", CASE WHEN m."role" = 'tool' THEN '' ELSE concat_ws(E'\\n\\n', m."content", (
    SELECT string_agg(file."text", E'\\n\\n' ORDER BY file."id") FROM "MessageFile" AS held
    JOIN "StoredFile" AS file ON file."workspaceId" = ${workspaceId} AND file."id" = held."fileId"
    WHERE held."workspaceId" = ${workspaceId} AND held."messageId" = m."id"
  )) END AS "text"
  FROM "Message" AS m WHERE m."workspaceId" = ${workspaceId} AND ${which}`;

/**
 * SQL that selects unindexed messages, newest first. The number, which none of them has, ties the order to the index of
 * them: with outdated statistics, the planner would read all messages by time instead.
 */
export const unindexed = sql`m."searchNumber" IS NULL ORDER BY m."searchNumber" DESC, m."createdAt" DESC`;

/** SQL that selects some of them. */
export const newestUnindexed = (limit: number): Sql => sql`${unindexed} LIMIT ${literalSql(limit)}`;
