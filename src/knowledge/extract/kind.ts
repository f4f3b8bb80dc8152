/** Why each kind of content that is recognised but not read is refused. */
export const refusals = {
  office: 'Word, Excel, PowerPoint, EPUB and ZIP files are not read yet: save it as PDF',
  media: 'It is a picture, a sound or a film: only text, Markdown, HTML and PDF files are read',
  unknown: 'It is not a text, Markdown, HTML or PDF file',
};
export type Kind = 'pdf' | 'text' | keyof typeof refusals;

const media =
  /^(\x89PNG|\xff\xd8\xff|GIF8|BM.{4}\0\0|II\*\0|MM\0\*|ID3|\xff[\xfb\xf3\xf2]|OggS|fLaC|RIFF|.{4}ftyp|\x1aE\xdf\xa3)/s;

/** What content is, by its first bytes. */
export function kindOf(bytes: Uint8Array): Kind {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 8_192)).toString('latin1');
  // Readers of PDF accept some bytes before the header, and so do files in the wild.
  if (head.slice(0, 1_024).includes('%PDF-')) return 'pdf';
  if (/^(PK\x03\x04|PK\x05\x06|\xd0\xcf\x11\xe0)/.test(head)) return 'office';
  if (media.test(head)) return 'media';
  if (/^(\xff\xfe|\xfe\xff)/.test(head)) return 'text';
  return /[\0-\x06\x0e-\x1a]/.test(head) ? 'unknown' : 'text';
}

/** Bytes as text: by byte order mark, then by the charset that header or page declares, then UTF-8, then Windows-1252. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2_048)).toString('latin1');
  const mark = /^(\xff\xfe|\xfe\xff|\xef\xbb\xbf)/.exec(head)?.[1];
  const marked = mark && { '\xff\xfe': 'utf-16le', '\xfe\xff': 'utf-16be', '\xef\xbb\xbf': 'utf-8' }[mark];
  const declared = /charset\s*=\s*["']?([\w-]+)/i;
  const label =
    marked ?? declared.exec(contentType)?.[1] ?? (/<meta/i.test(head) ? declared.exec(head)?.[1] : undefined);
  for (const charset of [label, 'utf-8']) {
    try {
      if (charset) return new TextDecoder(charset, { fatal: true }).decode(bytes);
    } catch {
      // An unknown label or a wrong one: the next is tried.
    }
  }
  return new TextDecoder('windows-1252').decode(bytes);
}
