import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSecrets, type Secrets } from '../../auth/encryption/secrets.ts';
import { createTokens, type Tokens } from '../../auth/tokens.ts';
import { type Config, ConfigError } from '../../config/config.ts';
import { type DatabaseHandle, openDatabase } from '../../database/client.ts';
import { requireUsable } from '../../database/copy/usable.ts';
import { isUnmigrated, migrate, pendingMigrations } from '../../database/migrate.ts';

const startFirst = 'start the gateway once (npm start)';

type Stores = { handle: DatabaseHandle; secrets: Secrets; tokens: Tokens };

/** Opens the gateway's existing database for one command. Throws `FolderInUseError` or `ConfigError`. */
export async function withDatabase<T>(config: Config, work: (handle: DatabaseHandle) => Promise<T>): Promise<T> {
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'postgres'))) {
    throw new ConfigError(`There is no data in ${config.dataDir} yet: ${startFirst}`);
  }
  const handle = await openDatabase(config);
  try {
    await prepareSchema(handle);
    return await work(handle);
  } finally {
    await handle.close();
  }
}

/**
 * Like `withDatabase`, with the encryption and signing keys. Throws `ConfigError` if ENCRYPTION_KEYS is not the data's.
 */
export function withStores<T>(config: Config, work: (stores: Stores) => Promise<T>): Promise<T> {
  return withDatabase(config, async (handle) => {
    const secrets = await openSecrets({ ...config, handle });
    const tokens = createTokens({ config, database: handle.client, secrets, now: () => new Date() });
    return work({ handle, secrets, tokens });
  });
}

/**
 * Migrates the embedded database, which is ours alone; a server's schema is migrated by its gateways, not by a command.
 */
async function prepareSchema(handle: DatabaseHandle): Promise<void> {
  await requireUsable(handle.pool);
  if (handle.kind === 'embedded') {
    await migrate(handle);
    return requireKey(handle);
  }
  if (await isUnmigrated(handle)) {
    throw new ConfigError(
      `DATABASE_URL: this database is empty: ${startFirst}, then create a workspace (npm run workspace)`,
    );
  }
  if ((await pendingMigrations(handle)).length > 0) {
    throw new ConfigError(`DATABASE_URL: this database lacks migrations of this version: ${startFirst}`);
  }
  await requireKey(handle);
}

/**
 * The encryption key of the first gateway becomes the database's: a command, perhaps run on another machine, must not
 * set it.
 */
async function requireKey(handle: DatabaseHandle): Promise<void> {
  if (!(await handle.client.encryptionKey.findFirst()))
    throw new ConfigError(`No gateway has used this database yet: ${startFirst}`);
}
