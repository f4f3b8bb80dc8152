import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { extractFile, textOf } from '../../support/knowledge/extract-source.ts';
import { odf, xlsx } from '../../support/knowledge/office-files.ts';

const saved = (name: string) => readFile(new URL(`../../files/office/${name}`, import.meta.url));
const text = async (bytes: Uint8Array) => textOf(await extractFile(bytes));
const written = (words: string) => text(Buffer.from(words));

/** A sheet of these rows; texts as they are, numbers as numbers; without addresses if `isBare`. */
const sheet = (rows: (string | number | null)[][], after = '', isBare = false) =>
  xlsx(
    rows
      .map((cells, at) => {
        const each = cells.map((cell, column) => {
          const address = isBare ? '' : `r="${String.fromCharCode(65 + column)}${at + 1}"`;
          if (cell === null) return isBare ? '<c/>' : '';
          return typeof cell === 'number'
            ? `<c ${address}><v>${cell}</v></c>`
            : `<c ${address} t="inlineStr"><is><t>${cell}</t></is></c>`;
        });
        return `<row ${isBare ? '' : `r="${at + 1}"`}>${each.join('')}</row>`;
      })
      .join(''),
    '',
    { after },
  );
const merged = (...ranges: string[]) =>
  `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join('')}</mergeCells>`;

test.each(['horarios.xlsx', 'horarios.ods'])('%s, as LibreOffice saved it, reads as it is displayed', async (name) => {
  const { sections } = await extractFile(await saved(name));
  expect(sections.map((section) => ({ ...section, text: section.text.replaceAll('1,234', '1234') }))).toEqual([
    {
      sheet: 'Stations',
      rows: '4–6',
      heading: 'Winter stations',
      text:
        'Station: Skerry | Postcode: 01067 | Shift: 36:30 | Occupied: 12.5% | Since: 2026-03-04 | Fee: R$ 1234.50\n' +
        'Station: Corran | Postcode: 80331 | Shift: 8:05 | Occupied: 100.0% | Since: 2025-12-31 | Fee: R$ 20.00',
    },
    {
      sheet: 'Fares',
      rows: '3–4',
      text:
        'Route: North | Adult 2025: 9 | Adult 2026: 10 | Child 2025: 4 | Child 2026: 5\n' +
        'Route: North | Adult 2025: 11 | Adult 2026: 12 | Child 2025: free | Child 2026: free',
    },
  ]);
});

describe('a number of a workbook reads as its cell displays it:', () => {
  test.each<[string, number, string]>([
    ['General', 0.30000000000000004, '0.3'],
    ['General', 5511987654321, '5511987654321'],
    ['@', 42, '42'],
    ['00000', 1067, '01067'],
    ['00000-000', 1310100, '01310-100'],
    ['000"."000"."000"-"00', 1234567890, '012.345.678-90'],
    ['(##) #####-####', 11987654321, '(11) 98765-4321'],
    ['[<=99999]00000;00000-0000', 1234, '01234'],
    ['0%', 0.15, '15%'],
    ['0.0%', 0.125, '12.5%'],
    ['#,##0.00', 1234567.891, '1234567.89'],
    ['[$R$-416] #,##0.00', 1234.5, 'R$ 1234.50'],
    ['_-* #,##0.00 "€"_-', 12.5, '12.50 €'],
    ['# ?/?', 1.5, '1 1/2'],
    ['0.00E+00', 123456, '1.23E+05'],
    ['0" kg"', 7, '7 kg'],
    ['[h]:mm', 1.5208333333, '36:30'],
    ['[h]:mm:ss', 1.5208333333, '36:30:00'],
    ['[mm]:ss', 0.0625, '90:00'],
    ['h:mm', 0.6041666667, '14:30'],
    ['h:mm AM/PM', 0.6041666667, '14:30'],
    ['dd/mm/yyyy', 46085, '2026-03-04'],
    ['m/d/yy h:mm', 46085.5, '2026-03-04 12:00'],
    ['[$-416]d" de "mmmm" de "yyyy', 46085, '2026-03-04'],
    ['mmm/yy', 46082, '2026-03'],
    ['yyyy', 46082, '2026'],
    ['[[', 4, '4'],
  ])('%s of %d is %s', async (format, value, expected) => {
    const row = `<row r="1"><c r="A1" t="inlineStr"><is><t>of</t></is></c><c r="B1" s="1"><v>${value}</v></c></row>`;
    expect(await text(xlsx(row, '', { formats: [format] }))).toBe(`of | ${expected}`);
  });

  test('dates that count from 1904', async () => {
    const row = '<row r="1"><c r="A1" s="1"><v>44623</v></c></row>';
    expect(await text(xlsx(row, '', { formats: ['yyyy-mm-dd'], properties: '<workbookPr date1904="1"/>' }))).toBe(
      '2026-03-04',
    );
  });
});

