import { setGlobalProxyFromEnv } from 'node:http';

/** The proxies of HTTP_PROXY and HTTPS_PROXY, and the hosts of NO_PROXY, which are connected to directly. */
export type ProxySettings = { http: string | null; https: string | null; none: string };

type ProxyEnv = { HTTP_PROXY?: string; HTTPS_PROXY?: string; NO_PROXY: string };

/** The metadata service of a cloud's machine, and the agents of ECS and EKS: only that machine can reach them. */
const metadata = ['169.254.169.254', 'fd00:ec2::254', '169.254.170.2', '169.254.170.23', 'fd00:ec2::23'];

let inUse: ProxyEnv | null = null;

/** The settings as Node takes them, for an agent that is not the global one. */
export const proxyEnv = (): ProxyEnv | null => inUse;

/**
 * Sends the requests of `fetch` and node:http through the proxies: to models, the issuer of tokens and the bucket,
 * whose addresses are the operator's. Returns the function that undoes it. What a user names goes through
 * `guardedFetch`.
 */
export function useProxy({ http, https, none }: ProxySettings): () => void {
  const proxies = { ...(http && { HTTP_PROXY: http }), ...(https && { HTTPS_PROXY: https }) };
  inUse = { ...proxies, NO_PROXY: [none, ...metadata].filter(Boolean).join() };
  const restore = setGlobalProxyFromEnv(inUse);
  return () => {
    inUse = null;
    restore();
  };
}
