import type { FetchAnswer } from '../net/guarded-fetch.ts';

/** How much of a response a model is shown. */
const maxCharacters = 7_500;

/**
 * Returns a response as text for the model: JSON without white space, other text unchanged, and for anything else a
 * description.
 */
export function readAnswer({ status, contentType, bytes, cut = false }: FetchAnswer): string {
  const bodyText = bytes.byteLength === 0 ? '(no content)' : bodyOf(contentType, bytes, cut);
  const clipped = clip(bodyText);
  const note = cut || clipped !== bodyText ? `\n[truncated: the response was longer; request less]` : '';
  return `${status >= 400 ? `The API responded with ${status}:\n` : ''}${clipped}${note}`;
}

function bodyOf(contentType: string, bytes: Uint8Array, cut: boolean): string {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const isText = type === '' || /^text\/|[/+](?:json|xml|yaml|x-ndjson|javascript|x-www-form-urlencoded)$/.test(type);
  const isMedia = /^(?:image|audio|video|font)\//.test(type);
  const text = isText ? decode(contentType, bytes) : isMedia ? null : decodeUtf8(bytes, cut);
  if (text === null) return `[${type}, ${bytes.byteLength} bytes, which cannot be shown]`;
  // NUL cannot be stored in the database, and no text contains it.
  if (text.includes('\0')) return `[${bytes.byteLength} bytes that are not text]`;
  if (cut || !/^[\s\ufeff]*[[{"]/.test(text)) return text.trim();
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.trim();
  }
}

/** Text under a type that says nothing of it, such as JSON as `application/octet-stream`; null if it is none. */
function decodeUtf8(bytes: Uint8Array, cut: boolean): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
    return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

function decode(contentType: string, bytes: Uint8Array): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** The beginning of a text, without a lone surrogate at its end. */
const clip = (text: string): string =>
  text.length <= maxCharacters ? text : text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '');
