import { newKey, readKeyFile, writeKeyFile } from '../auth/encryption/key-file.ts';
import { rotateEncryption } from '../auth/encryption/rotate-encryption.ts';
import { openSecrets } from '../auth/encryption/secrets.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import type { DatabaseHandle } from '../database/client.ts';
import { run } from './shared/run.ts';
import { withDatabase, withStores } from './shared/stores.ts';

const usage = `npm run rotate-keys -- encryption   re-encrypts every stored secret with the first key of ENCRYPTION_KEYS
npm run rotate-keys -- signing      signs access tokens with a new key; tokens signed before stay valid

On the embedded database, stop the gateway first.`;

const keysNeeded =
  'ENCRYPTION_KEYS: is required to rotate on PostgreSQL. Set it to a new key (openssl rand -base64 32), a comma, and the current key from DATA_DIR/encryption.key; restart every gateway with it; then run this again';

await run(async () => {
  const [what, ...rest] = process.argv.slice(2);
  const config = readConfig(process.env);
  if (what === 'signing' && rest.length === 0) return rotateSigning(config);
  if (what === 'encryption' && rest.length === 0) return rotateSecrets(config);
  throw new Error(`Name what to rotate:\n${usage}`);
});

async function rotateSigning(config: Config): Promise<void> {
  await withStores(config, ({ tokens }) => tokens.rotate());
  console.log(
    'Access tokens are signed with a new key from now on. Tokens signed before stay valid until they expire.',
  );
}

async function rotateSecrets(config: Config): Promise<void> {
  if (config.encryptionKeys) return withDatabase(config, (handle) => reencrypt(config, handle));
  if (config.databaseUrl) throw new ConfigError(keysNeeded);
  await withDatabase(config, async (handle) => {
    const keys = await readKeyFile(config.dataDir);
    // Several keys mean that an earlier run was interrupted; this one completes it.
    if (keys?.length === 1) await writeKeyFile(config.dataDir, [newKey(), ...keys]);
    await reencrypt(config, handle);
    await handle.pool.query('CHECKPOINT');
  });
  const [first] = (await readKeyFile(config.dataDir)) ?? [];
  if (first) await writeKeyFile(config.dataDir, [first]);
}

async function reencrypt(config: Config, handle: DatabaseHandle): Promise<void> {
  const secrets = await openSecrets({ ...config, handle });
  const changed = await rotateEncryption(handle.pool, secrets);
  const [current, ...old] = secrets.keyIds;
  console.log(`Re-encrypted ${changed} stored secrets: all use the key "${current}" now.`);
  if (config.encryptionKeys && old.length > 0) {
    console.log(
      `Before you remove "${old.join('", "')}" from ENCRYPTION_KEYS, restart every gateway that does not start with "${current}", and run this again until it re-encrypts 0.`,
    );
  }
}
