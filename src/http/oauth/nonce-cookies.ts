import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { addressOf, type Config } from '../../config/config.ts';

/** Cookies that identify the browser that started an authorization when it returns. */
type NonceCookies = {
  read(c: Context, key: string): string | undefined;
  write(c: Context, key: string, cookie: { nonce: string; expires: Date }): void;
};

/**
 * SameSite=Lax, since the browser returns through a link on another site. Over https the name is prefixed with
 * `__Host-`, which keeps other hosts of the same domain from setting the cookie, and requires the path `/`.
 */
export function createNonceCookies(config: Pick<Config, 'publicUrl' | 'host' | 'port'>): NonceCookies {
  const secure = addressOf(config).startsWith('https:');
  const prefix = secure ? ('host' as const) : undefined;
  const nameOf = (key: string) => `parley_oauth_${key}`;
  return {
    read: (c, key) => getCookie(c, nameOf(key), prefix),
    write: (c, key, { nonce, expires }) =>
      setCookie(c, nameOf(key), nonce, {
        path: '/',
        httpOnly: true,
        sameSite: 'Lax',
        expires,
        secure,
        ...(prefix && { prefix }),
      }),
  };
}
