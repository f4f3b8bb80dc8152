import { detectAll } from 'jschardet';
import { latin, markOf, xmlDeclared } from './xml-encoding.ts';

/** Decoded text, with a warning if the encoding may be wrong. */
export type Decoded = { text: string; warning?: string };

/**
 * How far to look for a page's encoding declaration: browsers read no further than 1 KB, but some pages declare it
 * late.
 */
const declaredWithin = 64_000;
/** How many bytes detection looks at, starting at the first non-ASCII character. */
const sampled = 200_000;
/**
 * With fewer non-ASCII letters, or a lower confidence, there is too little evidence: Western European is most likely.
 */
const minLetters = 4;
const minConfidence = 0.08;
/**
 * A guess is uncertain if its confidence is low, or if another encoding that gives a different text is nearly as
 * likely.
 */
const weak = 0.1;
const minRatio = 1.05;

/**
 * Decodes bytes by their byte order mark, an encoding declared in XML, a header or the page, as UTF-8 if they are
 * valid, or else by detection.
 */
export function decodeText(bytes: Uint8Array, contentType: string): Decoded {
  const head = latin(bytes, declaredWithin);
  const marked = markOf(head);
  if (marked) return { text: new TextDecoder(marked).decode(bytes) };
  const label = xmlDeclared(head) ?? declared.exec(contentType)?.[1] ?? metaDeclared(head);
  return decodeAs(bytes, label) ?? readUtf8(bytes) ?? guess(bytes);
}

const declared = /charset\s*=\s*["']?([\w.:-]+)/i;
const metaDeclared = (head: string): string | undefined =>
  head
    .match(/<meta\s[^>]{0,500}>/gi)
    ?.map((tag) => declared.exec(tag)?.[1])
    .find(Boolean);

/** Decodes with a declared encoding; undefined if it is unknown, or the bytes are invalid in it. */
function decodeAs(bytes: Uint8Array, label: string | undefined): Decoded | undefined {
  if (!label) return undefined;
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    // Servers declare Latin-1 for anything. Non-ASCII text that is valid UTF-8 is UTF-8.
    if (decoder.encoding === 'windows-1252' && isUtf8(bytes)) return undefined;
    return { text: decoder.decode(bytes) };
  } catch {
    return undefined;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Decodes UTF-8 with some invalid bytes; undefined if there are too many for it to be UTF-8. */
function readUtf8(bytes: Uint8Array): Decoded | undefined {
  if (isUtf8(bytes)) return { text: new TextDecoder().decode(bytes) };
  const text = new TextDecoder().decode(bytes);
  let broken = 0;
  let letters = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken++;
    else if (code > 0x7f) letters++;
  }
  if (letters < broken * 20) return undefined;
  return { text, warning: `The file is not valid UTF-8: ${broken} of its characters could not be read` };
}

/** Picks the most likely encoding of those that `TextDecoder` supports. */
function guess(bytes: Uint8Array): Decoded {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, bytes.lastIndexOf(0x0a, first), first - 1_000);
  const sample = bytes.subarray(start, start + sampled);
  const candidates = detectAll(sample).flatMap(({ encoding, confidence }) => {
    const decoder = decoderOf(encoding ?? '');
    return decoder ? [{ decoder, confidence, text: decoder.decode(sample) }] : [];
  });
  const letters = sample.reduce((sum, byte) => sum + (byte > 0x7f ? 1 : 0), 0);
  const [best] = candidates;
  const other = candidates.find(({ text }) => text !== best?.text);
  const isDetected = best !== undefined && letters >= minLetters && best.confidence >= minConfidence;
  const decoder = isDetected ? best.decoder : new TextDecoder('windows-1252');
  const isConfident = isDetected && best.confidence >= weak && best.confidence >= (other?.confidence ?? 0) * minRatio;
  const warning = `The file does not declare its character encoding: it was read as ${decoder.encoding}, which may be wrong`;
  return { text: decoder.decode(bytes), ...(!isConfident && { warning }) };
}

/** Encodings that have another name on the web. */
const names: Record<string, string> = {
  CP932: 'shift_jis',
  CP949: 'euc-kr',
  MacRoman: 'macintosh',
  MacCyrillic: 'x-mac-cyrillic',
};

function decoderOf(name: string): TextDecoder | null {
  try {
    return new TextDecoder(names[name] ?? name);
  } catch {
    return null;
  }
}
