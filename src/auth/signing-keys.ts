import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { type Database, type Transaction, transact } from '../database/client.ts';
import type { Secrets } from './encryption/secrets.ts';

export const SIGNING_ALGORITHM = 'ES256';
/** The maximum lifetime of a token, in seconds; a retired key must verify for as long. */
export const MAX_TTL_SECONDS = 86_400;

/** How long a replica may use the keys it has read, in milliseconds, and so may sign with a retired one. */
const RELOAD_MS = 30_000;
/** How often an unknown kid may cause a replica to reread the table, in milliseconds. */
const UNKNOWN_KID_MS = 1_000;
const VERIFIES_MS = MAX_TTL_SECONDS * 1000 + 2 * RELOAD_MS;
const LOCK = 7_305_002;

type Row = { id: string; publicJwk: unknown; privateCipher: string; retiredAt: Date | null };
type Options = { database: Database; secrets: Secrets; now: () => Date };
export type SigningKeys = ReturnType<typeof createSigningKeys>;

/** The keys that sign access tokens, shared by all replicas through the table SigningKey. */
export function createSigningKeys({ database, secrets, now }: Options) {
  const imported = new Map<string, Promise<CryptoKey>>();
  let loaded: { at: number; rows: Row[] } = { at: Number.NEGATIVE_INFINITY, rows: [] };
  let loading: Promise<Row[]> | null = null;
  let searchedAt = Number.NEGATIVE_INFINITY;

  /** Concurrent callers share one query. */
  function reload(): Promise<Row[]> {
    const at = now().getTime();
    loading ??= database.signingKey
      .findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] })
      .then((found) => {
        loaded = { at, rows: found };
        return found;
      })
      .finally(() => {
        loading = null;
      });
    return loading;
  }

  const rows = async () => (now().getTime() - loaded.at < RELOAD_MS ? loaded.rows : reload());

  /** Another replica may have just created the kid, or a forger may have made it up. */
  async function rowsForUnknownKid(): Promise<Row[]> {
    if (loading) return loading;
    const time = now().getTime();
    if (time - searchedAt < UNKNOWN_KID_MS) return loaded.rows;
    searchedAt = time;
    return reload();
  }

  const verifies = (row: Row) => !row.retiredAt || row.retiredAt.getTime() + VERIFIES_MS > now().getTime();

  function imports(name: string, jwk: () => JWK): Promise<CryptoKey> {
    const key = imported.get(name) ?? (importJWK(jwk(), SIGNING_ALGORITHM) as Promise<CryptoKey>);
    imported.set(name, key);
    return key;
  }

  async function replace(onlyIfNone: boolean): Promise<Row[]> {
    const fresh = await generate(secrets, now());
    await transact(database, async (tx) => {
      // Replicas that start together must agree on one first key.
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`;
      if (onlyIfNone && (await hasActive(tx))) return;
      await tx.signingKey.updateMany({ where: { retiredAt: null }, data: { retiredAt: now() } });
      await tx.signingKey.deleteMany({ where: { retiredAt: { lt: new Date(now().getTime() - VERIFIES_MS) } } });
      await tx.signingKey.create({ data: fresh });
    });
    // A query that was already running may not see the new key.
    await loading?.catch(() => {});
    return reload();
  }

  return {
    /** The current signing key, created on demand. */
    async current(): Promise<{ kid: string; key: CryptoKey }> {
      const active = (from: Row[]) => from.find((row) => !row.retiredAt);
      const row = active(await rows()) ?? active(await replace(true));
      if (!row) throw new Error('There is no signing key.');
      return {
        kid: row.id,
        key: await imports(`private ${row.id}`, () => JSON.parse(secrets.decrypt(row.privateCipher))),
      };
    },

    /** Returns the public key `kid`, or null. A kid that another replica has just created is read from the table. */
    async find(kid: string): Promise<CryptoKey | null> {
      const named = (from: Row[]) => from.find((row) => row.id === kid);
      const row = named(await rows()) ?? named(await rowsForUnknownKid());
      return row && verifies(row) ? imports(`public ${kid}`, () => row.publicJwk as JWK) : null;
    },

    /** The public keys whose tokens may still be valid, newest first. */
    async published(): Promise<JWK[]> {
      const found = await rows();
      const keys = found.some((row) => !row.retiredAt) ? found : await replace(true);
      return keys.filter(verifies).map((row) => row.publicJwk as JWK);
    },

    /**
     * Creates a new signing key. Old ones verify until their last tokens have expired, and are deleted by a later
     * rotation.
     */
    async rotate(): Promise<void> {
      await replace(false);
    },
  };
}

const hasActive = async (tx: Transaction) => (await tx.signingKey.count({ where: { retiredAt: null } })) > 0;

async function generate(secrets: Secrets, createdAt: Date) {
  const pair = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const id = await calculateJwkThumbprint(jwk);
  const publicJwk = { kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y, kid: id, alg: SIGNING_ALGORITHM, use: 'sig' };
  return { id, publicJwk, privateCipher: secrets.encrypt(JSON.stringify(await exportJWK(pair.privateKey))), createdAt };
}
