import { describe, expect, test } from 'vitest';
import type { Extracted } from '../../../src/knowledge/extract/types.ts';
import { extractFile, extractHtml, textOf } from '../../support/knowledge/extract-source.ts';
import { docx, odf, paragraph, xlsx } from '../../support/knowledge/office-files.ts';

const html = (body: string) => extractHtml(`<!doctype html><html><body><main>${body}</main></body></html>`);
const rtf = (body: string) => extractFile(Buffer.from(`{\\rtf1\\ansi ${body}}`));
const style = (name: string, look: string, base = '') =>
  `<style:style style:name="${name}" style:family="text" style:parent-style-name="${base}"><style:text-properties ${look}/></style:style>`;
const struck = 'style:text-line-through-style="solid"';
/**
 * OpenDocument of these paragraphs. S, T, K and P strike out: T inherits it from S, K from a named style, and the
 * header has another P. N is based on S, but does not. U and V, which is based on U, raise; D lowers.
 */
const lookOf = (...paragraphs: string[]) => {
  const styles =
    style('S', struck) +
    style('U', 'style:text-position="super 58%"') +
    style('D', 'style:text-position="-33% 58%"') +
    style('T', '', 'S') +
    style('V', '', 'U') +
    style('N', 'style:text-line-through-style="none"', 'S') +
    style('K', '', 'Withdrawn') +
    style('P', struck);
  const named =
    `<office:document-styles><office:styles>${style('Withdrawn', 'style:text-line-through-type="double"')}</office:styles>` +
    `<office:automatic-styles>${style('P', 'style:text-line-through-style="none"')}</office:automatic-styles></office:document-styles>`;
  const body = paragraphs.map((each) => (/^<text:[ph] /.test(each) ? each : `<text:p>${each}</text:p>`)).join('');
  return extractFile(odf(`<office:text>${body}</office:text>`, { styles, more: { 'styles.xml': named } }));
};
const span = (name: string, text: string) => `<text:span text:style-name="${name}">${text}</text:span>`;
const look = (properties: string, text: string) =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const removed = (text: string) =>
  `<w:del w:id="1"><w:r><w:delText xml:space="preserve">${text}</w:delText></w:r></w:del>`;

describe('what an author has withdrawn is not read as if it held:', () => {
  test.each<[string, () => Promise<Extracted>, string]>([
    ['the old price of a shop', () => html('<p>A ticket: <del>20 €</del> <ins>15 €</ins>.</p>'), 'A ticket: 15 €.'],
    [
      'what is struck out on a page',
      () => html('<p>Open <s>Monday</s> <strike>at six</strike> Friday.</p>'),
      'Open Friday.',
    ],
    ['a paragraph of a page', () => html('<p>Open daily.</p><del><p>Closed in May.</p></del>'), 'Open daily.'],
    [
      'tracked changes in Word',
      () =>
        extractFile(
          docx(
            `<w:p>${run('Dogs pay ')}${removed('five')}<w:ins w:id="2">${run('three')}</w:ins>${run(' euros.')}</w:p>`,
          ),
        ),
      'Dogs pay three euros.',
    ],
    [
      'a text that was moved in Word',
      () =>
        extractFile(
          docx(
            `<w:p><w:moveFrom w:id="1">${run('Bring towels.')}</w:moveFrom></w:p><w:p>${run('Open.')}</w:p><w:p><w:moveTo w:id="2">${run('Bring towels.')}</w:moveTo></w:p>`,
          ),
        ),
      'Open.\n\nBring towels.',
    ],
    [
      'a row that was deleted in Word',
      () =>
        extractFile(
          docx(
            `<w:tbl><w:tr><w:tc>${paragraph('Dog')}</w:tc></w:tr><w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc><w:p>${removed('Cat')}</w:p></w:tc></w:tr></w:tbl>`,
          ),
        ),
      'Dog',
    ],
    [
      'tracked changes in OpenDocument',
      () =>
        extractFile(
          odf(
            '<office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>five</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>Dogs pay <text:change text:change-id="c"/>three euros.</text:p></office:text>',
          ),
        ),
      'Dogs pay three euros.',
    ],
    [
      'tracked changes in RTF',
      () => rtf('Dogs pay {\\deleted\\revauthdel1 five}{\\revised\\revauth1 three} euros.'),
      'Dogs pay three euros.',
    ],
    ['what is struck out in RTF', () => rtf('Open {\\strike Monday }Friday.'), 'Open Friday.'],
    ['what is struck out in OpenDocument', () => lookOf(`Open ${span('S', 'Monday ')}Friday.`), 'Open Friday.'],
    ...['T', 'K', 'P'].map((name): [string, () => Promise<Extracted>, string] => [
      `what style ${name} of OpenDocument strikes out`,
      () => lookOf(`Open ${span(name, 'Monday ')}Friday.`, `<text:p text:style-name="${name}">Bring towels.</text:p>`),
      'Open Friday.',
    ]),
    [
      'a heading and a box beside struck text in OpenDocument',
      () =>
        lookOf(
          '<text:h text:outline-level="1" text:style-name="T">Closed</text:h>',
          '<text:p text:style-name="S">Bring <text:s text:c="3"/>towels.<draw:frame><draw:text-box><text:p>Open.</text:p></draw:text-box></draw:frame></text:p>',
        ),
      'Open.',
    ],
    [
      'all but what a style of OpenDocument excepts',
      () => lookOf(`<text:p text:style-name="S">Open Monday ${span('N', 'Friday')}.</text:p>`, span('N', 'Free.')),
      'Friday\n\nFree.',
    ],
    ...['<w:strike/>', '<w:dstrike/>', '<w:strike w:val="0"/><w:dstrike w:val="true"/>'].map(
      (strike): [string, () => Promise<Extracted>, string] => [
        `what is struck out in Word: ${strike}`,
        () => extractFile(docx(`<w:p>${run('Open ')}${look(strike, 'Monday ')}${run('Friday.')}</w:p>`)),
        'Open Friday.',
      ],
    ),
    [
      'all but what Word does not strike out',
      () => extractFile(docx(`<w:p>${look('<w:strike w:val="0"/><w:dstrike w:val="false"/>', 'Open Friday.')}</w:p>`)),
      'Open Friday.',
    ],
    [
      'what a listing of a page strikes out',
      () => html('<pre>npm install\n<del>npm start</del>10<sup>3</sup> runs</pre>'),
      'npm install\n10³ runs',
    ],
    [
      'a change that also ends a strike',
      () => rtf('Dogs pay {\\deleted\\strike0 five }three euros.'),
      'Dogs pay three euros.',
    ],
    [
      'a strike that also ends a change',
      () => rtf('Dogs pay {\\strike old\\deleted0 er }three euros.'),
      'Dogs pay three euros.',
    ],
    ['a strike of two lines in RTF', () => rtf('Open {\\striked1 Monday }Friday.'), 'Open Friday.'],
    [
      'the same by words that end it',
      () => rtf('Dogs pay \\deleted five\\deleted0 three\\plain  euros.'),
      'Dogs pay three euros.',
    ],
  ])('%s', async (_, read, text) => {
    const extracted = await read();
    expect(textOf(extracted)).toBe(text);
    expect(extracted.warnings ?? []).toEqual([]);
  });
});

