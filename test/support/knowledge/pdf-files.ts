/** A PDF of these objects; the first is its catalogue. */
export function pdf(objects: (string | Buffer)[], trailer = ''): Uint8Array {
  const parts = [Buffer.from('%PDF-1.5\n')];
  let at = parts[0]?.length ?? 0;
  const offsets = objects.map((object, index) => {
    const from = at;
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    parts.push(part);
    at += part.length;
    return from;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = `/Size ${objects.length + 1} /Root 1 0 R ${trailer.replace('AT', String(at))}`;
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer << ${size} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}
export const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
export const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
export const page = (more: string) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] ${more} >>`;
export const stream = (bytes: Buffer, filters: string) =>
  Buffer.concat([Buffer.from(`<< /Length ${bytes.length} ${filters} >>\nstream\n`), bytes, Buffer.from('\nendstream')]);

/** A word at a place on the page, in points from below and left. */
type Drawn = { x: number; y: number; text: string };
/**
 * A PDF of one page with these words, each drawn on its own. Its font names the letters of `map` by a ToUnicode map, as
 * the characters that stand for them in the words.
 */
export function drawnPdf(words: Drawn[], map: Record<string, string> = {}): Uint8Array {
  const hex = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
  const code = (letter: string) => letter.charCodeAt(0).toString(16).padStart(2, '0');
  const rows = Object.entries(map).map(([letter, meaning]) => `<${code(letter)}> <${hex(meaning)}>`);
  const cmap = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${rows.length} beginbfchar ${rows.join('\n')} endbfchar endcmap`;
  const draw = words.map(
    ({ x, y, text }) => `BT /F 10 Tf ${x} ${y} Td <${Buffer.from(text, 'latin1').toString('hex')}> Tj ET`,
  );
  const mapped = rows.length > 0 ? font.replace(' >>', ' /ToUnicode 6 0 R >>') : font;
  return pdf([
    catalog,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    stream(Buffer.from(draw.join('\n')), ''),
    mapped,
    stream(Buffer.from(cmap), ''),
  ]);
}
