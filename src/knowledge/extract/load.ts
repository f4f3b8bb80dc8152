import { z } from 'zod';
import type { SourceContent } from '../extract.ts';
import type { GuardedFetch } from '../guarded-fetch.ts';
import { ExtractFailure } from './failure.ts';

/** The bytes of a source as they came. `kind` is null until somebody looks, unless it was given as text or HTML. */
export type Content = { bytes: Uint8Array; contentType: string; url: string | null; kind: 'text' | 'html' | null };

const maxBytes = 20_000_000;
const given = z.union([
  z.object({ text: z.string() }),
  z.object({ html: z.string() }),
  z.object({ base64: z.string() }),
]);

/** The content of a page or file: what stands in `data`, or else what is fetched from `url`. */
export async function loadContent(source: SourceContent, fetch: GuardedFetch, signal?: AbortSignal): Promise<Content> {
  const data = given.safeParse(source.data);
  const url = source.url || null;
  if (data.success) {
    const { text, html, base64 } = data.data as Partial<Record<'text' | 'html' | 'base64', string>>;
    const bytes = base64 === undefined ? new TextEncoder().encode(html ?? text) : decodeBase64(base64);
    return { bytes, contentType: '', url, kind: html !== undefined ? 'html' : text !== undefined ? 'text' : null };
  }
  if (!url) throw new ExtractFailure('There is nothing to read: give file.url, or file.data with text, html or base64');
  const accept = source.type === 'page' ? 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5' : '*/*';
  const answer = await fetch(url, { maxBytes, timeoutMs: 30_000, accept, ...(signal && { signal }) });
  return { bytes: answer.bytes, contentType: answer.contentType, url: answer.url, kind: null };
}

function decodeBase64(text: string): Uint8Array {
  const body = text.replace(/^data:[^,]*;base64,/, '').replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(body)) throw new ExtractFailure('file.data.base64 is not base64');
  return Buffer.from(body, 'base64');
}
