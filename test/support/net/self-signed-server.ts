import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** For localhost and 127.0.0.1, made for these tests alone: no system trusts it. */
export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg/yMszspilY77BJMR
GYtJUst5x0fUdYuNeU10IfB6Wz2hRANCAAQBu28k63jl53ALkLRKdeaXxz6xkfFA
hbryA4Td3UCsawS81zhmSxNQoDUj90Nds+Z/PgbIKDCf2784OYIogO1A
-----END PRIVATE KEY-----`;
export const cert = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUc6bhlp/dlJ8KRkRkSCD3YMZ6Wa8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjE5MDUzMVoYDzIxMjYxMTAy
MTkwNTMxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQBu28k63jl53ALkLRKdeaXxz6xkfFAhbryA4Td3UCsawS81zhmSxNQ
oDUj90Nds+Z/PgbIKDCf2784OYIogO1Ao28wbTAdBgNVHQ4EFgQUGqROj9GxvmIN
IDArIBDoZ+gkPmMwHwYDVR0jBBgwFoAUGqROj9GxvmINIDArIBDoZ+gkPmMwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgeQvJf3poJaV1dKQp6XZfqm9BsWnOw22TtbzMpWER+34CIQDQ
YdumRrdQSPco/GM2I3DtCCuEFjMSwYPf1Glr6UMV9Q==
-----END CERTIFICATE-----`;

/** A server whose certificate no authority has signed, and its address. */
export async function startSelfSignedServer() {
  const server = createServer({ key, cert }, (_, response) => void response.end('{}'));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
