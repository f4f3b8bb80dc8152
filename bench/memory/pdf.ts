import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { wordsOf } from './words.ts';

const imageBytes = 256 * 192 * 3;
const linesOfPage = 45;

/**
 * Writes a PDF of about `bytes` bytes: pages of text, each with an incompressible picture. Returns the number of pages.
 */
export async function writePdf(file: string, bytes: number): Promise<number> {
  const out = createWriteStream(file);
  const offsets: number[] = [];
  let at = 0;
  const write = async (part: string | Buffer) => {
    at += typeof part === 'string' ? Buffer.byteLength(part, 'latin1') : part.length;
    if (!out.write(part, 'latin1')) await once(out, 'drain');
  };
  const object = async (id: number, head: string, stream?: Buffer) => {
    offsets[id] = at;
    await write(`${id} 0 obj\n${head}\n`);
    if (stream) {
      await write('stream\n');
      await write(stream);
      await write('\nendstream\n');
    }
    await write('endobj\n');
  };

  await write('%PDF-1.4\n');
  await object(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  const pages: number[] = [];
  for (let id = 4; at < bytes; id += 3) {
    const [page, content, image] = [id, id + 1, id + 2];
    pages.push(page);
    const lines = Array.from(
      { length: linesOfPage },
      (_, line) => `(${wordsOf(pages.length * 100 + line, 12)}.) Tj T*`,
    );
    const text = Buffer.from(
      `q 100 0 0 75 400 20 cm /I Do Q BT /F 11 Tf 14 TL 40 800 Td ${lines.join('\n')} ET`,
      'latin1',
    );
    await object(
      page,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${content} 0 R ` +
        `/Resources << /Font << /F 3 0 R >> /XObject << /I ${image} 0 R >> >> >>`,
    );
    await object(content, `<< /Length ${text.length} >>`, text);
    await object(
      image,
      `<< /Type /XObject /Subtype /Image /Width 256 /Height 192 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Length ${imageBytes} >>`,
      randomBytes(imageBytes),
    );
  }
  await object(2, `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((id) => `${id} 0 R`).join(' ')}] >>`);
  await object(1, '<< /Type /Catalog /Pages 2 0 R >>');
  const table = at;
  const rows = Array.from(
    { length: offsets.length - 1 },
    (_, index) => `${String(offsets[index + 1]).padStart(10, '0')} 00000 n \n`,
  );
  await write(`xref\n0 ${offsets.length}\n0000000000 65535 f \n${rows.join('')}`);
  await write(`trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  out.end();
  await once(out, 'close');
  return pages.length;
}
