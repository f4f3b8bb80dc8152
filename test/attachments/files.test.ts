import { readFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { splitPassages } from '../../src/knowledge/chunk.ts';
import { ExtractFailure } from '../../src/sandbox/extract-failure.ts';
import { extractSource } from '../support/knowledge/extract-source.ts';

const file = (name: string) => readFileSync(new URL(`../files/${name}`, import.meta.url));
const extractFile = (bytes: Uint8Array) =>
  extractSource(
    { type: 'file', data: { base64: Buffer.from(bytes).toString('base64') } },
    { guardedFetch: () => Promise.reject(new Error('Nothing should be fetched')) },
  );
const reason = async (attempt: Promise<unknown>): Promise<string> => {
  const error = await attempt.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ExtractFailure);
  return (error as Error).message;
};

describe('a file of LibreOffice', () => {
  const office: [string, string | undefined, object, string][] = [
    ['allotment.docx', 'Rules of the Elm Lane allotments', { heading: 'Plots › Water' }, 'a deposit of 12 euros'],
    [
      'allotment.docx',
      'Rules of the Elm Lane allotments',
      { heading: 'Plots › Fees' },
      'Plot: Large | Size: 250 m² | Fee: 95 euros',
    ],
    ['induction.pptx', 'Harbour Hall induction', { slide: 2 }, 'The fire drill is on the first Tuesday of the month'],
    ['induction.pptx', 'Harbour Hall induction', { slide: 3 }, 'Café | Noor Haddad'],
    [
      'skerry.epub',
      'The Keeper of Skerry Light',
      { chapter: 'The storm' },
      'turned by hand, eleven hours, no ship lost',
    ],
    [
      'timetable.xlsx',
      'Ferry timetable and prices',
      { sheet: 'Prices', rows: '2–5' },
      'Ticket: Camper van | Euros: 64 | Remark: Up to 7 metres; longer ones pay 9 euros a metre',
    ],
    [
      'timetable.xlsx',
      'Ferry timetable and prices',
      { sheet: 'Sailings', rows: '38–46' },
      'Sailing: 141 | From: Brinsay | To: Corran Head | Day: 2026-05-12 | Departs: 11:25 | Ship: MV Stormcock',
    ],
    // As displayed: 15 %, not 0.15, and a time of day without a date.
    [
      'rates.xlsx',
      undefined,
      { sheet: 'Rates', rows: '2–3' },
      'Name: Senior | Discount: 15% | From: 2026-05-12 | At: 14:30',
    ],
    [
      'rates.xlsx',
      undefined,
      { sheet: 'Rates', rows: '2–3' },
      'Sum: 0.3 | Number: 5511987654321\nName: Child | Discount: 7% |',
    ],
  ];
  it.each(office)('%s: %s %j', async (name, title, place, words) => {
    const read = await extractFile(file(name));
    expect(read.title).toBe(title);
    const found = read.sections.filter(({ text }) => text.includes(words));
    expect(found).toEqual([{ ...place, text: expect.any(String) }]);
  });
});

