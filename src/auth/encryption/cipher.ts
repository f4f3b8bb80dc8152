import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ParleyError } from '../../core/errors.ts';
import type { EncryptionKey } from './encryption-keys.ts';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with AES-256-GCM. Returns `v1.<keyId>.<iv>.<tag + data>`, the last two in base64url; version and key id are
 * authenticated with the data, so a ciphertext cannot be relabelled.
 */
export function seal(key: EncryptionKey, plain: string): string {
  const header = `${VERSION}.${key.id}`;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, iv).setAAD(Buffer.from(header));
  const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return `${header}.${iv.toString('base64url')}.${Buffer.concat([cipher.getAuthTag(), data]).toString('base64url')}`;
}

/**
 * Returns the text that was passed to `seal`. Throws 500 `internal_error` if the ciphertext is damaged or its key is
 * missing.
 */
export function unseal(keys: ReadonlyMap<string, EncryptionKey>, sealed: string): string {
  const [version, keyId = '', iv = '', box = '', ...rest] = sealed.split('.');
  if (version !== VERSION || rest.length > 0) throw unreadable('it does not have the format of an encrypted value');
  const key = keys.get(keyId);
  if (!key) throw unreadable(`this gateway does not have the key "${keyId}"`);
  try {
    const bytes = Buffer.from(box, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, Buffer.from(iv, 'base64url'), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(`${version}.${keyId}`)).setAuthTag(bytes.subarray(0, TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    throw unreadable('it is damaged, or was encrypted with another key of the same name');
  }
}

/** The prefix of every ciphertext made with this key. */
export const prefixOf = (keyId: string): string => `${VERSION}.${keyId}.`;

const unreadable = (why: string) =>
  new ParleyError(
    'internal_error',
    `A stored secret cannot be read: ${why}. Store it again, or let the operator restore its key (ENCRYPTION_KEYS).`,
  );
