/** A PDF of these objects; the first is its catalogue. */
export function pdf(objects: (string | Buffer)[], trailer = ''): Uint8Array {
  const parts = [Buffer.from('%PDF-1.5\n')];
  const offsets = objects.map((object, index) => {
    const at = parts.reduce((sum, part) => sum + part.length, 0);
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n'));
    return at;
  });
  const at = parts.reduce((sum, part) => sum + part.length, 0);
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
