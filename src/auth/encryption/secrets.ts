import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { ConfigError } from '../../config/config.ts';
import { type Database, type DatabaseHandle, type Transaction, transact } from '../../database/client.ts';
import { prefixOf, seal, unseal } from './cipher.ts';
import { type EncryptionKey, parseKeys } from './encryption-keys.ts';
import { keyFileOf, readKeyFile, readOrCreateKeyFile } from './key-file.ts';

/**
 * Encrypts what must not be readable in the database: app secrets, credentials, tokens, private keys. Signs public
 * values.
 */
export type Secrets = Signatures & {
  /** Returns `v1.<keyId>.<iv>.<tag + data>` under the first key; each call gives a different ciphertext. */
  encrypt(plain: string): string;
  /** Decrypts a ciphertext made with any of the keys. Throws 500 `internal_error`. */
  decrypt(cipher: string): string;
  /** The ids of the keys; the first one encrypts. */
  keyIds: string[];
  /** Whether a ciphertext was made with the first key; if not, a rotation has to renew it. */
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
 * Opens the keys of ENCRYPTION_KEYS, or else of DATA_DIR/encryption.key (created on the first start), and checks that
 * the data was encrypted with them. Throws `ConfigError` if it was not, saying what to do.
 */
export async function openSecrets({ encryptionKeys, dataDir, handle }: Options): Promise<Secrets> {
  const { client, pool } = handle;
  const keys = encryptionKeys ? parseKeys(encryptionKeys, 'ENCRYPTION_KEYS') : await keysOfFolder(dataDir, client);
  const secrets = createSecrets(keys);
  // All starts but the first write nothing and need only this one small statement.
  const { rows } = await pool.query<UsedKey>('SELECT "id", "check" FROM "EncryptionKey"');
  if (!verifyKeys(rows, secrets)) await transact(client, (tx) => recordKey(tx, secrets));
  return secrets;
}

/** Creates secrets with the given keys, the first of which encrypts. */
export function createSecrets(keys: EncryptionKey[]): Secrets {
  const [first, ...others] = keys;
  if (!first) throw new ConfigError('ENCRYPTION_KEYS: contains no key; make one with: openssl rand -base64 32');
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
  // A new key could not decrypt existing data, and would hide the mistake.
  const used = await database.encryptionKey.findFirst({ orderBy: { createdAt: 'desc' } });
  if (!used) return readOrCreateKeyFile(dataDir);
  // Another process may have made the file meanwhile: it is there before the key is in use.
  const made = await readKeyFile(dataDir);
  if (!made) throw mismatch(`the key "${used.id}" is missing and ${keyFileOf(dataDir)} does not exist`);
  return made;
}

/** Throws unless every recorded key is available. Returns whether the first key is among the recorded ones. */
function verifyKeys(used: UsedKey[], secrets: Secrets): boolean {
  for (const { id, check } of used) {
    if (!secrets.keyIds.includes(id)) throw mismatch(`the key "${id}" is missing`);
    if (!canDecrypt(secrets, check))
      throw mismatch(`the key named "${id}" differs from the one first used under that name`);
  }
  return used.some(({ id }) => id === secrets.keyIds[0]);
}

/** Under a lock, so that two replicas with different keys cannot both claim an empty table. */
async function recordKey(tx: Transaction, secrets: Secrets): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`;
  const [id] = secrets.keyIds;
  if (verifyKeys(await tx.encryptionKey.findMany(), secrets) || !id) return;
  await tx.encryptionKey.create({ data: { id, check: secrets.encrypt(CHECK_TEXT) } });
}

function canDecrypt(secrets: Secrets, check: string): boolean {
  try {
    return secrets.decrypt(check) === CHECK_TEXT;
  } catch {
    return false;
  }
}

const mismatch = (why: string) =>
  new ConfigError(
    `ENCRYPTION_KEYS: the secrets in this database cannot be read: ${why}. Give every gateway on this database the same ENCRYPTION_KEYS, including the key of the first gateway (found in that gateway's DATA_DIR/encryption.key unless it was set); to change keys, put the new one first, keep the old ones after it, and run: npm run rotate-keys -- encryption`,
  );

/** What is signed: a signature for one purpose is invalid for any other. */
type Purpose = 'file links' | 'widget uploads';

type Signatures = {
  /** Returns an HMAC of 43 URL-safe characters, made with the first key; deterministic. */
  sign(purpose: Purpose, text: string): string;
  /** Whether any of the keys made the signature. Compares in constant time. */
  isSigned(purpose: Purpose, text: string, signature: string): boolean;
};

/** Signs with keys derived from the encryption keys, which all replicas share, so nothing has to be stored. */
function createSignatures(keys: [EncryptionKey, ...EncryptionKey[]]): Signatures {
  const derived = new Map<string, Buffer>();
  const keyFor = ({ bytes }: EncryptionKey, index: number, purpose: Purpose): Buffer => {
    const name = `${index} ${purpose}`;
    const key = derived.get(name) ?? Buffer.from(hkdfSync('sha256', bytes, '', `parley ${purpose}`, 32));
    derived.set(name, key);
    return key;
  };
  const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return {
    sign: (purpose, text) => hmac(keyFor(keys[0], 0, purpose), text),
    isSigned(purpose, text, signature) {
      const given = Buffer.from(signature);
      const matches = keys.map((key, index) => {
        const right = Buffer.from(hmac(keyFor(key, index, purpose), text));
        return right.length === given.length && timingSafeEqual(right, given);
      });
      return matches.includes(true);
    },
  };
}
