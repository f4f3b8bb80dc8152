import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { extractFile, textOf } from '../../support/knowledge/extract-source.ts';
import { odf, pptx, zip } from '../../support/knowledge/office-files.ts';

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
/** A workbook whose cells `s="1"` have a struck font, and those of `s="2"` one that says that it is not. */
const workbook = (cells: string, strings = '') =>
  zip({
    'xl/workbook.xml': `<workbook xmlns:r="${relations}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${cells}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': `<sst>${strings}</sst>`,
    'xl/styles.xml':
      '<styleSheet><fonts><font><sz val="11"/></font><font><strike/><sz val="11"/></font><font><strike val="0"/></font></fonts>' +
      '<cellStyleXfs><xf fontId="1"/></cellStyleXfs><cellXfs><xf fontId="0"/><xf fontId="1"/><xf fontId="2"/></cellXfs>' +
      '<dxfs><dxf><font><strike/></font></dxf></dxfs></styleSheet>',
  });
const text = (words: string, style = 0) => `<c t="inlineStr" s="${style}"><is><t>${words}</t></is></c>`;
const names = `<row>${text('Ticket')}${text('Euros')}</row>`;
const run = (words: string, look = '') => `<r>${look && `<rPr>${look}</rPr>`}<t xml:space="preserve">${words}</t></r>`;

describe('what is struck out in a workbook is not read:', () => {
  test.each([
    ['a text', `<row>${text('Dog')}${text('five', 1)}</row>`, '', 'Ticket: Dog'],
    ['a number', `<row>${text('Dog')}<c s="1"><v>5</v></c></row>`, '', 'Ticket: Dog'],
    [
      'a row',
      `<row>${text('Cat', 1)}<c s="1"><v>5</v></c></row><row>${text('Dog')}<c><v>3</v></c></row>`,
      '',
      'Ticket: Dog | Euros: 3',
    ],
    ['what a formula gave', `<row>${text('Dog')}<c s="1" t="str"><f>A1</f><v>five</v></c></row>`, '', 'Ticket: Dog'],
    [
      'but not what says that it is not',
      `<row>${text('Dog', 2)}<c s="2"><v>3</v></c></row>`,
      '',
      'Ticket: Dog | Euros: 3',
    ],
    [
      'a part of a text',
      `<row>${text('Dog')}<c t="s"><v>0</v></c></row>`,
      `<si>${run('five ', '<strike/>')}${run('three', '<b/>')}</si>`,
      'Ticket: Dog | Euros: three',
    ],
    [
      'a part of a cell that is struck, whose other part is not',
      `<row>${text('Dog')}<c t="s" s="1"><v>0</v></c></row>`,
      `<si>${run('five ', '<strike val="1"/>')}${run('three', '<strike val="0"/>')}</si>`,
      'Ticket: Dog | Euros: three',
    ],
    [
      'a part of a text in the cell itself',
      `<row>${text('Dog')}<c t="inlineStr"><is>${run('five ', '<strike/>')}${run('three')}</is></c></row>`,
      '',
      'Ticket: Dog | Euros: three',
    ],
  ])('%s', async (_, rows, strings, expected) => {
    const { sections, warnings } = await extractFile(workbook(`${names}${rows}`, strings));
    expect([sections.map((section) => section.text), warnings]).toEqual([[expected], []]);
  });

  test('and what is raised keeps its meaning', async () => {
    const raised = (words: string, how = 'superscript') => run(words, `<vertAlign val="${how}"/>`);
    const area = `<si>${run('10')}${raised('3')}${run(' m')}${raised('2')}${run(', H')}${raised('2', 'subscript')}${run('O, 1')}${raised('st')}</si>`;
    const cells = `<row>${text('Ticket')}${text('Euros')}</row><row>${text('Dog')}<c t="s"><v>0</v></c></row>`;
    expect(textOf(await extractFile(workbook(cells, area)))).toBe('Ticket: Dog | Euros: 10³ m², H₂O, 1st');
  });
});

describe('what is struck out in an OpenDocument spreadsheet is not read:', () => {
  const look = (name: string, family: string, line = 'solid') =>
    `<style:style style:name="${name}" style:family="${family}"><style:text-properties style:text-line-through-style="${line}"/></style:style>`;
  const styles = look('S', 'table-cell') + look('N', 'table-cell', 'none') + look('T', 'text');
  const cell = (words: string, more = '') => `<table:table-cell ${more}><text:p>${words}</text:p></table:table-cell>`;
  const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
  const columns = (style: string) =>
    `<table:table-column/><table:table-column table:number-columns-repeated="2" table:default-cell-style-name="${style}"/>`;
  const struck = 'table:style-name="S"';
  test.each([
    ['a text', '', row(cell('Dog'), cell('five', struck)), 'Ticket: Dog'],
    ['a number', '', row(cell('Dog'), cell('5', `${struck} office:value="5"`)), 'Ticket: Dog'],
    ['a date', '', row(cell('Dog'), cell('12.05.', `${struck} office:date-value="2026-05-12"`)), 'Ticket: Dog'],
    [
      'a part of a cell',
      '',
      row(cell('Dog'), cell('<text:span text:style-name="T">five </text:span>three')),
      'Ticket: Dog | Euros: three',
    ],
    [
      'a column but for one cell',
      columns('S'),
      row(cell('Dog'), cell('3', 'table:style-name="N"'), cell('x')),
      'Ticket: Dog | Euros: 3',
    ],
    ['none of a column that is not', columns('N'), row(cell('Dog'), cell('3')), 'Ticket: Dog | Euros: 3'],
  ])('%s', async (_, before, rows, expected) => {
    const names = row(cell('Ticket', 'table:style-name="N"'), cell('Euros', 'table:style-name="N"'));
    const table = `<table:table table:name="A">${before}${names}${rows}</table:table>`;
    const file = odf(`<office:spreadsheet>${table}</office:spreadsheet>`, { styles });
    expect(textOf(await extractFile(file))).toBe(expected);
  });

  test('a row', async () => {
    const table = `<table:table table:name="A">${row(cell('Dog'))}<table:table-row table:default-cell-style-name="S">${cell('Cat')}</table:table-row></table:table>`;
    expect(textOf(await extractFile(odf(`<office:spreadsheet>${table}</office:spreadsheet>`, { styles })))).toBe('Dog');
  });
});

describe('what is struck out on a slide is not read:', () => {
  const part = (words: string, look = '') => `<a:r><a:rPr lang="en" ${look}/><a:t>${words}</a:t></a:r>`;
  test.each([
    ['once', part('five ', 'strike="sngStrike"') + part('three'), 'three'],
    ['twice', part('five ', 'strike="dblStrike"') + part('three'), 'three'],
    ['but not what says that it is not', part('three', 'strike="noStrike"'), 'three'],
    [
      'and what is raised keeps its meaning',
      part('10') + part('3', 'baseline="30000"') + part(' H') + part('2', 'baseline="-25000"'),
      '10³ H₂',
    ],
  ])('%s', async (_, runs, expected) => {
    const slide = (body: string) => `<p:sld><p:sp><p:txBody>${body}</p:txBody></p:sp></p:sld>`;
    expect(textOf(await extractFile(pptx(slide(`<a:p>${runs}</a:p>`))))).toBe(expected);
    const table = `<p:sld><a:tbl><a:tr><a:tc><a:txBody><a:p>${runs}</a:p></a:txBody></a:tc></a:tr></a:tbl></p:sld>`;
    expect(textOf(await extractFile(pptx(table)))).toBe(expected);
  });

  test('of OpenDocument', async () => {
    const styles =
      '<style:style style:name="T" style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style>';
    const words = '<text:p><text:span text:style-name="T">five </text:span>three</text:p>';
    const page = `<draw:page><draw:frame><draw:text-box>${words}</draw:text-box></draw:frame></draw:page>`;
    expect(textOf(await extractFile(odf(`<office:presentation>${page}</office:presentation>`, { styles })))).toBe(
      'three',
    );
  });
});

test.each([
  ['riscado.xlsx', 'Ticket: Dog | Euros: 3\nTicket: Van | Euros: 15 for 10 m²'],
  ['riscado.pptx', 'Dogs pay  15 euros, 10³ m of H₂O.'],
])('nor of %s, which openpyxl or pandoc wrote', async (name, expected) => {
  expect(textOf(await extractFile(await readFile(new URL(`../../files/office/${name}`, import.meta.url))))).toBe(
    expected,
  );
});
