import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { EncryptionKey } from './encryption-keys.ts';

/** What is signed: a signature for one purpose is invalid for any other. */
type Purpose = 'file links' | 'widget uploads';

export type Signatures = {
  /** Returns an HMAC of 43 URL-safe characters, made with the first key; deterministic. */
  sign(purpose: Purpose, text: string): string;
  /** Whether any of the keys made the signature. Compares in constant time. */
  isSigned(purpose: Purpose, text: string, signature: string): boolean;
};

/** Signs with keys derived from the encryption keys, which all replicas share, so nothing has to be stored. */
export function createSignatures(keys: [EncryptionKey, ...EncryptionKey[]]): Signatures {
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
