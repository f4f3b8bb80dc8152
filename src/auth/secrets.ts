import { ConfigError } from '../config/config.ts';
import { type Database, type DatabaseHandle, type Transaction, transact } from '../database/client.ts';
import { prefixOf, seal, unseal } from './cipher.ts';
import { type EncryptionKey, parseKeys } from './encryption-keys.ts';
import { keyFileOf, readKeyFile, readOrCreateKeyFile } from './key-file.ts';
import { createSignatures, type Signatures } from './signatures.ts';

/** Encrypts what must not be read in the database: app secrets, credentials, tokens, private keys. Signs what may be seen. */
export type Secrets = Signatures & {
  /** `v1.<keyId>.<iv>.<tag + data>` under the first key; the same text gives another cipher each time. */
  encrypt(plain: string): string;
  /** The text that was encrypted, under any of the keys. Throws 500 `internal_error`. */
  decrypt(cipher: string): string;
  /** The names of the keys; the first one encrypts. */
  keyIds: string[];
  /** Whether the cipher was made with the first key: if not, a rotation has to renew it. */
  isCurrent(cipher: string): boolean;
};

type Options = {
  encryptionKeys: string[] | null;
  dataDir: string;
  handle: Pick<DatabaseHandle, 'client' | 'pool'>;
};
type UsedKey = { id: string; check: string };

const CHECK_TEXT = 'parley';
const LOCK = 7_305_001;

/**
 * The keys of ENCRYPTION_KEYS, or else of DATA_DIR/encryption.key (made on the first start), proved to be those that
 * the data was encrypted with. Throws `ConfigError` when they are not, saying what to do.
 */
export async function openSecrets({ encryptionKeys, dataDir, handle }: Options): Promise<Secrets> {
  const { client, pool } = handle;
  const keys = encryptionKeys ? parseKeys(encryptionKeys, 'ENCRYPTION_KEYS') : await keysOfFolder(dataDir, client);
  const secrets = createSecrets(keys);
  // Every start but the first writes nothing, and one small statement is all that it has to wait for.
  const { rows } = await pool.query<UsedKey>('SELECT "id", "check" FROM "EncryptionKey"');
  if (!proveKeys(rows, secrets)) await transact(client, (tx) => recordKey(tx, secrets));
  return secrets;
}

/** Secrets under the given keys, the first of which encrypts. */
export function createSecrets(keys: EncryptionKey[]): Secrets {
  const [first, ...others] = keys;
  if (!first) throw new ConfigError('ENCRYPTION_KEYS: holds no key');
  const byId = new Map(keys.map((key) => [key.id, key]));
  return {
    ...createSignatures([first, ...others]),
    encrypt: (plain) => seal(first, plain),
    decrypt: (cipher) => unseal(byId, cipher),
    keyIds: keys.map((key) => key.id),
    isCurrent: (cipher) => cipher.startsWith(prefixOf(first.id)),
  };
}

async function keysOfFolder(dataDir: string, database: Database): Promise<EncryptionKey[]> {
  const found = await readKeyFile(dataDir);
  if (found) return found;
  // A new key would be of no use to data that another key has encrypted, and would hide the mistake.
  const used = await database.encryptionKey.findFirst({ orderBy: { createdAt: 'desc' } });
  if (used) throw mismatch(`the key "${used.id}" is not given and ${keyFileOf(dataDir)} does not exist`);
  return readOrCreateKeyFile(dataDir);
}

/** Every key that the data may be encrypted with must be here. Answers whether the first one is recorded among them. */
function proveKeys(used: UsedKey[], secrets: Secrets): boolean {
  for (const { id, check } of used) {
    if (!secrets.keyIds.includes(id)) throw mismatch(`the key "${id}" is not given`);
    if (!opens(secrets, check)) throw mismatch(`the key named "${id}" is not the one that was used under that name`);
  }
  return used.some(({ id }) => id === secrets.keyIds[0]);
}

/** Two replicas with different keys must not both take an empty table for their own. */
async function recordKey(tx: Transaction, secrets: Secrets): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`;
  const [id] = secrets.keyIds;
  if (proveKeys(await tx.encryptionKey.findMany(), secrets) || !id) return;
  await tx.encryptionKey.create({ data: { id, check: secrets.encrypt(CHECK_TEXT) } });
}

function opens(secrets: Secrets, check: string): boolean {
  try {
    return secrets.decrypt(check) === CHECK_TEXT;
  } catch {
    return false;
  }
}

const mismatch = (why: string) =>
  new ConfigError(
    `ENCRYPTION_KEYS: the secrets in this database cannot be read: ${why}. Give every gateway of the database the same ENCRYPTION_KEYS, with the key of the first gateway among them (it is in that gateway's DATA_DIR/encryption.key unless it was set); to change keys, put the new one first, keep the old ones after it, and run: npm run rotate-keys -- encryption`,
  );