describe('a table', () => {
  it.each([
    ['commas', 'name,born\n"Falkirk, Ines",1901\nTavish,1850\n'],
    ['semicolons', 'name;born\r\nFalkirk, Ines;1901\r\nTavish;1850\r\n'],
    ['tabs', 'name\tborn\nFalkirk, Ines\t1901\nTavish\t1850'],
  ])('CSV with %s: rows with the names of their columns', async (_name, text) => {
    expect((await extractFile(Buffer.from(text))).sections).toEqual([
      { rows: '2–3', text: 'name: Falkirk, Ines | born: 1901\nname: Tavish | born: 1850' },
    ]);
  });

  it('a long table is cut between its rows, each passage knowing which', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => `${index},place number ${index}`);
    const { sections } = await extractFile(Buffer.from(['id,place', ...rows].join('\n')));
    expect(sections.length).toBeGreaterThan(10);
    expect(sections.find(({ text }) => text.includes('place number 333'))?.rows).toMatch(/^3\d\d–3\d\d$/);
    for (const { text } of sections) expect(text.length).toBeLessThan(1_100);
    expect(splitPassages(sections)).toHaveLength(sections.length);
  });

  it('loses nothing of a long cell, nor of a long name of a column', async () => {
    const cell = Array.from({ length: 4_000 }, (_, index) => `word${index}`).join(' ');
    const question = 'How content were you with the people at the reception on the day of your arrival on the whole?';
    const { sections } = await extractFile(Buffer.from(`name,${question}\nAna,"${cell}"\nBram,well\n`));
    const text = sections.map((section) => section.text).join('\n');
    for (const words of ['word3999', question, 'name: Bram | How content were you']) expect(text).toContain(words);
  });

  it.each(['Dear Ana,\nthank you, and see you,\nBram, Noor', 'one\ntwo\nthree', 'a, b\nc, d\ne, f\n'])(
    'prose with commas is no table: %j',
    async (text) => {
      expect((await extractFile(Buffer.from(text))).sections[0]).not.toHaveProperty('rows');
    },
  );
});

it('loses nothing of a heading that is as long as a paragraph', async () => {
  const long = `The ${'very '.repeat(45)}end of a heading`;
  const { sections } = await extractFile(Buffer.from(`# ${long}\n\nBelow it.\n\n## Next\n\nMore.\n`));
  expect(sections.map(({ text }) => text)).toEqual([`${long}\n\nBelow it.`, 'More.']);
  for (const { heading } of sections) expect(heading).toMatch(/^The very .*…/);
});

describe('a file that cannot be read', () => {
  const unreadable: [string, Uint8Array, RegExp][] = [
    ['a locked PDF', file('locked.pdf'), /locked with a password/],
    ['a damaged PDF', file('damaged.pdf'), /damaged or not a PDF/],
    ['a PDF without text', file('scan.pdf'), /no text/],
    ['a damaged ZIP file', Buffer.from('PK\x03\x04word/document.xml'), /damaged/],
    ['a damaged Word file', file('allotment.docx').subarray(0, 3_000), /damaged/],
    ['a ZIP file of something', zipSync({ 'a.txt': strToU8('a') }), /a ZIP file: add the files in it/],
    [
      'an OpenDocument file that is none',
      zipSync({ 'content.xml': strToU8('<a/>'), 'META-INF/manifest.xml': strToU8('<a/>') }),
      /OpenDocument file could not be read/,
    ],
    ['a Word file without words', zipSync({ 'word/document.xml': strToU8('<w:document/>') }), /damaged|no text/],
    ['a presentation that is none', zipSync({ 'ppt/presentation.xml': strToU8('<p:sldId r:id="1"/>') }), /no text/],
    ['a workbook that is none', zipSync({ 'xl/workbook.xml': strToU8('<workbook/>') }), /damaged|no text/],
    ['a book that is none', zipSync({ 'META-INF/container.xml': strToU8('<container/>') }), /book could not be read/],
    ['an old Excel file', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'), /\.xls, \.ppt/],
    [
      'a Word file under a password',
      Buffer.concat([Buffer.from('\xd0\xcf\x11\xe0', 'latin1'), Buffer.from('EncryptedPackage', 'utf16le')]),
      /locked with a password/,
    ],
    ['a rich text file without words', Buffer.from('{\\rtf1\\ansi }'), /no text/],
    ['a sound', Buffer.from('ID3\x04\0\0', 'latin1'), /source of type audio/],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), /a picture or a film/],
    ['a program', Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0', 'latin1'), /no kind of file that is read/],
    ['nothing', new Uint8Array(), /no text/],
  ];
  it.each(unreadable)('%s fails with its reason', async (_name, bytes, message) => {
    expect(await reason(extractFile(bytes))).toMatch(message);
  });
});
