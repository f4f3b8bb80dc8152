import { fileURLToPath } from 'node:url';
import { openBundle } from '../src/bundle/bundle.ts';
import type { Operation, Tenant, Variant } from './operations.ts';

/** What `npm start` runs. */
export const gatewayFile = fileURLToPath(openBundle('gateway')(new URL('../src/main.ts', import.meta.url)));

/** A request; `body` is a function if it must differ each time. */
export type BenchRequest = {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body: string | (() => string) | null;
};
/** A JSON response, and whether the gateway's x-parley-compiled header says that a compiled query served it. */
export type Answer = { body: unknown; compiled: boolean };
export type Send = (ask: BenchRequest) => Promise<Answer>;

/** A server to measure: how to start it, and how to request each operation. */
export type Contender = {
  name: string;
  /** The file to run, relative to the bench folder, and settings beyond PORT and DATABASE_URL. */
  file: string;
  env?: Record<string, string>;
  /** Flags for Node. */
  flags?: string[];
  /** The request that succeeds once it is ready. */
  ready: BenchRequest;
  /**
   * The requests for an operation, one per variant; null if it does not support it. May query the server, to get
   * cursors.
   */
  requests: (operation: Operation, variants: Variant[], send: Send) => Promise<BenchRequest[] | null>;
  /** Converts a response to raw's shape: the `data` of the gateway's GraphQL, or the body of its REST layer. */
  read: (operation: Operation, answer: unknown) => unknown;
};

/** Returns the bearer token for a workspace. */
export type Tokens = (tenant: Tenant) => string;

/** A POST request with a JSON body. */
export const post = (path: string, body: unknown, headers: Record<string, string> = {}): BenchRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** The same request with another body each time it is sent. */
export const afresh = (request: BenchRequest, body: () => unknown): BenchRequest => ({
  ...request,
  body: () => JSON.stringify(body()),
});

export const get = (path: string, headers: Record<string, string> = {}): BenchRequest => ({
  method: 'GET',
  path,
  headers,
  body: null,
});
