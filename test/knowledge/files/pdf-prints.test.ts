import { describe, expect, test } from 'vitest';
import { extractFile, textOf } from '../../support/knowledge/extract-source.ts';
import { catalog, font, pdf, stream } from '../../support/knowledge/pdf-files.ts';

/** A line: its font (F is regular, B bold), its size, how far from below, and its text. */
type Line = [font: 'F' | 'B', size: number, y: number, text: string];

/** A PDF of pages that are drawn in these lines. */
function drawn(...pages: Line[][]): Uint8Array {
  const kids = pages.map((_, index) => `${index * 2 + 5} 0 R`).join(' ');
  const bold = font.replace('Helvetica', 'Helvetica-Bold');
  const objects = pages.flatMap((lines, index) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${index * 2 + 6} 0 R /Resources << /Font << /F 3 0 R /B 4 0 R >> >> >>`,
    stream(
      Buffer.from(lines.map(([type, size, y, text]) => `BT /${type} ${size} Tf 34 ${y} Td (${text}) Tj ET`).join('\n')),
      '',
    ),
  ]);
  return pdf([catalog, `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`, font, bold, ...objects]);
}

const long = 'Unused helmets can be returned within 33 days, with the receipt, to the shop in the harbour.';
const read = async (...pages: Line[][]) => textOf(await extractFile(drawn(...pages)));

describe('a heading of a PDF stands apart from the text around it', () => {
  test('as it is larger', async () => {
    const lines: Line[] = [
      ['F', 12, 700, 'Bought helmets are kept for you until the evening, and can be had at the desk of the shop.'],
      ['B', 16, 684, 'Returns'],
      ['F', 12, 668, long],
      ['B', 16, 652, 'A Repair That Is Done While You Wait, With What It Costs'],
      ['F', 12, 636, 'A puncture is mended for 17 euros.'],
    ];
    expect(await read(lines)).toBe(lines.map(([, , , text]) => text).join('\n\n'));
  });

  test('as it is bold, after a sentence', async () => {
    const lines: Line[] = [
      ['F', 12, 700, long],
      ['B', 12, 686, 'Repairs'],
      ['F', 12, 672, 'A puncture is mended for 17 euros.'],
    ];
    expect(await read(lines)).toBe(`${long}\n\nRepairs\nA puncture is mended for 17 euros.`);
  });

  test('as a gap is before it', async () => {
    const lines: Line[] = [
      ['F', 12, 700, long.replace('to the shop', 'and with the invoice,')],
      ['F', 12, 686, 'Paul Ekberg pays back what they cost.'],
      ['F', 12, 672, long],
      ['F', 12, 640, 'Repairs'],
      ['F', 12, 626, 'A puncture is mended for 17 euros.'],
    ];
    const [first, second] = lines.map(([, , , text]) => text);
    expect(await read(lines)).toBe(`${first} ${second}\n${long}\n\nRepairs\nA puncture is mended for 17 euros.`);
  });

  test('and a line that goes on in lower case does not, whatever its size', async () => {
    const lines: Line[] = [
      ['F', 24, 700, 'Once upon a time'],
      ['F', 12, 660, 'there was a shop in the harbour.'],
    ];
    expect(await read(lines)).toBe('Once upon a time there was a shop in the harbour.');
  });
});

describe('what a browser prints around a page is no text of it', () => {
  const body: Line[] = [
    ['F', 12, 700, 'The shop opens at 9:30.'],
    ['F', 12, 686, 'A puncture is mended for 17 euros.'],
  ];
  const text = body.map(([, , , line]) => line).join('\n');

  test.each<[string, string, string]>([
    ['Chromium', '11/30/26, 9:48 PM                Cycle shop', 'file:///home/ana/shop.html                1/1'],
    ['Chromium in German', '30.11.26, 21:48 Fahrradladen', 'https://shop.example/ueber-uns?a=1#b 1/1'],
    ['Chromium, a page without a title', '30/11/2026, 21:48', 'about:blank 1/1'],
    ['Firefox', 'Cycle shop https://shop.example/', '1 of 1 11/30/26, 9:48 PM'],
  ])('%s', async (_browser, head, foot) => {
    expect(await read([['F', 8, 770, head], ...body, ['F', 8, 17, foot]])).toBe(text);
    expect(await read([...body, ['F', 8, 770, head], ['F', 8, 17, foot]])).toBe(text);
  });

  test('on each page', async () => {
    const page = (number: number): Line[] => [
      ['F', 8, 770, '11/30/26, 9:48 PM Cycle shop'],
      ['F', 12, 700, `Fact ${number} is told here.`],
      ['F', 8, 17, `https://shop.example/ ${number}/2`],
    ];
    expect(await read(page(1), page(2))).toBe('Fact 1 is told here.\nFact 2 is told here.');
  });

  test('but a time or an address that stands alone is', async () => {
    const told = ['11/30/26, 9:48 PM: the harbour was closed.', 'Read on at https://shop.example/news'];
    const lines = told.map((line, index): Line => ['F', 12, 700 - index * 14, line]);
    expect((await read(lines)).split(/\s+/)).toEqual(told.join(' ').split(' '));
  });
});
