import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Viewer } from '../core/viewer.ts';
import { readJson, readJsonBytes } from './body.ts';
import { requestIdOf } from './request-id.ts';
import { admit } from './unfinished-bodies.ts';

/** A request as all that answers it sees it, whether it came through node:http or `fetch`. */
export type Received = {
  /** The request of node:http, or else of Fetch: the same object in every layer. */
  request: object;
  requestId: string;
  method: string;
  /** Decoded. */
  path: string;
  /** The query string as sent, without the `?`; empty if there is none. */
  query: string;
  headers: { get(name: string): string | null };
  /** Resolves with the JSON body, which is parsed once; undefined without one. Throws 400, 413 or 415. */
  json(maxBytes: number): Promise<unknown>;
  /** Resolves with the body; null if it is not UTF-8, is larger than 1 MB, or broke off. */
  text(): Promise<string | null>;
  /** Who sends it: set as soon as its bearer is being verified. */
  viewer?: Promise<Viewer>;
  /** The body of a GraphQL request, once it is parsed. */
  params?: object | null;
};

/** What Hono's context has of a request. */
type Fetched = { env: unknown; req: { raw: Request; path: string } };
type Incoming = IncomingMessage & { received?: Received; rawBody?: Buffer };

/** In bytes. */
const maxText = 1_000_000;

const plainTarget = /^(\/[\w/-]*)(?:\?([!"$-~]*))?$/;
const plainHost = /^[\w.-]+(?::\d{1,5})?$/;

/**
 * Reads the head of a request of node:http. Null unless nothing has to be decoded or normalized, and its body is of a
 * known length of at most 1 MB: such requests are left to Fetch. So are those that repeat a header, of which node:http
 * may keep the first alone, where what is before the gateway may have read another.
 */
export function receiveNode(request: Incoming): Received | null {
  const { method = '', url = '', headers } = request;
  const [, path, query = ''] = plainTarget.exec(url) ?? [];
  if (path === undefined || !plainHost.test(headers.host ?? '') || headers.expect !== undefined) return null;
  if (request.rawHeaders.length !== 2 * Object.keys(headers).length) return null;
  if (Number(headers['content-length'] ?? 0) > maxText || headers['transfer-encoding'] !== undefined) return null;
  const get = (name: string) => {
    const value = headers[name] ?? headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  };
  const bytes = () => readOnce(request);
  const received: Received = {
    request,
    requestId: requestIdOf(get('x-request-id')),
    method,
    path,
    query,
    headers: { get },
    json: once((maxBytes) => readJsonBytes({ headers: received.headers, bytes }, maxBytes)),
    text: () => bytes().then(decode, () => null),
  };
  request.received = received;
  return received;
}

/** Reads the head of a request of Fetch; `isPlain` as for `receiveNode`. */
export function receiveFetch({ env, req }: Fetched): { received: Received; isPlain: boolean } {
  const { raw } = req;
  const { pathname, search } = new URL(raw.url);
  const received: Received = {
    request: requestIn({ env, req }),
    requestId: requestIdOf(raw.headers.get('x-request-id')),
    method: raw.method,
    path: req.path,
    query: search.slice(1),
    headers: raw.headers,
    json: once((maxBytes) => readJson(raw, maxBytes)),
    text: async () => {
      const bytes = Buffer.from(await raw.clone().arrayBuffer());
      return bytes.length > maxText ? null : decode(bytes);
    },
  };
  return { received, isPlain: plainTarget.test(pathname + search) };
}

/** What was read of a request before it became one of Fetch; null if nothing was. */
export const receivedBefore = (env: unknown): Received | null => incomingOf(env)?.received ?? null;

/** The object that identifies a request in every layer: node:http's, or else Fetch's. */
export const requestIn = ({ env, req }: { env: unknown; req: { raw: Request } }): object => incomingOf(env) ?? req.raw;

const incomingOf = (env: unknown): Incoming | null => (env as { incoming?: Incoming } | null)?.incoming ?? null;

/** Reads the body of a request, and keeps it in `rawBody`, where Hono's listener looks for it. */
function readOnce(request: Incoming): Promise<Buffer> {
  admit(request);
  return new Promise((resolve, reject) => {
    if (request.rawBody) return resolve(request.rawBody);
    if (request.destroyed) return reject(request.errored);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('error', reject);
    request.once('end', () => {
      request.rawBody = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      resolve(request.rawBody);
    });
  });
}

const decode = (bytes: Buffer) => (isUtf8(bytes) ? bytes.toString() : null);

/** Parses a body once, whoever asks for it. */
function once(read: (maxBytes: number) => Promise<unknown>): Received['json'] {
  let json: Promise<unknown> | undefined;
  return (maxBytes) => (json ??= read(maxBytes));
}
