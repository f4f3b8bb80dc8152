import { openDatabase } from '../../src/database/client.ts';
import { mergeMessageSegments } from '../../src/search/messages/merging.ts';
import { indexMessages } from '../../src/search/messages/writer.ts';
import { makeEmbedded } from '../flat/data.ts';

/** The only workspace of the data of bench/flat. */
export const workspaceId = `wsp_${'0'.repeat(26)}`;

/** Fills a new folder: a workspace with this many messages, indexed for search. */
export async function prepare(dataDir: string, messages: number): Promise<void> {
  await makeEmbedded(dataDir, { workspaces: 1, first: Math.ceil(messages / 10), other: 0 });
  const handle = await openDatabase({ databaseUrl: null, dataDir });
  await indexMessages(handle.client, workspaceId);
  await mergeMessageSegments(handle.client, workspaceId);
  await handle.pool.query('VACUUM ANALYZE');
  await handle.close();
}

/** Adds rows that the next round of periodic tasks deletes: `count` events, audit entries, turns and keys. */
export async function addExpired(dataDir: string, count: number): Promise<void> {
  const handle = await openDatabase({ databaseUrl: null, dataDir });
  const from = `FROM generate_series(1, ${count}) AS n ON CONFLICT DO NOTHING`;
  const past = `'2024-01-01Z'::timestamptz + n * interval '1 second'`;
  for (const statement of [
    `INSERT INTO "OutboxEvent" (id, "workspaceId", type, data, "createdAt")
     SELECT 'evt_' || n, '${workspaceId}', 'lead.updated', '{}', ${past} ${from}`,
    `INSERT INTO "AuditEntry" (id, "workspaceId", "actorKind", action, type, "rowId", "createdAt")
     SELECT 'aud_' || n, '${workspaceId}', 'system', 'updated', 'Lead', 'led_' || n, ${past} ${from}`,
    `INSERT INTO "Idempotency" ("workspaceId", caller, key, fingerprint, "expiresAt")
     SELECT '${workspaceId}', 'bench', n, '', ${past} ${from}`,
    `INSERT INTO "Turn" (id, "workspaceId", "agentId", "conversationId", fingerprint, state, "inputFrom", "inputTo", "expiresAt")
     SELECT 'trn_' || n, '${workspaceId}', '', '', '', 'answered', 0, 0, ${past} ${from}`,
  ])
    await handle.pool.query(statement);
  await handle.close();
}
