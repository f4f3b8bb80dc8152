import { once } from 'node:events';
import { chmodSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { invalid, notFound, ParleyError } from '../../core/errors.ts';
import { adminSocketPath } from './admin-socket-path.ts';

/** A response that stays open until the caller closes the connection; then `release` is called. */
export class Lease {
  readonly body: object;
  readonly release: () => Promise<void>;

  constructor(body: object, release: () => Promise<void>) {
    this.body = body;
    this.release = release;
  }
}

/** Validates a request and resolves with the body of its response. */
type AdminOperation = (request: unknown) => Promise<object | Lease>;
/** By name: `token` serves POST /token. */
export type AdminOperations = Record<string, AdminOperation>;

const MAX_BODY = 4_096;

type Options = { dataDir: string; operations: AdminOperations };

/**
 * Listens for the operator's commands on a socket that only this user can open. With the embedded database, call it
 * while holding the folder's lock.
 */
export async function openAdminSocket({ dataDir, operations }: Options) {
  const socket = adminSocketPath(dataDir);
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    answer(request, operations).then(
      (body) => reply(response, 200, body),
      (error) => reply(response, ...failureOf(error)),
    );
  });
  const inode = process.platform === 'win32' ? await listen(server, socket) : await listenPrivately(server, socket);
  server.unref();
  return {
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      if (inode !== null && inodeOf(socket) === inode) rmSync(socket, { force: true });
    },
  };
}

type Server = ReturnType<typeof createServer>;

async function listen(server: Server, socket: string): Promise<null> {
  server.listen(socket);
  await once(server, 'listening');
  return null;
}

/**
 * Creates the socket in a private folder and moves it into place, so that it is never accessible to others and replaces
 * one that a killed process left behind.
 */
async function listenPrivately(server: Server, socket: string): Promise<number | null> {
  const folder = mkdtempSync(path.join(path.dirname(socket), '.c'));
  try {
    const draft = path.join(folder, 's');
    await listen(server, draft);
    chmodSync(draft, 0o600);
    renameSync(draft, socket);
    return inodeOf(socket);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const inodeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.ino ?? null;

async function answer(request: IncomingMessage, operations: AdminOperations): Promise<object> {
  const name = request.url?.slice(1) ?? '';
  const operation = request.method === 'POST' && Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (!operation) throw notFound('Operation');
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > MAX_BODY) throw invalid(`The command is larger than ${MAX_BODY / 1_000} KB.`);
  }
  return operation(parse(body));
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalid('The command is not valid JSON: use the commands of the same version as the gateway.');
  }
}

function failureOf(error: unknown): [number, object] {
  const reported =
    error instanceof ParleyError
      ? error
      : new ParleyError('internal_error', 'The command failed in the gateway: the cause is in its log.');
  return [reported.status, reported.body];
}

function reply(response: ServerResponse, status: number, body: object | Lease): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  if (!(body instanceof Lease)) return void response.end(JSON.stringify(body));
  const release = () => void body.release().catch(() => {});
  if (response.destroyed) return release();
  response.once('close', release).write(`${JSON.stringify(body.body)}\n`);
}
