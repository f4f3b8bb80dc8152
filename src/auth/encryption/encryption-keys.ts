import { createHash } from 'node:crypto';
import { ConfigError } from '../../config/config.ts';

export type EncryptionKey = { id: string; bytes: Buffer };

const form = /^(?:([\w-]{1,32}):)?([A-Za-z0-9+/_-]{43}=?)$/;

/**
 * Parses keys of 32 bytes, written as `id:base64` or `base64`; without an id, one is derived from the key. `source`
 * names the setting in errors. Throws `ConfigError`, whose message never contains a key.
 */
export function parseKeys(items: string[], source: string): EncryptionKey[] {
  const keys = items.map((item, index) => {
    const [, id, text] = form.exec(item.trim()) ?? [];
    if (!text) {
      throw new ConfigError(
        `${source}: key ${index + 1} must be 32 bytes in base64, optionally with "name:" before it; make one with: openssl rand -base64 32`,
      );
    }
    const bytes = Buffer.from(text, 'base64');
    return { id: id ?? fingerprint(bytes), bytes };
  });
  if (keys.length === 0) throw new ConfigError(`${source}: contains no key; make one with: openssl rand -base64 32`);
  if (new Set(keys.map((key) => key.id)).size < keys.length)
    throw new ConfigError(`${source}: two keys have the same name: give each its own`);
  return keys;
}

/** Formats a key as a line of the key file or an item of ENCRYPTION_KEYS. */
export const printKey = (key: EncryptionKey): string => `${key.id}:${key.bytes.toString('base64')}`;

/** Identifies a key without revealing it: 48 bits of the hash of 256 random bits. */
export const fingerprint = (bytes: Buffer): string =>
  createHash('sha256').update('parley encryption key').update(bytes).digest('hex').slice(0, 12);
