import { z } from 'zod';

/** As everywhere, the names of these settings may be in lower case, which then goes first. */
const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;
const address = z.url({ protocol: /^https?$/ });

type Env = Record<string, string | undefined>;
export type ProxyConfig = { http: string | null; https: string | null; none: string };

/**
 * The proxies for outgoing requests; null without any. A string says what is wrong, and does not repeat the address,
 * which may have a password.
 */
export function readProxy(env: Env): ProxyConfig | null | string {
  const [http, https, none] = names.map((name) => (env[name.toLowerCase()] ?? env[name])?.trim() || null);
  const wrong = [http, https].findIndex((given) => given && !address.safeParse(given).success);
  if (wrong >= 0) return `${names[wrong]}: must be an address such as http://proxy.example:3128`;
  return http || https ? { http: http ?? null, https: https ?? http ?? null, none: none ?? '' } : null;
}