test('a note of RTF is read whether or not readers that do not know notes skip it', async () => {
  const note = 'It opens at four{\\super\\chftn}{\\*\\footnote\\chftn\\~\\plain\\pard {\\pard Not on Sundays.\\par}}.';
  expect(textOf(await rtf(note))).toContain('Not on Sundays.');
  expect(textOf(await rtf(note.replace('\\*', '')))).toContain('Not on Sundays.');
});

test('a note of RTF does not look like the sign that refers to it', async () => {
  const note = '{\\footnote 10 metres.}';
  expect(textOf(await rtf(`A pier{\\super\\chftn{\\footnote 10}}.`))).toBe('A pier.\n\n[*] 10');
  expect(textOf(await rtf(`A pier{\\strike\\deleted\\chftn${note}}.`))).toBe('A pier.\n\n[*] 10 metres.');
});

test('a style of RTF that strikes out keeps its name', async () => {
  const { sections } = await rtf('{\\stylesheet{\\s1\\strike heading 1;}}\\pard\\s1 Prices\\par\\pard Free.\\par');
  expect(sections).toMatchObject([{ heading: 'Prices', text: 'Free.' }]);
});

describe('a number that is raised or lowered keeps its meaning:', () => {
  test('in RTF', async () => {
    const text = textOf(await rtf('10{\\super 3} m\\super 2\\nosupersub  of H{\\sub 2}O, the 1{\\super st}'));
    expect(text).toBe('10³ m² of H₂O, the 1st');
  });

  test('in OpenDocument', async () => {
    const text = textOf(
      await lookOf(`10${span('U', '3')} m${span('V', '2')} of H${span('D', '2')}O, the 1${span('U', 'st')}`),
    );
    expect(text).toBe('10³ m² of H₂O, the 1st');
  });

  test('in Word', async () => {
    const raised = (text: string, how = 'superscript') => look(`<w:vertAlign w:val="${how}"/>`, text);
    const line = `${run('10')}${raised('3')}${run(' of H')}${raised('2', 'subscript')}${run('O, the 1')}${raised('st')}`;
    expect(textOf(await extractFile(docx(`<w:p>${line}</w:p>`)))).toBe('10³ of H₂O, the 1st');
  });

  test.each([
    ['10<sup>3</sup> m<sup>2</sup>', '10³ m²'],
    ['10<sup>-6</sup>', '10⁻⁶'],
    ['10<sup>−12</sup>', '10⁻¹²'],
    ['10<sup>2<del>3</del></sup>', '10²'],
    ['H<sub>2</sub>O', 'H₂O'],
    ['the pier<sup><a href="#n1">1</a></sup>', 'the pier¹'],
    ['the 1<sup>st</sup> of May', 'the 1st of May'],
    ['the pier<sup>[1]</sup>', 'the pier[1]'],
  ])('%s', async (markup, text) => {
    expect(textOf(await html(`<p>A sign says ${markup}</p>`))).toBe(`A sign says ${text}`);
    const table = `<table><tr><th>Sign</th><th>No</th></tr><tr><td>${markup}</td><td>7</td></tr></table>`;
    expect(textOf(await html(table))).toBe(`Sign: ${text} | No: 7`);
  });
});

test.each([
  ['<c r="B2"><f>A2*2</f></c>', ['1 formula of A has no stored value and is not read']],
  [
    '<c r="B2"><f>A2*2</f><v></v></c><c r="C2"><f>A2</f></c>',
    ['2 formulas of A have no stored value and are not read'],
  ],
  ['<c r="B2"><f>A2*2</f><v>4</v></c>', []],
  ['<c r="B2" t="str"><f>IF(A2,"","x")</f><v></v></c>', []],
])('a workbook that a program wrote without values is read with a warning: %s', async (cells, warnings) => {
  const row = '<row r="1"><c r="A1" t="inlineStr"><is><t>Seats</t></is></c></row>';
  const { warnings: told } = await extractFile(xlsx(`${row}<row r="2"><c r="A2"><v>2</v></c>${cells}</row>`));
  expect(told).toEqual(warnings.map((each) => `${each}: open the file in a spreadsheet program and save it`));
});
