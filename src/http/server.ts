import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Logger } from 'pino';
import { ConfigError } from '../config/config.ts';
import { internalError, invalid, ParleyError } from '../core/errors.ts';
import { hasSeveralHosts, hostFaults } from '../core/host-header.ts';
import { type Cost, Load } from '../core/load.ts';
import { Connections } from './connections.ts';
import { respond } from './errors.ts';
import { accessLog } from './log/request-log.ts';
import { createNodeListener } from './node-listener.ts';
import type { Pipeline } from './pipeline.ts';
import { requestIdOf } from './request-id.ts';
import { staticHeaders } from './security.ts';
import { sendTexts } from './text-stream.ts';
import { CountedRequest, UnfinishedBodies } from './unfinished-bodies.ts';

export type Fetch = (request: Request, env: object) => Response | Promise<Response>;
type Address = { host: string; port: number };
export type Listening = {
  /** URL at which a browser on this machine reaches the server, with the port that was actually bound. */
  url: string;
  /** Accepts no new work, lets requests in flight finish, and cuts whatever is left after `graceMs` milliseconds. */
  close: (graceMs: number) => Promise<void>;
  /** Lets go of its clients without failing a request, as `Connections.drain` does. */
  drain: (maxMs: number, idleMs?: number) => Promise<void>;
};

// A body of 16 MB must fit into requestTimeout on a slow line; keepAliveTimeout outlives a load balancer's 60 s; a
// missing Host is rejected by the listener, with a body. TCP keep-alive probes clients that send nothing, such as
// readers of a stream without events.
const limits = {
  // A token of 16 KB, and as much for everything else.
  maxHeaderSize: 32_768,
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  requireHostHeader: false,
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};

/** How often to check for silent clients, in milliseconds. */
const checkMs = 1_000;

type ListenOptions = {
  /** Tried first, so that no Fetch request need be built. */
  pipeline?: Pipeline;
  bodies?: UnfinishedBodies;
  connections?: Connections;
  /** Decides which requests are refused under load. Without it, none is. */
  load?: Load;
  log?: Logger;
};

/** Serves `fetch` over HTTP. Throws `ConfigError` naming PORT or HOST if the address cannot be bound. */
export async function listen(
  fetch: Fetch,
  address: Address,
  {
    pipeline,
    log,
    load = new Load({ requests: Number.POSITIVE_INFINITY, delayMs: Number.POSITIVE_INFINITY }),
    bodies = new UnfinishedBodies(),
    connections = new Connections({ log }),
  }: ListenOptions = {},
): Promise<Listening> {
  const refuse = createRefuse(log);
  const answer: Fetch = async (request, env) => {
    const { incoming, outgoing } = env as { incoming: CountedRequest; outgoing: ServerResponse };
    try {
      const response = withoutHops(await fetch(request, env));
      return sendTexts(response, outgoing) ? RESPONSE_ALREADY_SENT : response;
    } finally {
      // A stream has started by now, and goes on at its reader's pace.
      incoming.onResponse();
    }
  };
  /** The last request of each connection. */
  const last = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
  const listener = getRequestListener(answer, { errorHandler });
  const serve = pipeline ? createNodeListener(pipeline, listener) : listener;
  const server = createServer({ ...limits, IncomingMessage: CountedRequest }, (request, response) => {
    connections.begin(request.socket, response);
    last.set(request.socket, { request, response });
    // HTTP/1.0 has no Host header, and load balancers' health checks may speak it.
    if (request.httpVersion === '1.0' && isHealthCheck(request)) request.headers.host ??= 'localhost';
    const cost = requestCost(request);
    const refusal = hasSeveralHosts(request) ? hostFaults.several : cost && load.refusal(cost);
    if (refusal) {
      bodies.ignore(request, refusal);
      return refuse(request, response, refusal);
    }
    // Most requests have no body, of which something could be left.
    if (bodies.begin(request)) response.once('finish', () => bodies.dropRest(request));
    request.onResponse = load.enter();
    void Promise.resolve(serve(request, response)).then(request.onResponse, request.onResponse);
  });
  server.on('connection', (socket: Socket) => {
    bodies.watch(socket);
    connections.add(socket);
  });
  const check = async () => {
    await bodies.check();
    load.unreadBytes = connections.check((socket) => bodies.isDropped(socket));
  };
  const timer = setInterval(() => void check(), checkMs).unref();
  server.once('close', () => clearInterval(timer));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { request, response } = last.get(socket) ?? {};
    const isAnswered = !request?.complete || !response || response.writableFinished || response.destroyed;
    if (isAnswered || !error.code?.startsWith('HPE_')) return answerUnreadable(error, socket as Socket);
    // What cannot be read came after a whole request, which is still being answered.
    response.shouldKeepAlive = false;
    response.once('finish', () => answerUnreadable(error, socket as Socket));
  });
  await bind(server, address);
  const url = urlOf(address.host, (server.address() as AddressInfo).port);
  return {
    url,
    close: (graceMs) => connections.close(server, graceMs),
    drain: (maxMs, idleMs) => connections.drain(server, maxMs, idleMs),
  };
}

