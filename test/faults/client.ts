import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export type Sent = {
  method?: string;
  path: string;
  token: string;
  body?: object;
  /** The Idempotency-Key. */
  key?: string;
  headers?: Record<string, string>;
};
export type Reply = { status: number; headers: Headers; text: string; body: any };
/** The outcome of a request: a reply or a connection error, and its duration in milliseconds. */
export type Outcome = { sent: Sent; reply: Reply | null; error: string | null; ms: number };

/** Longer than any request may take. */
const patienceMs = 45_000;

/** Sends a request. Never rejects. */
export async function ask(url: string, sent: Sent): Promise<Outcome> {
  const { method = 'POST', path, token, body, key, headers = {} } = sent;
  const since = performance.now();
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
        'x-request-id': randomUUID(),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    });
    const text = await response.text();
    const reply = { status: response.status, headers: response.headers, text, body: parsed(text) };
    return { sent, reply, error: null, ms: performance.now() - since };
  } catch (error) {
    return { sent, reply: null, error: reasonOf(error), ms: performance.now() - since };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? (error as Error).message;
}

export const graphql = (token: string, query: string, variables: object = {}): Sent => ({
  path: '/graphql',
  token,
  body: { query, variables },
});

/** The data of a query, retried until the gateway can answer. */
export async function dataOf(url: string, token: string, query: string, variables: object = {}): Promise<any> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { reply, error } = await ask(url, graphql(token, query, variables));
    if (reply?.body?.data && !reply.body.errors) return reply.body.data;
    const isRefused = reply !== null && reply.body?.errors?.[0]?.extensions?.code === 'invalid_request';
    if (isRefused || Date.now() > deadline) throw new Error(`The gateway does not answer: ${reply?.text ?? error}`);
    await sleep(200);
  }
}
