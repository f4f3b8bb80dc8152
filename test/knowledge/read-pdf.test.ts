import { describe, expect, test } from 'vitest';
import { extractFile, textOf } from '../support/knowledge/extract-source.ts';
import { catalog, font, pdf, stream } from '../support/knowledge/pdf-files.ts';

const kids = (numbers: number[]) =>
  `<< /Type /Pages /Count ${numbers.length} /Kids [${numbers.map((number) => `${number} 0 R`).join(' ')}] >>`;
const page = (more: string) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] ${more} >>`;
const drawn = (lines: string[]) =>
  stream(Buffer.from(`BT /F 9 Tf 12 TL 9 380 Td ${lines.map((line) => `${line} Tj T*`).join(' ')} ET`, 'latin1'), '');

/** A PDF of pages with these lines, each a PDF string: `(text)`, or `<6869>` in hexadecimal. */
function pages(texts: string[][], type = font, more: string[] = []): Uint8Array {
  const first = 4 + more.length;
  const numbers = texts.map((_, index) => first + index * 2);
  const objects = texts.flatMap((lines, index) => [
    page(`/Contents ${first + index * 2 + 1} 0 R /Resources << /Font << /F 3 0 R >> >>`),
    drawn(lines),
  ]);
  return pdf([catalog, kids(numbers), type, ...more, ...objects]);
}

/** A PDF of one page with these annotations, the first of which is object 6. */
function annotated(annotations: string[], form = true): Uint8Array {
  const references = annotations.map((_, index) => `${index + 6} 0 R`).join(' ');
  const root = form ? catalog.replace('>>', `/AcroForm << /Fields [${references}] >> >>`) : catalog;
  const only = page(`/Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> /Annots [${references}]`);
  return pdf([root, kids([3]), only, drawn(['(Booking)']), font, ...annotations]);
}
const widget = (more: string) => `<< /Type /Annot /Subtype /Widget /Rect [0 0 20 9] /P 3 0 R ${more} >>`;

describe('a PDF', () => {
  test('in a font of Japanese or Chinese that it does not hold is read', async () => {
    const cid = (order: string) =>
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Kept /CIDSystemInfo << /Registry (Adobe) /Ordering (${order}) /Supplement 2 >> >>`;
    const type = (encoding: string) =>
      `<< /Type /Font /Subtype /Type0 /BaseFont /Kept /Encoding /${encoding} /DescendantFonts [4 0 R] >>`;
    const japanese = pages([['<93FA967B8CEA82C592F18B9F82B382EA82E9>']], type('90ms-RKSJ-H'), [cid('Japan1')]);
    expect(textOf(await extractFile(japanese))).toBe('日本語で提供される');
    const chinese = pages([['<D6D0CEC4CAB1BFCC>']], type('GBK-EUC-H'), [cid('GB1')]);
    expect(textOf(await extractFile(chinese))).toBe('中文时刻');
  });

  test('is read with what was filled into its form, and not its passwords', async () => {
    const choice = '/FT /Ch /Ff 131072 /T (boat) /V (k2) /Opt [[(k1) (Single kayak)] [(k2) (Double kayak)]]';
    const read = await extractFile(
      annotated([
        widget('/FT /Tx /T (guest.name) /TU (Name of the guest:) /V (Dagny Holm)'),
        widget(choice),
        widget('/FT /Btn /T (lunch) /V /Yes /AS /Yes /AP << /N << /Yes 4 0 R /Off 4 0 R >> >>'),
        widget('/FT /Btn /T (late) /V /Off /AS /Off /AP << /N << /Yes 4 0 R /Off 4 0 R >> >>'),
        widget('/FT /Tx /Ff 8192 /T (pin) /V (4711)'),
        widget('/FT /Tx /T (secret) /F 2 /V (not to be seen)'),
        widget('/FT /Tx /T (phone)'),
      ]),
    );
    expect(textOf(read)).toBe('Booking\n\nName of the guest: Dagny Holm\nboat: Double kayak\nlunch: yes');
    expect(read.warnings).toEqual(['1 form field is empty']);
  });

  test('is read with the notes that stand on its pages', async () => {
    const note = '<< /Type /Annot /Subtype /FreeText /Rect [0 0 20 9] /DA (/F 9 Tf) /Contents (Moved to pier 4) >>';
    expect(textOf(await extractFile(annotated([note], false)))).toBe('Booking\n\nMoved to pier 4');
  });

  test('has its headers and footers once, their page numbers aside, and every other line that comes again', async () => {
    const texts = ['Bring a towel.', 'Boots are lent.', 'The sauna is hot.', 'The lake is cold.'].map((said, index) => [
      '(Lake house, rules of 2026)',
      `(${said})`,
      '(Ask at the desk.)',
      '(Price: 5 euros)',
      '(All of it is so.)',
      `(Total ${index * 100 + 70} euros)`,
      '(In summer.)',
      `(Page ${index + 3} of 9)`,
    ]);
    const { sections } = await extractFile(pages(texts));
    const text = sections.map((section) => section.text).join('\n');
    expect(text.match(/Lake house, rules of 2026/g)).toHaveLength(1);
    expect(text.match(/Page \d of 9/g)).toEqual(['Page 3 of 9']);
    expect(text.match(/Total \d+ euros/g)).toEqual([
      'Total 70 euros',
      'Total 170 euros',
      'Total 270 euros',
      'Total 370 euros',
    ]);
    expect(text.match(/Price: 5 euros/g)).toHaveLength(4);
    expect(sections.map(({ page }) => page)).toEqual([1, 2, 3, 4]);
  });

  test('says which of its pages have no text', async () => {
    const { sections, warnings } = await extractFile(pages([['(One)'], [], ['(Three)'], [], [], [], ['(Seven)']]));
    expect(sections.map(({ page }) => page)).toEqual([1, 3, 7]);
    expect(warnings).toEqual(['Pages 2 and 4–6 have no text; pictures of text are not read']);
  });

  test('that is cut off is read as far as it goes, and says so', async () => {
    const whole = pages([['(Open from nine.)'], ['(Closed on Mondays.)']]);
    expect((await extractFile(whole)).warnings).toEqual([]);
    const bytes = Buffer.from(whole);
    // As in linearized files, which have a cross-reference table at the beginning.
    const head = '%PDF-1.5\nxref\n0 0\ntrailer << /Size 9 /Root 1 0 R >>\nstartxref\n0\n%%EOF\n';
    const cut = Buffer.concat([
      Buffer.from(head),
      Buffer.alloc(3_000, ' '),
      bytes.subarray(9, bytes.indexOf('(Closed')),
    ]);
    const { sections, warnings } = await extractFile(cut);
    expect(sections[0]?.text).toBe('Open from nine.');
    expect(warnings?.[0]).toBe('The file is truncated: its end is missing, and possibly some of its pages');
  });
});
