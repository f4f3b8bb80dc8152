import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An identity provider on this machine. */
export type Issuer = {
  /** The settings of a gateway that accepts its tokens. */
  env: { OIDC_ISSUER: string; OIDC_AUDIENCE: string };
  /** A token of somebody whose email address is verified. */
  tokenOf(email: string, claims?: object): Promise<string>;
  close(): void;
};

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }];
  const server = createServer((request, response) => {
    const documents: Record<string, object> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys },
    };
    const found = documents[request.url ?? ''];
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const audience = 'parley';
  return {
    env: { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience },
    tokenOf: (email, claims = {}) =>
      new SignJWT({ email, email_verified: true, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(email)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
    close: () => server.close(),
  };
}
