import type { Operation, Tenant, Variant } from './operations.ts';

/** A request; the body is made anew each time when it must differ each time. */
export type Ask = {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body: string | (() => string) | null;
};
/** The body of an answer as JSON, and whether the gateway says, by x-parley-lane, that a compiled query answered. */
export type Answer = { body: unknown; lane: boolean };
export type Send = (ask: Ask) => Promise<Answer>;

/** A server to be measured: how it is started, and how it is asked for each operation. */
export type Contender = {
  name: string;
  /** The file that is run, from the bench's folder, and settings beyond PORT and DATABASE_URL. */
  file: string;
  env?: Record<string, string>;
  /** Its flags for Node. */
  flags?: string[];
  /** What it answers when it is ready. */
  ready: Ask;
  /** The requests for an operation, one a variant, or null when it has none. May ask the server, for cursors. */
  requests: (operation: Operation, variants: Variant[], send: Send) => Promise<Ask[] | null>;
  /** An answer in the shape that raw answers in: `data` of the gateway's graph, or the body of its REST layer. */
  read: (operation: Operation, answer: unknown) => unknown;
};

/** A bearer of each workspace. */
export type Tokens = (tenant: Tenant) => string;

/** A request that posts JSON. */
export const post = (path: string, body: unknown, headers: Record<string, string> = {}): Ask => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

export const get = (path: string, headers: Record<string, string> = {}): Ask => ({
  method: 'GET',
  path,
  headers,
  body: null,
});
