import type { lookup as systemLookup } from 'node:dns';
import type { Response } from 'undici';
import { inHttpSpan } from '../core/http-span.ts';
import { DeadlinePassed, withTimeout } from './deadline.ts';
import { FetchFailure, fetchFailureOf } from './fetch-failure.ts';
import type { ProxySettings } from './proxy.ts';
import { createPublicConnector, requirePublicHost } from './public-address.ts';

type FetchOptions = {
  /** The largest body in bytes, after decompression; default 20 MB. */
  maxBytes?: number;
  /** The timeout for everything together: DNS, redirects and body; default 15 s. */
  timeoutMs?: number;
  /** The `Accept` header. */
  accept?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** Returns responses of any status; without it, a status that is not 2xx rejects. */
  anyStatus?: boolean;
  /** Truncates a body larger than `maxBytes` and sets `cut` in the result, instead of rejecting. */
  cut?: boolean;
  /** Rejects on a redirect that would not preserve method and body, instead of continuing with GET. */
  whole?: boolean;
  /**
   * Rejects on a redirect to another origin: for a URL that contains a secret, which a server may copy into its
   * redirect.
   */
  stays?: boolean;
  /** Whether the host learns the trace of the request: for what a workspace itself has connected. */
  propagates?: boolean;
  /** Aborts the fetch; the promise then rejects with the signal's reason. */
  signal?: AbortSignal;
};
/** `url` is the final URL, after redirects; `contentType` is the header's value or ''. `cut`: `bytes` is truncated. */
export type FetchAnswer = {
  url: string;
  status: number;
  contentType: string;
  bytes: Uint8Array;
  cut?: boolean;
  /** The response's validators, if sent. */
  etag?: string;
  lastModified?: string;
  /** The `WWW-Authenticate` header, if sent. */
  challenge?: string;
  /** The `X-Robots-Tag` header, if sent. */
  robots?: string;
  /** The `Link` header, if sent. */
  link?: string;
};
export type GuardedFetch = (url: string, options?: FetchOptions) => Promise<FetchAnswer>;

type Settings = { allowHosts: string[]; proxy?: ProxySettings | null; lookup?: typeof systemLookup };

const maxRedirects = 5;
const megabyte = 1_000_000;

/**
 * Every URL that comes from a user is fetched through this: http and https only, public unicast addresses, no
 * credentials in the URL, limits on size, time and redirects, and each hop checked anew. Hosts in `allowHosts` (`host`
 * or `host:port`) may be private. Rejects with `FetchFailure` if there is no response with a 2xx status. `lookup`
 * replaces the system's DNS.
 */
export function createGuardedFetch(settings: Settings): GuardedFetch {
  let opened: ReturnType<typeof openUndici> | undefined;
  return async (start, options = {}) => {
    const { fetch, dispatcher } = await (opened ??= openUndici(settings));
    const { timeoutMs = 15_000, signal, whole = false, stays = false, propagates = false } = options;
    let url = readUrl(start);
    const { origin } = url;
    let request = requestOf(options);
    let status = 0;
    const cookies = createCookies();
    const follow = async (stop: AbortSignal): Promise<FetchAnswer> => {
      for (let hops = 0; hops <= maxRedirects; hops++) {
        const { method } = request;
        // A proxy connects by itself: the connector that checks addresses sees the proxy's only.
        if (settings.proxy) await requirePublicHost(url, settings.allowHosts, settings.lookup);
        // A redirect to another origin has lost the headers that the caller sent.
        const response = await inHttpSpan({ method, url, propagates: propagates && url.origin === origin }, (added) =>
          fetch(url, {
            ...request,
            headers: { ...cookies.of(url), ...request.headers, ...added },
            dispatcher,
            redirect: 'manual',
            signal: stop,
          }),
        );
        const next = redirectOf(response, url);
        if (!next) return await readAnswer(response, url, options);
        await response.body?.cancel();
        cookies.keep(url, response.headers.getSetCookie());
        status = response.status;
        const sameOrigin = next.origin === url.origin;
        if (stays && !sameOrigin)
          throw new FetchFailure(`${url.host} redirects to another server, which is not followed`);
        if (whole && !keepsMethod(request.method, response.status, sameOrigin)) {
          throw new FetchFailure(`${url.host} redirects a ${request.method} request, which is not followed`);
        }
        request = redirected(request, response.status, sameOrigin);
        url = next;
      }
      throw new FetchFailure(`${url.host} redirects too many times`, { status });
    };
    try {
      return await withTimeout(timeoutMs, follow, signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw fetchFailureOf(error, url.host, error instanceof DeadlinePassed ? timeoutMs : null);
    }
  };
}

/** Loaded on the first fetch: a gateway that fetches nothing is spared its 1.2 MB of code. */
async function openUndici({ allowHosts, proxy, lookup }: Settings) {
  const { Agent, buildConnector, EnvHttpProxyAgent, fetch } = await import('undici');
  const connect = createPublicConnector(buildConnector, allowHosts, lookup);
  if (!proxy) return { fetch, dispatcher: new Agent({ connect }) };
  // Given in full, so that nothing is read from the environment.
  const [httpProxy, httpsProxy] = [proxy.http ?? '', proxy.https ?? ''];
  return { fetch, dispatcher: new EnvHttpProxyAgent({ connect, httpProxy, httpsProxy, noProxy: proxy.none }) };
}

/** Parses a URL that may be fetched. Its address is checked on connecting. */
function readUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (!url) throw new FetchFailure('The address is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchFailure('Only http and https addresses are fetched');
  }
  if (url.username || url.password) throw new FetchFailure('An address must not contain a user name or password');
  return url;
}

