import { grouped } from '../../core/validation.ts';
import { withTimeout } from '../../net/deadline.ts';

export const TIMEOUT_MS = 5_000;
const maxBytes = 1_000_000;
const maxRedirects = 3;

/** An issuer's answer with another status than 200. */
export class IssuerAnswer extends Error {
  readonly status: number;

  constructor(url: string, status: number) {
    super(`${url} answered ${status}`);
    this.status = status;
  }
}

/**
 * Fetches a document of the issuer with its whole body, within the timeout and `maxBytes`. Redirects are followed
 * within its host. Throws if the status is not 200, with the address and the status in the message, which is for the
 * log.
 */
export function fetchWhole(url: string, init: RequestInit = {}): Promise<Response> {
  return withTimeout(TIMEOUT_MS, async (signal) => {
    const response = await fetchWithin(url, { ...init, redirect: 'manual', signal });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new Error(`${url} sent more than ${grouped(maxBytes)} bytes`);
      chunks.push(chunk);
    }
    return new Response(Buffer.concat(chunks), { headers: response.headers });
  });
}

/** Like `fetchWhole`, as JSON. */
export async function fetchJson(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetchWhole(url, { headers: { accept: 'application/json', ...headers } });
  return response.json().catch((cause: unknown) => {
    throw new Error(`${url} did not answer with JSON`, { cause });
  });
}

/** Follows redirects within the host: another one may not say whose tokens are valid, nor see a bearer. */
async function fetchWithin(url: string, init: RequestInit): Promise<Response> {
  let target = new URL(url);
  for (let count = 0; ; count++) {
    const response = await fetch(target, init);
    if (response.status === 200) return response;
    await response.body?.cancel();
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    const next = location === null ? null : URL.parse(location, target);
    if (!next || count === maxRedirects) throw new IssuerAnswer(target.href, response.status);
    const isSafer = target.protocol === 'http:' && next.protocol === 'https:' && next.hostname === target.hostname;
    if (next.origin !== target.origin && !isSafer) {
      throw new Error(`${target.href} redirects to ${next.origin}, and redirects are followed within the host only`);
    }
    target = next;
  }
}
