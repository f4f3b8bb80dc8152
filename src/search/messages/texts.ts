/**
 * SQL for the text of a message `m` of the workspace `$1`, with its recordings and files; results of tools do not
 * count.
 */
export const searchableText = `CASE WHEN m."role" = 'tool' THEN '' ELSE concat_ws(E'\\n\\n', m."content", (
  SELECT string_agg(file."text", E'\\n\\n' ORDER BY file."id") FROM "MessageFile" AS held
  JOIN "StoredFile" AS file ON file."workspaceId" = $1 AND file."id" = held."fileId"
  WHERE held."workspaceId" = $1 AND held."messageId" = m."id"
)) END`;

/**
 * SQL for the order of unindexed messages of a workspace, newest first. The number, which none of them has, ties it to
 * the index of them: with outdated statistics, the planner would read all messages by time instead.
 */
export const newestFirst = 'ORDER BY m."searchNumber" DESC, m."createdAt" DESC';
