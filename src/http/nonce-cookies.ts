import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { addressOf, type Config } from '../config/config.ts';

/** The cookies by which the browser that began an authorization is known when it comes back. */
export type NonceCookies = {
  read(c: Context, key: string): string | undefined;
  write(c: Context, key: string, cookie: { nonce: string; expires: Date }): void;
};

/**
 * Lax, since the browser comes back by a link of another site. Where people reach the gateway by https, the name begins
 * with `__Host-`, which browsers keep other hosts of the same domain from setting, and which needs the path `/`.
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