type HttpRequest = { method: string; headers: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> };

function requestOf({ method = 'GET', accept = '*/*', headers = {}, body }: FetchOptions): HttpRequest {
  return { method, headers: { 'user-agent': 'Parley/0.1', accept, ...headers }, ...(body !== undefined && { body }) };
}

function redirectOf(response: Response, url: URL): URL | null {
  const location = [301, 302, 303, 307, 308].includes(response.status) && response.headers.get('location');
  return location ? readUrl(location, url) : null;
}

/**
 * Whether the next hop preserves the request's meaning: a read, the same request again, or a read of what it created.
 */
const keepsMethod = (method: string, status: number, sameOrigin: boolean): boolean =>
  method === 'GET' || method === 'HEAD' || (sameOrigin && (status === 303 || status >= 307));

/**
 * The request of the next hop, as in the Fetch standard, except that nothing the caller sent goes to another origin.
 */
function redirected(request: HttpRequest, status: number, sameOrigin: boolean): HttpRequest {
  const { 'user-agent': agent = '', accept = '' } = request.headers;
  const headers = sameOrigin ? request.headers : { 'user-agent': agent, accept };
  if (status >= 307 && sameOrigin) return { ...request, headers };
  return { method: request.method === 'HEAD' ? 'HEAD' : 'GET', headers };
}

async function readAnswer(response: Response, url: URL, options: FetchOptions): Promise<FetchAnswer> {
  const { maxBytes = 20 * megabyte, anyStatus = false, cut = false } = options;
  if (!response.ok && !anyStatus) {
    await response.body?.cancel();
    throw FetchFailure.ofStatus(response.status, response.headers.get('retry-after'));
  }
  const tooLarge = new FetchFailure(`The page is larger than ${readableSize(maxBytes)}`);
  if (Number(response.headers.get('content-length')) > maxBytes && !cut) {
    await response.body?.cancel();
    throw tooLarge;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    chunks.push(chunk);
    // Counted after decompression, so that a decompression bomb does not get past the limit. Leaving the loop cancels
    // the body.
    if (size > maxBytes && cut) break;
    if (size > maxBytes) throw tooLarge;
  }
  const contentType = response.headers.get('content-type') ?? '';
  const bytes = Buffer.concat(chunks, Math.min(size, maxBytes));
  const names = ['etag', 'last-modified', 'www-authenticate', 'x-robots-tag', 'link'];
  const [etag, lastModified, challenge, robots, link] = names.map((name) => response.headers.get(name));
  return {
    url: url.href,
    status: response.status,
    contentType,
    bytes,
    ...(size > maxBytes && { cut: true }),
    ...(challenge && { challenge }),
    ...(robots && { robots }),
    ...(link && { link }),
    ...(etag && { etag }),
    ...(lastModified && { lastModified }),
  };
}

const readableSize = (bytes: number) =>
  bytes >= megabyte ? `${Math.round(bytes / megabyte)} MB` : `${Math.ceil(bytes / 1000)} kB`;

const maxCookies = 50;
const maxLength = 4_096;

/**
 * The cookies of one request's redirects: some servers redirect to the same page until it is asked for with the cookie
 * that they set. Each goes back only to the origin that set it, and none outlives the request.
 */
function createCookies() {
  const origins = new Map<string, Map<string, string>>();
  return {
    /** Keeps the cookies that a response from `url` sets, or deletes them. */
    keep({ origin }: URL, headers: string[]): void {
      const kept = origins.get(origin) ?? new Map<string, string>();
      origins.set(origin, kept);
      for (const header of headers) {
        const [, name = '', value = ''] = /^\s*([^=;\s]+)\s*=\s*([^;]*)/.exec(header.slice(0, maxLength)) ?? [];
        if (/;\s*max-age\s*=\s*(0|-\d+)\s*(;|$)/i.test(header)) kept.delete(name);
        else if (name && (kept.size < maxCookies || kept.has(name))) kept.set(name, value.trim());
      }
    },
    /** The `Cookie` header of a request to `url`; empty if there are none. */
    of({ origin }: URL): { cookie?: string } {
      const pairs = [...(origins.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`);
      return pairs.length > 0 ? { cookie: pairs.join('; ') } : {};
    },
  };
}
