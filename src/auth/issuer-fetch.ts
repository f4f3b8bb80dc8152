import { within } from '../net/deadline.ts';

export const TIMEOUT_MS = 5_000;
const maxBytes = 1_000_000;

/**
 * Fetches a document of the issuer with its whole body, within the timeout and `maxBytes`. Throws if the status is not
 * 200, with the address and the status in the message, which is for the log.
 */
export function fetchWhole(url: string, init: RequestInit = {}): Promise<Response> {
  return within(TIMEOUT_MS, async (signal) => {
    const response = await fetch(url, { ...init, signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`${url} answered ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new Error(`${url} sent more than ${maxBytes} bytes`);
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
