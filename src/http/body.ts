import { invalid, ParleyError } from '../core/errors.ts';
import { findUnstorable, parseJson } from '../core/json-limits.ts';
import { limits } from '../core/limits.ts';
import { grouped } from '../core/validation.ts';
import { excessIn, locateFault } from './json-text.ts';

/**
 * Cheap prefilter for `findUnstorable`: such a character can only come from an escape, and the key, huge exponents and
 * long numbers are rare.
 */
const mayBeUnstorable = /\\u|__proto__|\d[eE]\+?\d{3}|\d{16}/;

/**
 * Returns the parsed JSON body of a request, or undefined when it has none. Throws `ParleyError`: 415 for another media
 * type or encoding, 413 above `maxBytes`, 400 for what is not JSON in UTF-8, nests deeper than 100 levels, or cannot be
 * stored.
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  return bytes.length === 0 ? undefined : jsonOf(decode(bytes));
}

type Sent = { headers: Pick<Headers, 'get'>; bytes: () => Promise<Uint8Array> };

/** Like `readJson`, for a body whose length is announced. */
export async function readJsonBytes({ headers, bytes }: Sent, maxBytes: number): Promise<unknown> {
  const announced = Number(headers.get('content-length') ?? 0);
  if (announced === 0) return undefined;
  requireJson({ headers });
  if (announced > maxBytes) throw tooLarge(maxBytes);
  const read = await bytes().catch(() => {
    throw brokenOff();
  });
  return jsonOf(decode(read));
}

/** Like `readJson`, for a body that has already been read as UTF-8. */
export function readJsonText(text: string, headers: Pick<Headers, 'get'>, maxBytes: number): unknown {
  if (text === '') return undefined;
  requireJson({ headers });
  if (Buffer.byteLength(text) > maxBytes) throw tooLarge(maxBytes);
  return jsonOf(text);
}

function jsonOf(text: string): unknown {
  requireSmall(text, { levels: limits.jsonLevels });
  const value = parse(text);
  const issues = mayBeUnstorable.test(text) ? findUnstorable(value) : [];
  if (issues.length > 0) throw invalid(issues);
  return value;
}

/**
 * Throws `ParleyError` 400 for a text with more values than a body may have, or more levels. It need not be JSON.
 * `path`: where it stands in the body, if it is a part of it.
 */
export function requireSmall(text: string, { levels = Number.POSITIVE_INFINITY, path = '' } = {}): void {
  const excess = excessIn(text, { levels, values: limits.jsonValues });
  if (!excess) return;
  if (excess === 'levels')
    throw invalid(`The body nests deeper than ${levels} levels: send what is deeper as a string.`);
  if (path) throw invalid(`${path}: has more than ${grouped(limits.jsonValues)} values.`);
  throw invalid(`The body has more than ${grouped(limits.jsonValues)} values: send several requests.`);
}

/**
 * Returns the body of a request of any media type. Throws `ParleyError`: 413 above `maxBytes`, 400 if it breaks off.
 */
export const readFileBody = (request: Request, maxBytes: number): Promise<Uint8Array> =>
  readBytes(request, maxBytes, () => {});

async function readBytes(
  request: Request,
  maxBytes: number,
  requireType: (request: Request) => void = requireJson,
): Promise<Uint8Array> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > 0) requireType(request);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request.body)) {
    if (size === 0 && chunk.length > 0) requireType(request);
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
}

/** The chunks of a body. A body that breaks off is the client's error, not ours. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw brokenOff();
      });
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function requireJson({ headers }: { headers: Pick<Headers, 'get'> }): void {
  const type = headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new ParleyError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  requireUtf8({ headers });
}

/** Throws `ParleyError` 415 for a body that says that it is compressed, or not in UTF-8. */
export function requireUtf8({ headers }: { headers: Pick<Headers, 'get'> }): void {
  const type = headers.get('content-type') ?? '';
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new ParleyError('unsupported_media_type', 'Send the body in UTF-8: the Content-Type names another charset.');
  }
  if (!/^identity$/i.test(encoding)) {
    throw new ParleyError('unsupported_media_type', 'Send the body uncompressed, without a Content-Encoding.');
  }
}

const brokenOff = (): ParleyError => invalid('The body ended before it was complete: send the request again.');

function tooLarge(maxBytes: number): ParleyError {
  const limit = maxBytes >= 1_000_000 ? `${Math.floor(maxBytes / 1_000_000)} MB` : `${grouped(maxBytes)} bytes`;
  return new ParleyError('payload_too_large', `The body is larger than ${limit}.`);
}

/** Throws `ParleyError` 400 for bytes that are not UTF-8. */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('The body is not valid UTF-8: encode it in UTF-8.');
  }
}

/** Throws `ParleyError` 400 where percent-encoded bytes are not UTF-8: `URLSearchParams` would replace them. */
export function requireEncodedUtf8(text: string, where: 'address' | 'body'): void {
  const encoded = text.match(/(?:%[\da-f]{2})+/gi) ?? [];
  if (!encoded.every(isUtf8)) throw invalid(`The ${where} is not valid UTF-8: encode it in UTF-8.`);
}

/** Uses what is decoded: a bundler drops a call of a pure function whose value nobody uses, although it may throw. */
function isUtf8(encoded: string): boolean {
  try {
    return decodeURIComponent(encoded) !== '';
  } catch {
    return false;
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    const at = locateFault(text);
    const lines = text.slice(0, at).split('\n');
    const position = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    const fault = at < text.length ? `syntax error at ${position}` : `it ends too early, at ${position}`;
    throw invalid(`The body is not valid JSON: ${fault}.`);
  }
}
