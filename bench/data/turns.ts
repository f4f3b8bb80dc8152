import type pg from 'pg';
import { turnAgentOf, turnChannelOf, turnConversation } from '../operations.ts';

type Queryable = Pick<pg.Pool, 'query'>;

/** How many messages each conversation has before its turn. */
const earlierMessages = 19;
const agentName = 'Bench turn';
const ofAgent = `("workspaceId", "agentId") IN (SELECT "workspaceId", id FROM "Agent" WHERE name = '${agentName}')`;
/** The conversations that `prepareTurns` makes, which come before all others. */
const isPrepared = (column: string): string => `${column} < '${turnConversation(0).slice(0, 14)}1'`;

/**
 * Gives every workspace a subscription without an end and an agent with an API channel, and shares `conversations`
 * among their agents.
 */
export async function prepareTurns(pool: Queryable, conversations: number): Promise<void> {
  await removeTurns(pool);
  const { rows } = await pool.query<{ workspaceId: string; userId: string }>(
    'SELECT "workspaceId", "userId" FROM "Membership" ORDER BY "workspaceId"',
  );
  for (const [place, { workspaceId, userId }] of rows.entries()) {
    const agentId = turnAgentOf(workspaceId);
    const channelId = turnChannelOf(workspaceId);
    const at = '2024-01-01Z';
    await pool.query(
      `INSERT INTO "App" (id, "workspaceId", name, color, "secretCipher", "secretHash", "updatedAt")
       VALUES ($1, $2, $3, '', '', $3, $4)`,
      [workspaceId.replace('wsp_', 'app_'), workspaceId, agentName, at],
    );
    await pool.query(
      `INSERT INTO "Subscription" (id, "workspaceId", status, "appId", "priceId", "maxInteractions", "updatedAt")
       VALUES ($1, $2, 'active', $3, 'bench', 1000000000, $4)`,
      [workspaceId.replace('wsp_', 'sub_'), workspaceId, workspaceId.replace('wsp_', 'app_'), at],
    );
    await pool.query(
      `INSERT INTO "Agent" (id, "workspaceId", name, "searchText", instructions, purpose, status, "createdBy", "updatedBy",
         "createdAt", "updatedAt")
       VALUES ($1, $2, $3, lower($3), 'Answer in one sentence.', 'support', 'active', $4, $4, $5, $5)`,
      [agentId, workspaceId, agentName, userId, at],
    );
    await pool.query(
      `INSERT INTO "Channel" (id, "workspaceId", "agentId", platform, "credentialsCipher", "createdBy", "updatedBy",
         "createdAt", "updatedAt")
       VALUES ($1, $2, $3, 'api', '', $4, $4, $5, $5)`,
      [channelId, workspaceId, agentId, userId, at],
    );
    await pool.query(
      `INSERT INTO "Conversation" (id, "workspaceId", "agentId", "channelId", "messageCount", duration, "handedOver", "updatedAt")
       SELECT 'cnv_' || lpad(c::text, 26, '0'), $1, $2, $3, $4, 0, false, now()
       FROM generate_series($5::int, $6::int - 1, $7::int) AS c`,
      [workspaceId, agentId, channelId, earlierMessages, place, conversations, rows.length],
    );
    await pool.query(
      `INSERT INTO "Message" (id, "workspaceId", "conversationId", position, role, content, "agentId", "channelId", "updatedAt")
       SELECT 'msg_' || substr(c.id, 7) || lpad(p::text, 2, '0'), $1, c.id, p,
         CASE WHEN p % 2 = 0 THEN 'user' ELSE 'assistant' END::"MessageRole",
         'What was said before, in a sentence of a common length for messages: number ' || p, $2, $3, now()
       FROM "Conversation" c, generate_series(0, $4::int - 1) AS p WHERE c."workspaceId" = $1 AND c."agentId" = $2`,
      [workspaceId, agentId, channelId, earlierMessages],
    );
  }
}

/** Removes what turns have stored, so that each begins as the first did. */
export async function resetTurns(pool: Queryable): Promise<void> {
  await pool.query(`DELETE FROM "Conversation" WHERE ${ofAgent} AND NOT ${isPrepared('id')}`);
  await pool.query(`DELETE FROM "Message" WHERE ${ofAgent} AND position >= ${earlierMessages}`);
  await pool.query(`UPDATE "Conversation" SET "messageCount" = ${earlierMessages}, "turnId" = NULL WHERE ${ofAgent}
    AND "messageCount" <> ${earlierMessages}`);
  await pool.query(`DELETE FROM "Turn" WHERE ${ofAgent}`);
  await pool.query(`DELETE FROM "Interaction" WHERE ${ofAgent}`);
  await pool.query(`DELETE FROM "Gap" WHERE ${ofAgent}`);
  const written = ['Conversation', 'Message', 'Turn', 'Usage', 'Gap', 'GapQuestion'];
  for (const table of written) await pool.query(`VACUUM "${table}"`);
}

/** Removes all that `prepareTurns` and the turns have stored. */
export async function removeTurns(pool: Queryable): Promise<void> {
  await pool.query(`DELETE FROM "Turn" WHERE ${ofAgent}`);
  await pool.query(`DELETE FROM "Interaction" WHERE ${ofAgent}`);
  await pool.query(`DELETE FROM "Agent" WHERE name = $1`, [agentName]);
  await pool.query(`DELETE FROM "Subscription" WHERE "priceId" = 'bench'`);
  await pool.query(`DELETE FROM "App" WHERE name = $1`, [agentName]);
}
