/** Decodes an XML part by its byte order mark or declaration, or else as UTF-8, as the XML specification says. */
export function decodeXml(bytes: Uint8Array): string {
  const head = latin(bytes, 256);
  const label = markOf(head) ?? xmlDeclared(head) ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** The first bytes, decoded as Latin-1. */
export const latin = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, length)).toString('latin1');

const marks: Record<string, string> = { '\xff\xfe': 'utf-16le', '\xfe\xff': 'utf-16be', '\xef\xbb\xbf': 'utf-8' };

/** The encoding that a byte order mark indicates. */
export const markOf = (head: string): string | undefined =>
  marks[/^(\xff\xfe|\xfe\xff|\xef\xbb\xbf)/.exec(head)?.[1] ?? ''];

/** The encoding named in an XML declaration. */
export const xmlDeclared = (head: string): string | undefined =>
  /^\s{0,20}<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1];
