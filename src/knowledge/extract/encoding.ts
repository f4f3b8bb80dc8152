import { detectAll } from 'jschardet';
import { latin, markOf, xmlDeclared } from './xml-encoding.ts';

/** Text, and what is to be said of how it was decoded, where that may be wrong. */
export type Decoded = { text: string; warning?: string };

/** Where a page declares its encoding, if it does: browsers look no further than 1 KB, but some pages declare it late. */
const declaredWithin = 64_000;
/** What detection looks at, from the first letter on that is not ASCII. */
const sampled = 200_000;
/** With fewer letters beyond ASCII, or less confidence, there is too little to tell by: Western European is most likely. */
const fewest = 4;
const least = 0.08;
/** A guess is not sure where it is weak, or where another that reads differently is nearly as likely. */
const weak = 0.1;
const near = 1.05;

/**
 * Bytes as text: by byte order mark, by what an XML declaration, a header or a page declares, as UTF-8 where they are that,
 * else by what the letters look like.
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

/** Text in an encoding that was declared; undefined where there is no such encoding, or the bytes are not in it. */
function decodeAs(bytes: Uint8Array, label: string | undefined): Decoded | undefined {
  if (!label) return undefined;
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    // Servers say Latin-1 of whatever they have. What is UTF-8, beyond ASCII, is nothing else.
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

/** Text in UTF-8, some bytes of which may be broken; undefined where too many are for it to be that. */
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
  return { text, warning: `Not all of the file is UTF-8: ${broken} of its characters could not be read` };
}

/** The encoding that letters look like most, of those that `TextDecoder` knows. */
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
  const isKnown = best !== undefined && letters >= fewest && best.confidence >= least;
  const decoder = isKnown ? best.decoder : new TextDecoder('windows-1252');
  const isSure = isKnown && best.confidence >= weak && best.confidence >= (other?.confidence ?? 0) * near;
  const warning = `The file does not say how its letters are encoded: it was read as ${decoder.encoding}, which may be wrong`;
  return { text: decoder.decode(bytes), ...(!isSure && { warning }) };
}

/** Encodings that go by another name on the web. */
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
