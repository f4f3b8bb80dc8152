import { describe, expect, test } from 'vitest';
import { extractFile, extractHtml, textOf } from '../support/knowledge/extract-source.ts';
import { docx, paragraph, pptx } from '../support/knowledge/office-files.ts';

const table = async (rows: string) => textOf(await extractHtml(`<h1>Ferry</h1><table>${rows}</table>`));

describe('a table of a page', () => {
  test('keeps the lines of a cell, of a heading and of code apart', async () => {
    const rows = '<tr><td>Monday<br>9-18</td><td><p>Quay 2</p><p>Upper deck</p></td></tr>';
    const html = `<h1>Winter<br>times</h1><table>${rows}</table><pre>one<br>two</pre>`;
    const { sections } = await extractHtml(html);
    expect(sections).toEqual([{ heading: 'Winter times', text: 'Monday 9-18 | Quay 2 Upper deck\n\none\ntwo' }]);
  });

  test('says the names of the columns with each row', async () => {
    const head = '<thead><tr><th>Ticket</th><th>Price</th></tr></thead>';
    const said = 'Ticket: Day pass | Price: 12 €\nTicket: Bicycle | Price: 3 €';
    const body = '<tr><td>Day pass</td><td>12 €</td></tr><tr><td>Bicycle</td><td>3 €</td></tr>';
    expect(await table(head + body)).toBe(said);
    expect(await table(`<tr><th>Ticket</th><th>Price</th></tr>${body}`)).toBe(said);
    expect(await table(`<tr><td><b>Ticket</b></td><td><strong>Price</strong></td></tr>${body}`)).toBe(said);
  });

  test('says names for the columns that they span, and a cell with the rows that it spans', async () => {
    const rows =
      '<tr><th rowspan=2>Route</th><th colspan=2>Price</th></tr><tr><th>Adult</th><th>Child</th></tr>' +
      '<tr><td rowspan=2>North</td><td>9</td><td>4</td></tr><tr><td>11</td><td>5</td></tr>';
    expect(await table(rows)).toBe(
      'Route: North | Price Adult: 9 | Price Child: 4\nRoute: North | Price Adult: 11 | Price Child: 5',
    );
  });

  test('whose first column names its rows has them as they are', async () => {
    const rows = '<tr><th>Captain</th><td>Inês</td></tr><tr><th>Seats</th><td>40</td></tr>';
    expect(await table(rows)).toBe('Captain | Inês\nSeats | 40');
    expect(await table(rows.replaceAll('th>', 'td>'))).toBe('Captain | Inês\nSeats | 40');
  });

  test('of words without markup is named by its first row where a column below is numbers', async () => {
    const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
    const rows = row('Route', 'Days', 'Seats') + row('North', 'daily', '40') + row('South', 'Sunday', '25');
    expect(await table(rows)).toBe('Route: North | Days: daily | Seats: 40\nRoute: South | Days: Sunday | Seats: 25');
  });

  test('that is there for the layout is read as the page that it is', async () => {
    const html =
      '<table><tr><td><h2>Boats</h2><p>Two of them.</p></td><td><h2>Piers</h2><p>Three.</p></td></tr></table>';
    expect((await extractHtml(html)).sections).toEqual([
      { heading: 'Boats', text: 'Two of them.' },
      { heading: 'Piers', text: 'Three.' },
    ]);
  });

  test.each([
    [
      'says so',
      '<table role="presentation"><tr><td>Left</td><td>Right</td></tr><tr><td>Below</td><td></td></tr></table>',
    ],
    ['says none', '<table role="none"><tbody><tr><td>Left</td><td>Right</td></tr></tbody></table><p>Below</p>'],
    ['is one column', '<table><tr><td>Left</td></tr><tr><td><p>Right</p></td></tr><tr><td>Below</td></tr></table>'],
    ['is a box', '<table><tr><td><p>Left</p><p>Right</p><p>Below</p></td></tr></table>'],
    ['is columns of parts', '<table><tr><td><p>Left</p><p>Right</p></td><td><ul><li>Below</li></ul></td></tr></table>'],
  ])('that %s is no table: its cells follow one another', async (_, html) => {
    expect(textOf(await extractHtml(html)).replaceAll('- ', '')).toBe('Left\n\nRight\n\nBelow');
  });

  test.each([
    [
      'headers',
      '<tr><th>Day</th><th>Open</th></tr><tr><td><p>Mon</p><p>Tue</p></td><td><ul><li>9-18</li></ul></td></tr>',
    ],
    ['several rows', '<tr><td>Mon</td><td><p>9-12</p><p>14-18</p></td></tr><tr><td>Sun</td><td>closed</td></tr>'],
    ['a label and a list', '<tr><td>Mon</td><td><ul><li>9-12</li><li>14-18</li></ul></td></tr>'],
  ])('with %s is one, whatever is in its cells', async (_, rows) => {
    expect(await table(rows)).toContain(' | ');
  });

  test('keeps what is not shown, and what is no text, out of its cells', async () => {
    expect(await table('<tr><td>Fare<style>td{color:red}</style><span hidden>old</span></td><td>7 €</td></tr>')).toBe(
      'Fare | 7 €',
    );
  });

  test('that says to span millions of cells is read', async () => {
    const rows = '<tr><td colspan=99999999 rowspan=99999999>North</td><td>9</td></tr>'.repeat(50);
    expect(await table(rows)).toContain('North | 9');
  });
});

test('a table of Word keeps the lines of a cell apart, and says the names of the columns', async () => {
  const cell = (...lines: string[]) => `<w:tc>${lines.map(paragraph).join('')}</w:tc>`;
  const head = `<w:tr><w:trPr><w:tblHeader/></w:trPr>${cell('Day')}${cell('Hours')}</w:tr>`;
  const rows = `<w:tr>${cell('Monday', 'and Friday')}${cell('9-18')}</w:tr><w:tr>${cell('Sunday')}${cell('10-14')}</w:tr>`;
  const file = docx(`<w:tbl>${head}${rows}</w:tbl>`);
  expect(textOf(await extractFile(file))).toBe('Day: Monday and Friday | Hours: 9-18\nDay: Sunday | Hours: 10-14');
});

test('a table of PowerPoint says the names of the columns where its first row has them', async () => {
  const row = (...cells: string[]) =>
    `<a:tr>${cells.map((text) => `<a:tc><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:tc>`).join('')}</a:tr>`;
  const slide = (head: string) =>
    `<p:sld><a:tbl><a:tblPr${head}/>${row('Day', 'Hours')}${row('Monday', '9-18')}</a:tbl></p:sld>`;
  expect(textOf(await extractFile(pptx(slide(' firstRow="1"'))))).toBe('Day: Monday | Hours: 9-18');
  expect(textOf(await extractFile(pptx(slide(''))))).toBe('Day | Hours\nMonday | 9-18');
});

test('a presentation tells how many of its pictures are not read', async () => {
  const picture = '<p:pic><p:nvPicPr/></p:pic>';
  const slide = `<p:sld><p:sp><a:p><a:r><a:t>Boats</a:t></a:r></a:p></p:sp>${picture.repeat(2)}</p:sld>`;
  expect((await extractFile(pptx(slide))).warnings).toEqual(['2 pictures are not read']);
});
