import { createHmac } from 'node:crypto';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { MemberRole } from '../../src/core/roles.ts';
import {
  encode,
  handle,
  member,
  partsOf,
  replica,
  secrets,
  time,
  unauthorized,
  useAuth,
} from '../support/auth/auth-bench.ts';

useAuth();

describe('a forged token', () => {
  const claims = () => ({ workspace: member.workspaceId, membership: member.membershipId, role: 'owner' });
  const now = () => Math.floor(time / 1000);

  /** Signed with the real key, so that only the effect of `change` is wrong. */
  async function forge(change: (token: SignJWT) => SignJWT, header: object = {}, key?: CryptoKey): Promise<string> {
    await replica().jwks();
    const row = await handle.client.signingKey.findFirstOrThrow();
    const trueKey = (await importJWK(JSON.parse(secrets.decrypt(row.privateCipher)), 'ES256')) as CryptoKey;
    const token = new SignJWT(claims())
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: row.id, ...header })
      .setIssuer('parley')
      .setAudience('parley')
      .setSubject(member.userId)
      .setIssuedAt(now())
      .setExpirationTime(now() + 60);
    return change(token).sign(key ?? trueKey, { crit: { x: true } });
  }
  const same = (token: SignJWT) => token;

  test('is really told from a true one by this helper', async () => {
    expect(await replica().verify(await forge(same))).toMatchObject({ role: 'admin' });
  });

  test.each<[string, (token: SignJWT) => SignJWT, object?]>([
    ['of another issuer', (token) => token.setIssuer('https://evil.example')],
    ['for another audience', (token) => token.setAudience('other')],
    ['that is not valid yet', (token) => token.setNotBefore(now() + 60)],
    ['of another type', same, { typ: 'JWT' }],
    ['with an unknown kid', same, { kid: 'unknown' }],
    ['without a kid', same, { kid: undefined }],
    ['with an unknown critical header', same, { crit: ['x'], x: true }],
    ['without a subject', () => withoutClaim('sub')],
    ['without an expiry', () => withoutClaim('exp')],
    ['without an issuer', () => withoutClaim('iss')],
  ])('%s is refused', async (_, change, header) => {
    await expect(replica().verify(await forge(change, header))).rejects.toEqual(unauthorized);
  });

  function withoutClaim(name: 'sub' | 'exp' | 'iss'): SignJWT {
    const all = { ...claims(), sub: member.userId, exp: now() + 60, iss: 'parley', aud: 'parley' };
    const { [name]: _, ...rest } = all;
    return {
      sign: async (key: CryptoKey) => {
        const { id } = await handle.client.signingKey.findFirstOrThrow();
        return new SignJWT(rest).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: id }).sign(key);
      },
    } as unknown as SignJWT;
  }

  test('with an unknown role is refused', async () => {
    const token = await replica().sign({ ...member, role: 'root' as MemberRole });
    await expect(replica().verify(token)).rejects.toEqual(unauthorized);
  });

  test('that has expired and is signed by a stranger is not called expired', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const token = await forge((jwt) => jwt.setExpirationTime(now() - 1), {}, privateKey);
    await expect(replica().verify(token)).rejects.toEqual(unauthorized);
  });

  test('signed by a stranger under our kid is refused', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    await expect(replica().verify(await forge(same, {}, privateKey))).rejects.toEqual(unauthorized);
  });

  test('that brings its own key along is refused', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(publicKey);
    await expect(replica().verify(await forge(same, { jwk }, privateKey))).rejects.toEqual(unauthorized);
  });

  test.each(['none', 'None', 'NONE', ''])('of algorithm %j is refused', async (alg) => {
    const [header, payload] = partsOf(await forge(same));
    const token = `${encode({ ...header, alg })}.${encode(payload)}.`;
    await expect(replica().verify(token)).rejects.toEqual(unauthorized);
  });

  test('of HS256 over our public key is refused', async () => {
    const [header, payload] = partsOf(await forge(same));
    const [jwk] = (await replica().jwks()).keys;
    const pem = await exportSPKI((await importJWK(jwk as JWK, 'ES256', { extractable: true })) as CryptoKey);
    const body = `${encode({ ...header, alg: 'HS256' })}.${encode(payload)}`;
    for (const secret of [pem, JSON.stringify(jwk), Buffer.from(jwk?.x ?? '', 'base64url')]) {
      const token = `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
      await expect(replica().verify(token)).rejects.toEqual(unauthorized);
    }
  });

  test('with a raised role and the old signature is refused', async () => {
    const [header, payload, signature] = partsOf(await forge(same));
    const token = `${encode(header)}.${encode({ ...payload, role: 'owner', exp: payload.exp + 1 })}.${signature}`;
    await expect(replica().verify(token)).rejects.toEqual(unauthorized);
  });

  test.each([
    '',
    'x',
    'a.b',
    'a.b.c',
    'a.b.c.d.e',
    '..',
    'e30.e30.',
    'bnVsbA.bnVsbA.',
    'pas_',
    'pas_unknown',
    '💥.💥.💥',
  ])('that is none at all is refused: %j', async (bearer) => {
    await expect(replica().verify(bearer)).rejects.toEqual(unauthorized);
  });
});
