import { z } from 'zod';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { refreshOf } from './refresh.ts';
import type { Content, SourceContent } from './types.ts';

/** The largest download in bytes, for a page and for a file. */
const maxBytes = { page: 20_000_000, file: 64_000_000 };
/** How often a page may go on to another by itself. */
const maxRefreshes = 3;
const inlineData = z.union([
  z.object({ text: z.string() }),
  z.object({ html: z.string() }),
  z.object({ base64: z.string() }),
]);

/** Whether a source's content is given in `data`, so that nothing is fetched. */
export const isGiven = (source: SourceContent): boolean => inlineData.safeParse(source.data).success;

export type Loaded = { content: Content; etag?: string | undefined; lastModified?: string | undefined };
type LoadOptions = { signal?: AbortSignal | undefined; headers?: Record<string, string> | undefined };

/**
 * Loads the content of a page or file: what is given in `data`, or else fetched from `url`. `headers` are sent with the
 * request; if they make it conditional, an unchanged source rejects with a `FetchFailure` of status 304.
 */
export async function loadContent(
  source: SourceContent,
  fetch: GuardedFetch,
  { signal, headers }: LoadOptions = {},
): Promise<Loaded> {
  const data = inlineData.safeParse(source.data);
  const url = source.url || null;
  const ext = source.ext ?? null;
  if (data.success) {
    const { text, html, base64 } = data.data as Partial<Record<'text' | 'html' | 'base64', string>>;
    const bytes = base64 === undefined ? new TextEncoder().encode(html ?? text) : decodeBase64(base64);
    const kind = html !== undefined ? 'html' : text !== undefined ? 'text' : null;
    return { content: { bytes, contentType: '', url, ext, kind } };
  }
  if (!url) throw new ExtractFailure('There is nothing to read: give file.url, or file.data with text, html or base64');
  const isPage = source.type === 'page';
  const options = {
    maxBytes: isPage ? maxBytes.page : maxBytes.file,
    timeoutMs: isPage ? 30_000 : 120_000,
    accept: isPage ? 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5' : '*/*',
    ...(signal && { signal }),
  };
  let answer = await fetch(url, { ...options, ...(headers && { headers }) });
  for (let hops = 0; isPage && hops < maxRefreshes; hops++) {
    const next = refreshOf(answer.bytes, answer.contentType, answer.url);
    if (!next) break;
    answer = await fetch(next, options);
  }
  const { bytes, contentType, etag, lastModified } = answer;
  const content = { bytes, contentType, url: answer.url, ext: ext ?? extensionOf(answer.url), kind: null };
  return { content, etag, lastModified };
}

function decodeBase64(text: string): Uint8Array {
  const body = text.replace(/^data:[^,]*;base64,/, '').replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(body)) throw new ExtractFailure('file.data.base64 is not base64');
  return Buffer.from(body, 'base64');
}

const extensionOf = (url: string): string | null => /\.(\w{1,10})$/.exec(URL.parse(url)?.pathname ?? '')?.[1] ?? null;
