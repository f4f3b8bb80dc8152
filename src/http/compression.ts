import type { MiddlewareHandler } from 'hono';
import { chooseCoding, compressResponse } from './content-coding.ts';

/** Smaller bodies are sent as they are, in bytes. */
export const minCompressedSize = 4_096;

/** Media types that are compressed: never event streams, nor files, most of which are compressed already. */
const compressible = /^(application\/(graphql-response\+|problem\+)?json|text\/(csv|html|markdown|plain))\s*(;|$)/i;

type Head = { status: number; contentType: string | null; etag: string | null };

/**
 * The coding in which to send a whole response of at least `minCompressedSize`; null to send it as it is. A response
 * with an ETag is not compressed: the tag, which `If-Match` compares, would have to differ by coding.
 */
export function codingFor(accepted: string | null, { status, contentType, etag }: Head): 'br' | 'gzip' | null {
  if (!accepted || status === 206 || etag !== null || !compressible.test(contentType ?? '')) return null;
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
    const head = { status, contentType: headers.get('content-type'), etag: headers.get('etag') };
    const coding = codingFor(accepted, head);
    if (!coding || Number(headers.get('content-length') ?? minCompressedSize) < minCompressedSize) return;
    const whole = new Uint8Array(await c.res.arrayBuffer());
    const isLarge = whole.length >= minCompressedSize;
    const sent = isLarge ? new Uint8Array(await compressResponse[coding](whole)) : whole;
    const changed = new Headers(headers);
    changed.set('content-length', String(sent.length));
    if (isLarge) {
      changed.set('content-encoding', coding);
      changed.append('vary', 'Accept-Encoding');
    }
    // Otherwise Hono would add the headers of the response before to this one's.
    c.res = undefined;
    c.res = new Response(sent, { status, headers: changed });
  };
}