describe('the columns of a table are named, and its merged labels are read in each cell:', () => {
  const route = ['Route', 'Price', null, 'Seats'];
  test.each<[string, Uint8Array, string]>([
    [
      'cells without addresses',
      sheet(
        [
          ['Day', 'Hours'],
          ['Monday', 9],
        ],
        '',
        true,
      ),
      'Day: Monday | Hours: 9',
    ],
    [
      'empty cells without addresses',
      sheet(
        [
          ['Day', 'Hours', 'Pier'],
          ['Monday', null, 2],
        ],
        '',
        true,
      ),
      'Day: Monday | Pier: 2',
    ],
    ['a title above', sheet([['Prices 2026'], [], ['Ticket', 'Euros'], ['Dog', 3]]), 'Ticket: Dog | Euros: 3'],
    ['a merged title', sheet([['Prices'], ['Ticket', 'Euros'], ['Dog', 3]], merged('A1:B1')), 'Ticket: Dog | Euros: 3'],
    [
      'years',
      sheet([
        ['Ship', 2024, 2025],
        ['Stormcock', 7, 9],
      ]),
      'Ship: Stormcock | 2024: 7 | 2025: 9',
    ],
    [
      'years, newest first',
      sheet([
        ['Ship', 2025, 2024],
        ['Stormcock', 7, 9],
      ]),
      'Ship: Stormcock | 2025: 7 | 2024: 9',
    ],
    [
      'months',
      sheet([
        ['Ship', '2026-01', '2026-02'],
        ['Stormcock', 7, 9],
      ]),
      'Ship: Stormcock | 2026-01: 7 | 2026-02: 9',
    ],
    [
      'years that are values',
      sheet([
        ['Stormcock', 1981, 2004],
        ['Corran', 1990, 2011],
      ]),
      'Stormcock | 1981 | 2004\nCorran | 1990 | 2011',
    ],
    [
      'duplicates',
      sheet([
        ['Name', 'Phone', 'Phone'],
        ['Inês', 12, 13],
      ]),
      'Name: Inês | Phone: 12 | Phone: 13',
    ],
    [
      'duplicates that are values',
      sheet([
        ['Dog', 'yes', 'yes'],
        ['Cat', 'no', 'yes'],
      ]),
      'Dog | yes | yes\nCat | no | yes',
    ],
    [
      'names that span columns',
      sheet([route, [null, 'Adult', 'Child'], ['North', 9, 4, 40]], merged('A1:A2', 'B1:C1', 'D1:D2')),
      'Route: North | Price Adult: 9 | Price Child: 4 | Seats: 40',
    ],
    [
      'a label that spans rows',
      sheet(
        [
          ['Route', 'Price'],
          ['North', 9],
          [null, 11],
        ],
        merged('A2:A3'),
      ),
      'Route: North | Price: 9\nRoute: North | Price: 11',
    ],
    [
      'a label that spans columns',
      sheet(
        [
          ['Day', 'Am', 'Pm'],
          ['Monday', 'closed'],
          ['Sunday', 9, 4],
        ],
        merged('B2:C2'),
      ),
      'Day: Monday | Am: closed | Pm: closed\nDay: Sunday | Am: 9 | Pm: 4',
    ],
    [
      'a label that spans both',
      sheet([['Day', 'Am', 'Pm'], ['Monday', 'closed'], ['Sunday']], merged('B2:C3')),
      'Day: Monday | Am: closed | Pm: closed\nDay: Sunday | Am: closed | Pm: closed',
    ],
    [
      'a title between rows, once',
      sheet([['Day', 'Am', 'Pm'], ['Winter'], ['Monday', 9, 4]], merged('A2:C2')),
      'Winter\nDay: Monday | Am: 9 | Pm: 4',
    ],
    [
      'a long note over rows, once',
      sheet([['Day', 'Note'], ['Monday', 'x'.repeat(80)], ['Sunday']], merged('B2:B3')),
      `Day: Monday | Note: ${'x'.repeat(80)}\nDay: Sunday`,
    ],
  ])('%s', async (_name, file, expected) => {
    expect(await text(file)).toBe(expected);
  });

  test('in an OpenDocument spreadsheet too', async () => {
    const cell = (words: string, more = '') => `<table:table-cell ${more}><text:p>${words}</text:p></table:table-cell>`;
    const rows = [
      cell('Route') + cell('Price'),
      cell('North', 'table:number-rows-spanned="2"') + cell('9'),
      `<table:covered-table-cell/>${cell('11')}`,
    ];
    const body = rows.map((row) => `<table:table-row>${row}</table:table-row>`).join('');
    expect(
      await text(odf(`<office:spreadsheet><table:table table:name="A">${body}</table:table></office:spreadsheet>`)),
    ).toBe('Route: North | Price: 9\nRoute: North | Price: 11');
  });
});

describe('a table in text is read with the names of its columns:', () => {
  test.each([
    ['sep=; of Excel', 'sep=;\r\nTicket;Euros\r\nDog;3,50\r\n', 'Ticket: Dog | Euros: 3,50'],
    ['sep=| of Excel', '\ufeffsep=|\nTicket|Euros\nDog|3,50\n', 'Ticket: Dog | Euros: 3,50'],
    ['pipes', 'Ticket|Euros\nDog|3\nCat|2\n', 'Ticket: Dog | Euros: 3\nTicket: Cat | Euros: 2'],
    [
      'names that spanned columns',
      'Route,Price,,Price ret,\n,Adult,Child,Adult,Child\nNorth,9,4,18,8\n',
      'Route: North | Price Adult: 9 | Price Child: 4 | Price ret Adult: 18 | Price ret Child: 8',
    ],
    [
      'Markdown',
      'Fares:\n\n| Ticket | Euros |\n|:---|---:|\n| Dog | 3 |\n| Cat \\| kitten | 2 |\n\nThat is all.',
      'Fares:\n\nTicket: Dog | Euros: 3\nTicket: Cat | kitten | Euros: 2\n\nThat is all.',
    ],
    ['Markdown without outer pipes', 'Ticket | Euros\n--- | ---\nDog | 3\n', 'Ticket: Dog | Euros: 3'],
    [
      'Markdown in code is code',
      '```\n| a | b |\n|---|---|\n| 1 | 2 |\n```',
      '```\n| a | b |\n|---|---|\n| 1 | 2 |\n```',
    ],
    ['pipes in prose are prose', 'One | two\n\nand no more', 'One | two\n\nand no more'],
  ])('%s', async (_name, words, expected) => {
    expect(await written(words)).toBe(expected);
  });
});
