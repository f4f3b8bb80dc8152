/** What was said in a message of the table `m`, its recordings and files included; what tools answer is not said. */
export const saidIn = `CASE WHEN m."role" = 'tool' THEN '' ELSE concat_ws(E'\\n\\n', m."content", (
  SELECT string_agg(file."text", E'\\n\\n' ORDER BY file."id") FROM "MessageFile" AS held
  JOIN "StoredFile" AS file ON file."workspaceId" = held."workspaceId" AND file."id" = held."fileId"
  WHERE held."workspaceId" = m."workspaceId" AND held."messageId" = m."id"
)) END`;
