import type { Pool } from 'pg';
import { prefixOf } from './cipher.ts';
import type { Secrets } from './secrets.ts';

/** All columns that hold ciphertexts. A test compares the list with the database. */
export const cipherColumns: { table: string; key: string[]; column: string }[] = [
  { table: 'App', key: ['workspaceId', 'id'], column: 'secretCipher' },
  { table: 'Channel', key: ['workspaceId', 'id'], column: 'credentialsCipher' },
  { table: 'Channel', key: ['workspaceId', 'id'], column: 'identitySecretCipher' },
  { table: 'Credential', key: ['workspaceId', 'agentId', 'pluginId'], column: 'refreshTokenCipher' },
  { table: 'Credential', key: ['workspaceId', 'agentId', 'pluginId'], column: 'tokenCipher' },
  { table: 'Idempotency', key: ['workspaceId', 'caller', 'key'], column: 'answerCipher' },
  { table: 'Plugin', key: ['workspaceId', 'id'], column: 'oauthClientSecretCipher' },
  { table: 'Plugin', key: ['workspaceId', 'id'], column: 'serviceTokenCipher' },
  { table: 'SigningKey', key: ['id'], column: 'privateCipher' },
  { table: 'Webhook', key: ['workspaceId', 'id'], column: 'previousSecretCipher' },
  { table: 'Webhook', key: ['workspaceId', 'id'], column: 'secretCipher' },
];

const BATCH = 500;

/**
 * Re-encrypts every stored secret with the first key and deletes the records of all other keys. Gateways may read and
 * write meanwhile. Can be resumed. Returns how many values it changed.
 */
export async function rotateEncryption(pool: Pool, secrets: Secrets): Promise<number> {
  const current = secrets.keyIds[0] ?? '';
  let changed = 0;
  let found: number;
  do {
    found = 0;
    for (const column of cipherColumns) found += await renewColumn(pool, secrets, column, prefixOf(current));
    changed += found;
  } while (found > 0);
  await pool.query('DELETE FROM "EncryptionKey" WHERE id <> $1', [current]);
  return changed;
}

/** Re-encrypts one column in batches by primary key; returns how many values it found under other keys. */
async function renewColumn(
  pool: Pool,
  secrets: Secrets,
  { table, key, column }: (typeof cipherColumns)[number],
  prefix: string,
): Promise<number> {
  const keys = key.map((name) => `"${name}"`).join(', ');
  const after = key.map((_, index) => `$${index + 2}`).join(', ');
  const arrays = key.map((_, index) => `$${index + 3}::text[]`).join(', ');
  const same = key.map((name) => `t."${name}" = n."${name}"`).join(' AND ');
  const select = `SELECT ${keys}, "${column}" AS cipher FROM "${table}"
    WHERE NOT starts_with("${column}", $1) AND (${keys}) > (${after}) ORDER BY ${keys} LIMIT ${BATCH}`;
  // Only if unchanged since it was read: a value that a gateway wrote meanwhile is newer than ours.
  const update = `UPDATE "${table}" AS t SET "${column}" = n.fresh
    FROM unnest($1::text[], $2::text[], ${arrays}) AS n (stale, fresh, ${keys})
    WHERE ${same} AND t."${column}" = n.stale`;
  let last = key.map(() => '');
  let found = 0;
  for (;;) {
    const { rows } = await pool.query<Record<string, string>>(select, [prefix, ...last]);
    if (rows.length === 0) return found;
    const stale = rows.map((row) => row.cipher ?? '');
    const reencrypted = stale.map((cipher) => secrets.encrypt(secrets.decrypt(cipher)));
    await pool.query(update, [stale, reencrypted, ...key.map((name) => rows.map((row) => row[name]))]);
    last = key.map((name) => rows.at(-1)?.[name] ?? '');
    found += rows.length;
  }
}
