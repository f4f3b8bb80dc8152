import type { Readable } from 'node:stream';
import type { Dispatcher, request } from 'undici';
import { inHttpSpan } from '../../core/http-span.ts';
import { proxyEnv } from '../../net/proxy.ts';

/** What is read of a provider's response: of `providerRequest`, or a `Response`. */
export type ProviderResponse = {
  ok: boolean;
  status: number;
  statusText: string;
  headers: Iterable<[name: string, value: string]> & { get(name: string): string | null };
  /** Decompressed. */
  body: { getReader(): ByteReader } | null;
  text(): Promise<string>;
};

/** Cancelling it closes the connection. */
export type ByteReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** `headers`: names in lower case. */
type ProviderRequest = { method: 'POST'; headers: Record<string, string>; body: string; signal?: AbortSignal };

/** Sends a request to a provider. */
export type Send<Response extends ProviderResponse> = (url: string, request: ProviderRequest) => Promise<Response>;

const ownHeaders = { accept: '*/*', 'user-agent': 'Parley/0.1', 'accept-encoding': 'gzip, deflate' };

/**
 * Sends a request as `providerFetch` does, at a quarter of the CPU: nothing is made of the Fetch standard's requests,
 * responses and streams. Rejects with the error of the connection, or the reason of the signal.
 */
export const providerRequest: Send<ProviderResponse> = (address, { headers, ...given }) => {
  const url = new URL(address);
  return inHttpSpan({ method: given.method, url, propagates: true }, async (traceHeaders) => {
    const { dispatcher, ...undici } = await openDispatcher();
    // As with fetch, the host is the one that is connected to.
    const { host: _, ...others } = headers;
    const sent = undici.request(url, {
      ...given,
      headers: { ...ownHeaders, ...others, ...traceHeaders },
      dispatcher,
    });
    return responseOf(await unlessAborted(sent, given.signal));
  });
};

/** Undici heeds a signal only once it is connected, which a server or a proxy may keep waiting for. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type Opened = { request: typeof request; dispatcher: Dispatcher };

let opened: { proxy: ReturnType<typeof proxyEnv>; opening: Promise<Opened> } | null = null;

/** Loaded on the first request: a gateway with the embedded model alone is spared its 1.2 MB of code. */
function openDispatcher(): Promise<Opened> {
  const proxy = proxyEnv();
  if (opened?.proxy !== proxy) opened = null;
  opened ??= { proxy, opening: open(proxy) };
  return opened.opening;
}

async function open(proxy: ReturnType<typeof proxyEnv>): Promise<Opened> {
  const { Agent, EnvHttpProxyAgent, interceptors, ...undici } = await import('undici');
  const { HTTP_PROXY: httpProxy = '', HTTPS_PROXY: httpsProxy = '', NO_PROXY: noProxy = '' } = proxy ?? {};
  // By HTTP/2, all replies of a server would share a connection, and wait for it when it is dead.
  const allowH2 = false;
  // A proxy may hold back a stream that it does not tunnel.
  const agent = proxy
    ? new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, proxyTunnel: true, allowH2 })
    : new Agent({ allowH2 });
  return { request: undici.request, dispatcher: agent.compose(interceptors.decompress({ skipErrorResponses: false })) };
}

function responseOf({ statusCode, statusText, headers, body }: Dispatcher.ResponseData): ProviderResponse {
  const values = (name: string) => [headers[name] ?? []].flat();
  return {
    ok: statusCode >= 200 && statusCode < 300,
    status: statusCode,
    statusText,
    headers: {
      get: (name) => values(name).join(', ') || null,
      *[Symbol.iterator]() {
        for (const name of Object.keys(headers)) yield [name, values(name).join(', ')];
      },
    },
    body: { getReader: () => readerOf(body) },
    text: () => body.text(),
  };
}

function readerOf(body: Readable): ByteReader {
  // Before it is read, or once it has been cancelled, nobody waits for an error.
  body.on('error', () => undefined);
  const chunks = body.iterator() as AsyncIterator<Uint8Array, undefined>;
  return {
    async read() {
      const { done, value } = await chunks.next();
      return value === undefined || done ? { done: true, value: undefined } : { done: false, value };
    },
    async cancel() {
      body.destroy();
    },
  };
}
