/** Windows code pages of the character sets that fonts declare (`\fcharset`). */
const ofCharset: Record<number, number> = {
  0: 1252,
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

/** Code pages whose name on the web is not `windows-N`. */
const labels: Record<number, string> = {
  850: 'windows-1252',
  866: 'ibm866',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  20866: 'koi8-r',
  54936: 'gb18030',
  65001: 'utf-8',
};

/** The code page of a font's character set; undefined if it has none of its own. */
export const codePageOf = (charset: number): number | undefined => ofCharset[charset];

const decoders = new Map<number, TextDecoder>();

/** Decodes bytes, given as Latin-1, in a code page; as windows-1252 if it is unknown. */
export function decode(text: string, codePage: number): string {
  let decoder = decoders.get(codePage);
  if (!decoder) {
    try {
      decoder = new TextDecoder(labels[codePage] ?? `windows-${codePage}`);
    } catch {
      decoder = new TextDecoder('windows-1252');
    }
    decoders.set(codePage, decoder);
  }
  return decoder.decode(Buffer.from(text, 'latin1'));
}
