import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Coding, chooseCoding, compressAsset } from '../content-coding.ts';
import { notFoundResponse } from '../errors.ts';

/** A static file of a page. `load` is called once, on the first request. */
export type Asset = { type: string; headers?: Record<string, string>; load: () => Promise<string | Uint8Array> };

const browserFile = (name: string): Promise<string> => readFile(new URL(`browser/${name}`, import.meta.url), 'utf8');

/** A script of the folder `browser`. */
export const pageScript = (name: string): Asset => ({
  type: 'text/javascript; charset=utf-8',
  load: () => browserFile(name),
});

/** One style sheet, of several files of the folder `browser`. */
export const pageStyle = (...names: string[]): Asset => ({
  type: 'text/css; charset=utf-8',
  load: async () => (await Promise.all(names.map(browserFile))).join('\n'),
});

type Loaded = { bytes: Buffer; tag: string };

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
    return new Uint8Array(await compressAsset[coding]((await load(name)).bytes));
  });
  return async (request, name) => {
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (!asset) return notFoundResponse(new URL(request.url).pathname);
    const coding = chooseCoding(request.headers.get('accept-encoding') ?? '');
    const etag = `"${(await load(name)).tag}-${coding}"`;
    const headers = { ...asset.headers, ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
    if (matches(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
    const content = { 'Content-Type': asset.type, ...(coding !== 'identity' && { 'Content-Encoding': coding }) };
    return new Response(await encode(`${coding} ${name}`), { headers: { ...headers, ...content } });
  };
}

/** Memoizes `make` per key, sharing calls in flight; a failure is not kept. */
function once<T>(make: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const cached = new Map<string, Promise<T>>();
  return (key) => {
    const value = cached.get(key) ?? make(key);
    cached.set(key, value);
    value.catch(() => cached.delete(key));
    return value;
  };
}

function matches(condition: string | null, etag: string): boolean {
  const tags = (condition ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
