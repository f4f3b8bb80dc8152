import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import { type Database, type Transaction, transact } from '../database/client.ts';
import type { Secrets } from './secrets.ts';

export const SIGNING_ALGORITHM = 'ES256';
/** No token lives longer, in seconds: a retired key has to verify for as long. */
export const MAX_TTL_SECONDS = 86_400;

/** How long a replica may go on with the keys it has read, in milliseconds: so long it may sign with a retired one. */
const RELOAD_MS = 30_000;
/** How often an unknown kid may make a replica read the table again. */
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

  /** Concurrent callers share one query. */
  function reload(): Promise<Row[]> {
    const at = now().getTime();
    loading ??= database.signingKey
      .findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] })
      .then((rows) => {
        loaded = { at, rows };
        return rows;
      })
      .finally(() => {
        loading = null;
      });
    return loading;
  }

  const rowsNoOlderThan = async (ms: number) => (now().getTime() - loaded.at < ms ? loaded.rows : reload());
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
    return reload();
  }

  return {
    /** The key that signs now; made on demand. */
    async current(): Promise<{ kid: string; key: CryptoKey }> {
      const active = (rows: Row[]) => rows.find((row) => !row.retiredAt);
      const row = active(await rowsNoOlderThan(RELOAD_MS)) ?? active(await replace(true));
      if (!row) throw new Error('There is no signing key.');
      return {
        kid: row.id,
        key: await imports(`private ${row.id}`, () => JSON.parse(secrets.decrypt(row.privateCipher))),
      };
    },

    /** The public key named `kid`, or null. A kid that another replica has just made is read from the table. */
    async find(kid: string): Promise<CryptoKey | null> {
      const named = (rows: Row[]) => rows.find((row) => row.id === kid);
      const row = named(await rowsNoOlderThan(RELOAD_MS)) ?? named(await rowsNoOlderThan(UNKNOWN_KID_MS));
      return row && verifies(row) ? imports(`public ${kid}`, () => row.publicJwk as JWK) : null;
    },

    /** The public keys whose tokens may still be valid, newest first. */
    async published(): Promise<JWK[]> {
      const rows = await rowsNoOlderThan(RELOAD_MS);
      const keys = rows.some((row) => !row.retiredAt) ? rows : await replace(true);
      return keys.filter(verifies).map((row) => row.publicJwk as JWK);
    },

    /** Makes a new key sign; the old ones verify until the last of their tokens has expired, then they are deleted. */
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
