import { describe, expect, test } from 'vitest';
import { compoundFile, doc, msg } from '../support/knowledge/compound-files.ts';
import { extractFile, textOf } from '../support/knowledge/extract-source.ts';

describe('a document of Word 97', () => {
  test('is read with its text, notes and the words of its fields', async () => {
    const text =
      'Opening hours\rThe café opens at “four”.\rSee \x13 HYPERLINK "https://inn.example" \x14our page\x15.\r';
    const read = await extractFile(doc(text, { footnote: '\x02 Closed on Mondays.' }));
    expect(textOf(read)).toBe('Opening hours\n\nThe café opens at “four”.\n\nSee our page.\n Closed on Mondays.');
  });

  test('has its tables row by row, with the names of the columns', async () => {
    const table = 'Prices\rRoom\x07Nights\x07Price\x07\nSmall\x07two\x0790 €\x07\nLarge\x07three\x07120 €\x07\n';
    expect(textOf(await extractFile(doc(table)))).toBe(
      'Prices\n\nRoom: Small | Nights: two | Price: 90 €\nRoom: Large | Nights: three | Price: 120 €',
    );
  });

  test('that is locked, damaged or from an older Word ends with a reason', async () => {
    await expect(extractFile(doc('Secret.', { isLocked: true }))).rejects.toThrow('locked with a password');
    const older = compoundFile({ WordDocument: Buffer.alloc(4_096, 'x') });
    await expect(extractFile(older)).rejects.toThrow(/Word document could not be read/);
    await expect(extractFile(doc('Cut off.').subarray(0, 1_200))).rejects.toThrow(/could not be read|no text/);
  });

  test('is told from old Excel and PowerPoint files, which are not read', async () => {
    for (const stream of ['Workbook', 'PowerPoint Document'])
      await expect(extractFile(compoundFile({ [stream]: Buffer.alloc(4_096) }))).rejects.toThrow(
        'Old Excel and PowerPoint files (.xls, .ppt) are not read: save it as .xlsx, .pptx or PDF',
      );
  });
});

const properties = {
  '001A': 'IPM.Note',
  '0037': 'Sauna – new hours',
  '0C1A': 'Dagny Hølm',
  '5D01': 'dagny@inn.example',
};
const recipients: Record<string, string>[] = [
  { '3001': 'Guests', '39FE': 'guests@inn.example' },
  { '39FE': 'harbour@inn.example' },
];

describe('a message that Outlook saved', () => {
  test('is read with who wrote to whom and when, its text and its attachments', async () => {
    const attachments = [
      { name: 'prices.csv', bytes: Buffer.from('room,price\nsmall,90\nlarge,120\n'), type: 'text/csv' },
      { name: 'old.xls', bytes: compoundFile({ Workbook: Buffer.alloc(4_096) }) },
      { name: 'logo.png', bytes: Buffer.from('\x89PNG'), type: 'image/png', contentId: 'logo@inn' },
    ];
    const body = { ...properties, '1000': 'It opens at four.' };
    const read = await extractFile(msg({ properties: body, sentAt: '2026-11-02T09:00:00Z', recipients, attachments }));
    expect(read.title).toBe('Sauna – new hours');
    expect(read.sections[0]?.text).toBe(
      'From: Dagny Hølm <dagny@inn.example>\nTo: Guests <guests@inn.example>, harbour@inn.example\n' +
        'Date: 2026-11-02T09:00:00.000Z',
    );
    expect(read.sections[1]).toEqual({ heading: 'Sauna – new hours', text: 'It opens at four.' });
    expect(read.sections[2]).toEqual({
      heading: 'prices.csv',
      rows: '2–3',
      text: 'room: small | price: 90\nroom: large | price: 120',
    });
    expect(read.warnings).toEqual(['1 attachment is not read: old.xls']);
  });

  test('is read by its HTML, or by its RTF where it has nothing else', async () => {
    const html = '<h1>Hours</h1><p>From <b>four</b> in the café.</p>';
    expect((await extractFile(msg({ properties, html }))).sections[1]).toEqual({
      heading: 'Hours',
      text: 'From four in the café.',
    });
    const rtf =
      '{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag64 <p>}From \\htmlrtf {\\b \\htmlrtf0 four\\htmlrtf }\\htmlrtf0  ' +
      '& later.{\\*\\htmltag72 </p>}}';
    expect((await extractFile(msg({ properties, rtf }))).sections[1]?.text).toBe('From four & later.');
  });

  test('that is damaged ends with a reason', async () => {
    const bytes = msg({ properties: { ...properties, '1000': 'Words.' } });
    await expect(extractFile(bytes.subarray(0, 700))).rejects.toThrow(/could not be read|are not read|no text/);
  });
});
