import { generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { createTokens } from '../../src/auth/tokens.ts';
import { advanceClock, handle, member, partsOf, replica, secrets, time, useAuth } from '../support/auth/auth-bench.ts';

useAuth();

describe('signing keys', () => {
  test('are published without their private half', async () => {
    const { keys } = await replica().jwks();
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  test('are encrypted at rest', async () => {
    await replica().sign(member);
    const row = await handle.client.signingKey.findFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain('"d"');
    expect(JSON.parse(secrets.decrypt(row.privateCipher))).toHaveProperty('d');
  });

  test('are one when many replicas start together', async () => {
    await Promise.all(Array.from({ length: 8 }, () => replica().sign(member)));
    expect(await handle.client.signingKey.count()).toBe(1);
  });

  test('are rotated: the new one signs, tokens of the old one stay valid', async () => {
    const tokens = replica();
    const old = await tokens.sign(member);
    advanceClock(1);
    await tokens.rotate();
    const young = await tokens.sign(member);
    expect(partsOf(young)[0].kid).not.toBe(partsOf(old)[0].kid);
    for (const verifier of [tokens, replica()]) {
      await verifier.verify(old);
      await verifier.verify(young);
      expect((await verifier.jwks()).keys.map(({ kid }) => kid)).toEqual([partsOf(young)[0].kid, partsOf(old)[0].kid]);
    }
  });

  test('that another replica has just made are known at once', async () => {
    const [one, two] = [replica(), replica()];
    await two.verify(await one.sign(member));
    await one.rotate();
    await expect(two.verify(await one.sign(member))).resolves.toBeTruthy();
  });

  test('that another replica retired sign no more after half a minute', async () => {
    const [one, two] = [replica(), replica()];
    await two.sign(member);
    await one.rotate();
    advanceClock(30);
    expect(partsOf(await two.sign(member))[0].kid).toBe(partsOf(await one.sign(member))[0].kid);
  });

  test('verify as long as a token may live after they were retired, and are then deleted', async () => {
    const tokens = replica();
    const old = await tokens.sign(member, 86_400);
    await tokens.rotate();
    advanceClock(86_399);
    await replica().verify(old);
    advanceClock(120);
    expect((await tokens.jwks()).keys).toHaveLength(1);
    await tokens.rotate();
    expect(await handle.client.signingKey.count()).toBe(2);
  });

  test('are read again at most once a second for unknown kids', async () => {
    const tokens = replica();
    const stranger = await createStranger();
    await tokens.jwks();
    const rows = handle.client.signingKey.findMany;
    let reads = 0;
    const counting = new Proxy(handle.client, {
      get: (target, key) =>
        key === 'signingKey'
          ? { ...target.signingKey, findMany: (query: object) => (reads++, rows(query)) }
          : Reflect.get(target, key),
    });
    const config = { publicUrl: null, oidc: null, maxTokenSeconds: 86_400 };
    const limited = createTokens({ config, database: counting, secrets, now: () => new Date(time) });
    for (let count = 0; count < 20; count++) await limited.verify(await stranger(`kid ${count}`)).catch(() => {});
    expect(reads).toBe(2);
    advanceClock(1);
    await limited.verify(await stranger('another')).catch(() => {});
    expect(reads).toBe(3);
  });

  async function createStranger() {
    const { privateKey } = await generateKeyPair('ES256');
    return (kid: string) =>
      new SignJWT({}).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid }).setIssuer('parley').sign(privateKey);
  }
});
