import type { MiddlewareHandler } from 'hono';
import { chooseCoding, compressResponse } from './content-coding.ts';

/** Smaller bodies are sent as they are, in bytes. */
const minSize = 4_096;

/** Media types that are compressed: never event streams, nor files, most of which are compressed already. */
const compressible = /^(application\/(graphql-response\+|problem\+)?json|text\/(csv|html|markdown|plain))\s*(;|$)/i;

type Whole = { status: number; contentType: string | null; etag: string | null; size: number };

/**
 * The coding in which to send a whole response; null to send it as it is. A response with an ETag is not compressed:
 * the tag, which `If-Match` compares, would have to differ by coding.
 */
export function codingFor(accepted: string | null, { status, contentType, etag, size }: Whole): 'br' | 'gzip' | null {
  if (!accepted || size < minSize || status === 206 || etag !== null || !compressible.test(contentType ?? ''))
    return null;
  const coding = chooseCoding(accepted);
  return coding === 'identity' ? null : coding;
}

/** Compresses the app's responses for clients that accept it. */
export function compressed(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const accepted = c.req.header('accept-encoding');
    const { status, headers, body } = c.res;
    if (!accepted || !body || c.req.method === 'HEAD' || headers.has('content-encoding')) return;
    const known = { status, contentType: headers.get('content-type'), etag: headers.get('etag') };
    if (!codingFor(accepted, { ...known, size: Number.POSITIVE_INFINITY })) return;
    const whole = new Uint8Array(await c.res.arrayBuffer());
    const coding = codingFor(accepted, { ...known, size: whole.length });
    const sent = coding ? new Uint8Array(await compressResponse[coding](whole)) : whole;
    const changed = new Headers(headers);
    changed.set('content-length', String(sent.length));
    if (coding) {
      changed.set('content-encoding', coding);
      changed.append('vary', 'Accept-Encoding');
    }
    // Otherwise Hono would add the headers of the response before to this one's.
    c.res = undefined;
    c.res = new Response(sent, { status, headers: changed });
  };
}