/**
 * Throws as `listen` would if the address cannot be bound, and releases it again: a start that is bound to fail does so
 * before it opens and migrates a database, and no connection is accepted before there is one.
 */
export async function requireFreeAddress(address: Address): Promise<void> {
  const server = createServer();
  await bind(server, address);
  await new Promise((resolve) => server.close(resolve));
}

/**
 * Node knows whether a connection stays open, and whether the body comes in chunks: a caller of HTTP/1.0, or one that
 * asked for the end of the connection, would wait for it after a stream that said otherwise.
 */
function withoutHops(response: Response): Response {
  for (const name of ['connection', 'transfer-encoding']) response.headers.delete(name);
  return response;
}

const isHealthCheck = ({ url }: IncomingMessage): boolean => url === '/health' || url === '/ready';

/** Only for requests that never reached the app, which handles its own errors. */
function errorHandler(error: unknown): Response {
  if (error instanceof RequestError) {
    const ofHost = /missing/i.test(error.message) ? hostFaults.missing : hostFaults.wrong;
    return respond(isOfHost(error) ? ofHost : invalid('The address in the request line is not valid.'));
  }
  return respond(internalError());
}

/** Whether the Host header is at fault, rather than the request line: by the words, or by the URL that was tried. */
function isOfHost({ message, cause }: RequestError): boolean {
  const [origin = ''] = /^https?:\/\/[^/?#]*/.exec(String((cause as { input?: string } | undefined)?.input)) ?? [];
  return /\bhost\b/i.test(message) || (origin !== '' && !URL.canParse(origin));
}

function bind(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen(port, host, resolve);
  });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new ConfigError(`PORT: ${port} is already in use on ${host}; stop what listens there or set another PORT`);
  }
  if (error.code === 'EACCES')
    return new ConfigError(`PORT: ${port} may not be opened by this user; set another PORT, above 1023`);
  if (
    error.code === 'EADDRNOTAVAIL' ||
    error.code === 'EAFNOSUPPORT' ||
    error.code === 'ENOTFOUND' ||
    error.code === 'EAI_AGAIN'
  ) {
    return new ConfigError(
      `HOST: ${host} is not an address of this machine; set one of its own, or 0.0.0.0 for all of them`,
    );
  }
  return error;
}

function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Bytes that are not HTTP never reach the app, but still get the usual error shape. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, body } = faultOf(error.code);
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}

function faultOf(code: string | undefined): ParleyError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ParleyError('payload_too_large', 'The address and the headers are larger than 32 KB together.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return invalid('The request did not arrive completely in time: send it again.');
  return invalid('The request is not valid HTTP.');
}

type RefuseRequest = (request: IncomingMessage, response: ServerResponse, failure: ParleyError) => void;

/** Rejects a request before any of its body is read, in the error shape of its path, and logs it. */
function createRefuse(log: Logger | undefined): RefuseRequest {
  const access = log && accessLog(log);
  return (request, response, { status, headers, body, code, issues }) => {
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?', 1);
    const { message } = body;
    const isGraphQL = path === '/graphql';
    const shaped = isGraphQL ? { errors: [{ message, extensions: { code, ...(issues && { issues }) } }] } : body;
    const requestId = requestIdOf(request.headers['x-request-id']?.toString());
    const text = JSON.stringify(shaped);
    response.writeHead(status, {
      ...staticHeaders,
      'X-Request-Id': requestId,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      ...headers,
    });
    response.end(text);
    access?.({ requestId, method, path, status, started: performance.now(), errorCodes: [code] });
  };
}

/** A body of more bytes carries large or bulk content. */
const largeBody = 100_000;

/** Never shed under load: probes, and the keys that others verify our tokens with. */
const alwaysServed = /^\/(health|ready|\.well-known\/jwks\.json)$/;
/** Writes that start a turn or have sources read. */
const expensiveWrites = /^\/(api\/|v1\/chat\/|widget\/messages|rest\/bases)/;

/**
 * The cost class of a request, judged by its head alone; null if it is never refused. GraphQL operations count as cheap
 * until their document is known: see src/graphql/cost.ts.
 */
function requestCost({
  method = '',
  url = '',
  headers,
}: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): Cost | null {
  const [path = ''] = url.split('?', 1);
  if (alwaysServed.test(path)) return null;
  if (Number(headers['content-length'] ?? 0) > largeBody) return 'expensive';
  if (path === '/graphql') return 'cheap';
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
    return path.startsWith('/files/') ? 'ordinary' : 'cheap';
  return method === 'DELETE' || !expensiveWrites.test(path) ? 'ordinary' : 'expensive';
}
