import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { Services } from '../context.ts';
import { invalid, notFound } from '../core/errors.ts';
import { findLinked, type Linked, openLinked } from '../domain/attachments/attachments.ts';
import { respond } from './errors.ts';

/**
 * Types that browsers display themselves, detected from the bytes rather than declared by the sender: none can hold a
 * script.
 */
const inlineTypes = /^(image\/(png|jpeg|gif|webp)|audio\/(wav|mpeg|aac|ogg|flac|webm|mp4))$/;

/** Files are untrusted: if a browser opens one anyway, it is sandboxed, with no origin and no access. */
const headersOfAll = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  // Pages of any origin may embed an image: possession of the link is the permission.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'private, max-age=3600, immutable',
  'Accept-Ranges': 'bytes',
};

/** Serves the attachments of messages to anyone who holds a signed link. */
export function createFiles(services: Services): Hono {
  const app = new Hono();
  app.get('/files/:messageId/:position', async (c) => {
    const { workspace = '', expires = '', signature = '' } = c.req.query();
    const linked = await findLinked(services, { ...c.req.param(), workspaceId: workspace, expires, signature });
    // An expired link, a forged one and a deleted file look the same from outside.
    return (linked && (await answer(services, c, linked))) ?? respond(notFound('File'));
  });
  return app;
}

async function answer(services: Services, c: Context, linked: Linked): Promise<Response | null> {
  const { size, hash } = linked.file ?? bytesHeaders(linked.bytes);
  const etag = `"${hash}"`;
  const headers = { ...headersOfAll, ...headersOf(linked), ETag: etag };
  if (matches(c.req.header('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  const condition = c.req.header('if-range');
  // RFC 9110 defines Range for GET only.
  const isWhole = c.req.method === 'HEAD' || (condition && condition !== etag);
  const range = isWhole ? null : rangeOf(c.req.header('range'), size);
  if (range === 'beyond') {
    const { body } = invalid(`Range: the file has ${size} bytes, and the requested range is outside them.`);
    return Response.json(body, { status: 416, headers: { 'Content-Range': `bytes */${size}` } });
  }
  const length = range ? range.end - range.start + 1 : size;
  const baseHeaders = {
    ...headers,
    'Content-Length': String(length),
    ...(range && { 'Content-Range': `bytes ${range.start}-${range.end}/${size}` }),
  };
  const status = range ? 206 : 200;
  if (c.req.method === 'HEAD') return new Response(null, { status, headers: baseHeaders });
  const body = await openLinked(services, linked, range);
  return body && new Response(body, { status, headers: baseHeaders });
}

const bytesHeaders = (bytes: Buffer) => ({
  size: bytes.length,
  hash: createHash('sha256').update(bytes).digest('hex'),
});

/**
 * The content type and disposition of an attachment. Anything but images and sound is only ever downloaded, as opaque
 * bytes, since its type is merely what its sender declared.
 */
function headersOf({ attachment: { mimeType, name, type } }: Linked) {
  const isInline = mimeType != null && type !== 'file' && inlineTypes.test(mimeType);
  return {
    'Content-Type': isInline ? mimeType : 'application/octet-stream',
    'Content-Disposition': `${isInline ? 'inline' : 'attachment'}${named(name)}`,
  };
}

/**
 * The file name as in RFC 6266, without path separators or characters that would break the header, plus an ASCII
 * fallback for old clients.
 */
function named(given: string | null | undefined): string {
  const name = (given ?? '')
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu, '_')
    .replace(/^\.+/, '_')
    .slice(0, 200)
    .toWellFormed();
  if (!name) return '';
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `; filename="${name.replace(/[^ -~]/g, '_')}"; filename*=UTF-8''${encoded}`;
}

const matches = (condition: string | undefined, etag: string): boolean =>
  (condition ?? '').split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));

/** The single range requested; null for none and for what cannot be parsed, which RFC 9110 says to ignore. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | 'beyond' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (!first && !last) return null;
  const start = first ? Number(first) : Math.max(0, size - Number(last));
  const end = first && last ? Math.min(Number(last), size - 1) : size - 1;
  if (first && last && Number(last) < start) return null;
  return start > end ? 'beyond' : { start, end };
}
