import { describe, expect, test } from 'vitest';
import { readPdf } from '../../../src/knowledge/extract/pdf/pdf.ts';
import { linesOfItems } from '../../../src/knowledge/extract/pdf/pdf-lines.ts';
import { PdfObjects } from '../../../src/knowledge/extract/pdf/pdf-objects.ts';
import { compoundsIn, hasLostSigns, looksGarbled, unwrap } from '../../../src/knowledge/extract/pdf/pdf-page.ts';
import { withoutRepeats } from '../../../src/knowledge/extract/pdf/pdf-repeats.ts';
import { markedIn } from '../../../src/knowledge/extract/pdf/pdf-spellings.ts';
import { catalog, font, page, pdf, stream } from '../../support/knowledge/pdf-files.ts';

/** How much larger the second file is; reading it may take three times as much, and would take 64 with its square. */
const factor = 8;
/** Less is not measured well. */
const leastMs = 10;

/** The least CPU time of three. */
async function cpuMs(read: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    await read();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return Math.min(...times);
}
async function expectProportional(read: (n: number) => unknown, n: number): Promise<void> {
  await read(n);
  const [small, large] = [await cpuMs(() => read(n)), await cpuMs(() => read(n * factor))];
  expect(large / Math.max(small, leastMs), `${small} ms, then ${large} ms`).toBeLessThan(factor * 3);
}

const repeat = (n: number, make: (index: number) => string, separator = '') =>
  Array.from({ length: n }, (_, index) => make(index)).join(separator);
const item = (str: string, x: number, y: number, hasEOL = false) => ({
  str,
  transform: [10, 0, 0, 10, x, y],
  width: 5 * str.length,
  height: 10,
  hasEOL,
});
const rows = (n: number, left: string, right: string) =>
  Array.from({ length: n }, (_, row) => [item(left, 0, row * -10), item(right, 200, row * -10, true)]).flat();
const unknown = 999_999_999;
const objects = (text: string) => new PdfObjects(Buffer.from(`%PDF-1.5\n${text}`)).contentsOf(unknown);

describe('the work of reading a PDF grows with its size, not with its square:', () => {
  test.each<[string, (n: number) => unknown]>([
    [
      'lines that end with a hyphen',
      (n) =>
        unwrap(
          Array.from({ length: n }, () => 'abcdefgh-'),
          new Set(),
        ),
    ],
    ['a table of two columns', (n) => linesOfItems(rows(n, 'Aa', 'Bb'))],
    ['two columns of prose', (n) => linesOfItems(rows(n, 'words that go on here', 'words that go on there'))],
    [
      'a line of two directions',
      (n) => linesOfItems(Array.from({ length: n }, (_, i) => item(i % 3 ? 'a' : 'ש', i, 0))),
    ],
    ['a word without end', (n) => compoundsIn([['a'.repeat(n)]])],
    ['a word of hyphens', (n) => compoundsIn([['a-'.repeat(n)]])],
    ['objects', (n) => objects(repeat(n, (i) => `${i} 0 obj << /A 1 >> endobj\n`))],
    ['objects without an end', (n) => objects(repeat(n, (i) => `${i} 0 obj <<\n`))],
    ['streams without an end', (n) => objects(repeat(n, (i) => `${i} 0 obj << /Type /ObjStm >> stream\n`))],
    [
      'streams that hold each other',
      (n) => objects(repeat(n, (i) => `${i} 0 obj << /Type /ObjStm /Length ${n * 50} >> stream\n`)),
    ],
    ['blanks after a name', (n) => objects(`1 0 obj << /Type /ObjStm /Filter${' '.repeat(n)}x endobj`)],
    ['lists without an end', (n) => objects(`${unknown} 0 obj << ${'/Contents [ '.repeat(n)} endobj`)],
    [
      'a page that draws a stream over and over',
      (n) =>
        objects(
          `5 0 obj << /Length ${n * 2} >> stream\n${'q '.repeat(n)}\nendstream endobj ${unknown} 0 obj << /Contents [ ${'5 0 R '.repeat(n)} ] >> endobj`,
        ),
    ],
    ['spellings', (n) => markedIn('/Span << /ActualText (a) >> BDC (x) Tj EMC '.repeat(n))],
    ['dictionaries without an end', (n) => markedIn('<< '.repeat(n))],
    ['pictures without an end', (n) => markedIn('BI ID '.repeat(n))],
    ['words that are none', (n) => looksGarbled(`a${'1a'.repeat(n)}${' abc'.repeat(50)}`)],
    ['blanks', (n) => hasLostSigns(`क ${' '.repeat(n)}`, false)],
    ['pages that repeat', (n) => withoutRepeats(Array.from({ length: 10 }, () => ['1 '.repeat(n)]))],
  ])('%s', (_, read) => expectProportional(read, 4_000), 300_000);

  const said = stream(Buffer.from('BT /F 9 Tf (a) Tj ET'), '');
  const resources = '/Resources << /Font << /F 5 0 R >> >>';
  const form = stream(
    Buffer.from('BT /F 9 Tf (a) Tj ET'),
    `/Type /XObject /Subtype /Form /BBox [0 0 99 99] ${resources}`,
  );
  const leaf = page(`/Contents 4 0 R ${resources}`);
  const withPage = (content: string, more: (string | Buffer)[], place: string) =>
    pdf([
      catalog,
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      page(`/Contents 4 0 R ${place}`),
      stream(Buffer.from(content), ''),
      font,
      ...more,
    ]);
  test.each<[string, (n: number) => Uint8Array]>([
    [
      'tiny texts',
      (n) =>
        withPage(
          repeat(n, (i) => `BT /F 9 Tf ${i % 90} ${(i * 7) % 90} Td (a) Tj ET\n`),
          [],
          resources,
        ),
    ],
    [
      'a deep tree of pages',
      (n) =>
        pdf([
          catalog,
          '<< /Type /Pages /Count 1 /Kids [6 0 R] >>',
          leaf,
          said,
          font,
          ...Array.from({ length: n }, (_, i) => `<< /Type /Pages /Count 1 /Kids [${i === n - 1 ? 3 : i + 7} 0 R] >>`),
        ]),
    ],
    [
      'forms that a page draws',
      (n) =>
        withPage(
          repeat(n, (i) => `/X${i} Do\n`),
          Array.from({ length: n }, () => form),
          `/Resources << /XObject << ${repeat(n, (i) => `/X${i} ${6 + i} 0 R `)} >> >>`,
        ),
    ],
    [
      'notes',
      (n) =>
        withPage(
          'BT /F 9 Tf (a) Tj ET',
          Array.from({ length: n }, () => '<< /Type /Annot /Subtype /Text /Contents (note) /Rect [0 0 9 9] >>'),
          `${resources} /Annots [${repeat(n, (i) => `${6 + i} 0 R `)}]`,
        ),
    ],
  ])('a file of %s', (_, make) => expectProportional((n) => readPdf(make(n), () => {}), 500), 300_000);
});
