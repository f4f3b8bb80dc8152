import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { notFoundResponse } from '../errors.ts';

/** A static file of a page. `load` is called once, on the first request. */
export type Asset = { type: string; load: () => Promise<string | Uint8Array> };
type Coding = 'br' | 'gzip' | 'identity';
type Loaded = { bytes: Buffer; tag: string };

const compress: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  // Quality 5 compresses 5 MB in a tenth of a second, within 10 % of the size at quality 11, which takes half a minute.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
  identity: async (bytes) => bytes,
};

/**
 * Serves named files, compressed as the browser prefers (once, then from memory), with an ETag to revalidate against: a
 * new release is picked up at once, an unchanged one costs an empty 304. Files are read on first request, not at
 * startup.
 */
export function serveAssets(assets: Record<string, Asset>): (request: Request, name: string) => Promise<Response> {
  const load = once(async (name: string): Promise<Loaded> => {
    const bytes = Buffer.from((await assets[name]?.load()) ?? '');
    return { bytes, tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22) };
  });
  const encode = once(async (key: string) => {
    const [coding, name] = key.split(' ') as [Coding, string];
    return new Uint8Array(await compress[coding]((await load(name)).bytes));
  });
  return async (request, name) => {
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (!asset) return notFoundResponse(new URL(request.url).pathname);
    const coding = chooseCoding(request.headers.get('accept-encoding') ?? '');
    const etag = `"${(await load(name)).tag}-${coding}"`;
    const headers = { ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
    if (matches(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
    const content = { 'Content-Type': asset.type, ...(coding !== 'identity' && { 'Content-Encoding': coding }) };
    return new Response(await encode(`${coding} ${name}`), { headers: { ...headers, ...content } });
  };
}

/** Memoizes `make` per key, sharing calls in flight; a failure is not kept. */
function once<T>(make: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    value.catch(() => made.delete(key));
    return value;
  };
}

function chooseCoding(accepted: string): Coding {
  const offered = accepted
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part));
  const names = offered.map((part) => part.split(';')[0]?.trim());
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : 'identity';
}

function matches(condition: string | null, etag: string): boolean {
  const tags = (condition ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
