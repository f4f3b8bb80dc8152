import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { Services } from '../context.ts';
import { invalid, notFound } from '../core/errors.ts';
import { findLinked, type Linked, openLinked } from '../domain/attachments/attachments.ts';
import { respond } from './errors.ts';

/** What browsers show by themselves, by its bytes and not by what was said of it: nothing of it can hold a script. */
const shown = /^(image\/(png|jpeg|gif|webp)|audio\/(wav|mpeg|aac|ogg|flac|webm|mp4))$/;

/** What may be in a file is anybody's: where a browser opens it all the same, it can do nothing and is of no origin. */
const headersOfAll = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  // Pages of any origin may show an image: the link is what lets them.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'private, max-age=3600, immutable',
  'Accept-Ranges': 'bytes',
};

/** Attachments of messages, to whoever has a link to them. */
export function createFiles(services: Services): Hono {
  const app = new Hono();
  app.get('/files/:messageId/:place', async (c) => {
    const { expires = '', signature = '' } = c.req.query();
    const linked = await findLinked(services, { ...c.req.param(), expires, signature });
    // A link that is over, forged, or to what is gone: nobody is told which.
    return (linked && (await answer(services, c, linked))) ?? respond(notFound('File'));
  });
  return app;
}

async function answer(services: Services, c: Context, linked: Linked): Promise<Response | null> {
  const { size, hash } = linked.file ?? aboutBytes(linked.bytes);
  const etag = `"${hash}"`;
  const headers = { ...headersOfAll, ...aboutOf(linked), ETag: etag };
  if (matches(c.req.header('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  const condition = c.req.header('if-range');
  // By RFC 9110 a range is of GET alone.
  const isWhole = c.req.method === 'HEAD' || (condition && condition !== etag);
  const range = isWhole ? null : rangeOf(c.req.header('range'), size);
  if (range === 'beyond') {
    const { body } = invalid(`Range: the file has ${size} bytes, and none of those that are asked for.`);
    return Response.json(body, { status: 416, headers: { 'Content-Range': `bytes */${size}` } });
  }
  const length = range ? range.end - range.start + 1 : size;
  const about = {
    ...headers,
    'Content-Length': String(length),
    ...(range && { 'Content-Range': `bytes ${range.start}-${range.end}/${size}` }),
  };
  const status = range ? 206 : 200;
  if (c.req.method === 'HEAD') return new Response(null, { status, headers: about });
  const body = await openLinked(services, linked, range);
  return body && new Response(body, { status, headers: about });
}

const aboutBytes = (bytes: Buffer) => ({
  size: bytes.length,
  hash: createHash('sha256').update(bytes).digest('hex'),
});

/** The type of an attachment and its name. What is no image and no sound is bytes that are only ever saved: its type is its sender's word. */
function aboutOf({ attachment: { mimeType, name, type } }: Linked) {
  const isShown = mimeType != null && type !== 'file' && shown.test(mimeType);
  return {
    'Content-Type': isShown ? mimeType : 'application/octet-stream',
    'Content-Disposition': `${isShown ? 'inline' : 'attachment'}${named(name)}`,
  };
}

/** The name in the form of RFC 6266: without what would be a path or break the header, and once more for old clients. */
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

/** The one range that is asked for; null for none and for what is not understood, which RFC 9110 has one pass over. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | 'beyond' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (!first && !last) return null;
  const start = first ? Number(first) : Math.max(0, size - Number(last));
  const end = first && last ? Math.min(Number(last), size - 1) : size - 1;
  if (first && last && Number(last) < start) return null;
  return start > end ? 'beyond' : { start, end };
}
