import { setGlobalProxyFromEnv } from 'node:http';

/** The proxies of HTTP_PROXY and HTTPS_PROXY, and the hosts of NO_PROXY, which are connected to directly. */
export type ProxySettings = { http: string | null; https: string | null; none: string };

/**
 * Sends the requests of `fetch` and node:http through the proxies: to models, the issuer of tokens and the bucket, whose
 * addresses are the operator's. Returns the function that undoes it. What a user names goes through `guardedFetch`.
 */
export const useProxy = (settings: ProxySettings): (() => void) => setGlobalProxyFromEnv(proxyEnvOf(settings));

/** The settings as Node takes them, for an agent that is not the global one. */
export const proxyEnvOf = ({ http, https, none }: ProxySettings) => ({
  ...(http && { HTTP_PROXY: http }),
  ...(https && { HTTPS_PROXY: https }),
  NO_PROXY: none,
});
