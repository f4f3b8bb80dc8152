import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { extractFile, textOf } from '../../support/knowledge/extract-source.ts';
import { docx, odf, pptx, xlsx } from '../../support/knowledge/office-files.ts';

const saved = (name: string) => readFile(new URL(`../../files/office/${name}`, import.meta.url));
const row = (r: number, text: string, more = '') =>
  `<row r="${r}" ${more}><c r="A${r}" t="inlineStr"><is><t>${text}</t></is></c><c r="C${r}"><v>${r}</v></c></row>`;
const slide = (text: string, more = '') =>
  `<p:sld ${more}><p:sp><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sp></p:sld>`;
const run = (text: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
const styles = (more: string) => ({ 'word/styles.xml': `<w:styles>${more}</w:styles>` });

test.each([
  [
    'sheets, rows and columns of a workbook that LibreOffice saved',
    () => saved('horarios.xlsx'),
    [
      '1 hidden sheet is not read (Margins)',
      '1 hidden row of Stations is not read (5)',
      '1 hidden column of Stations is not read (F)',
    ],
    /secret|Scrapped|441/,
    /Corran/,
  ],
  [
    'the same in an OpenDocument spreadsheet',
    () => saved('horarios.ods'),
    [
      '1 hidden sheet is not read (Margins)',
      '1 hidden row of Stations is not read (5)',
      '1 hidden column of Stations is not read (F)',
    ],
    /secret|Scrapped|441/,
    /Corran/,
  ],
  [
    'rows of no height, and several rows',
    () =>
      xlsx(row(1, 'seen') + row(2, 'kept', 'hidden="1"') + row(3, 'kept', 'hidden="true"') + row(4, 'kept', 'ht="0"')),
    ['3 hidden rows of A are not read (2–4)'],
    /kept/,
    /seen/,
  ],
  [
    'empty rows and columns, of which nothing is told',
    () =>
      xlsx(`${row(1, 'seen')}<row r="2" hidden="1"/>`, '', {
        before: '<cols><col min="2" max="2" hidden="1"/><col min="4" max="16384" hidden="1"/></cols>',
      }),
    [],
    /kept/,
    /seen/,
  ],
  [
    'slides',
    () => pptx(slide('kept', 'show="0"'), slide('seen'), slide('kept', 'xmlns:a="a" show="false"')),
    ['2 hidden slides are not read (1 and 3)'],
    /kept/,
    /seen/,
  ],
  [
    'slides of an OpenDocument presentation',
    () =>
      odf(
        `<office:presentation><draw:page draw:style-name="h"><draw:frame><draw:text-box><text:p>kept</text:p></draw:text-box></draw:frame></draw:page>` +
          '<draw:page><draw:frame><draw:text-box><text:p>seen</text:p></draw:text-box></draw:frame></draw:page></office:presentation>',
        {
          styles:
            '<style:style style:name="h"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>',
        },
      ),
    ['1 hidden slide is not read (1)'],
    /kept/,
    /seen/,
  ],
  [
    'text of a Word document that LibreOffice saved',
    () => saved('aviso.docx'),
    ['2 hidden passages are not read'],
    /Odo|notary/,
    /at nine\.\n\nDogs/,
  ],
  [
    'text of an OpenDocument text',
    () => saved('aviso.odt'),
    ['2 hidden passages are not read'],
    /Odo|notary/,
    /at nine\.\n\nDogs/,
  ],
  [
    'text of an RTF file',
    () => saved('aviso.rtf'),
    ['2 hidden passages are not read'],
    /Odo|notary/,
    /at nine\.\n\nDogs/,
  ],
  [
    'text by its style, unless it says otherwise, and in boxes',
    () =>
      docx(
        `<w:p><w:pPr><w:pStyle w:val="Note"/></w:pPr>${run('kept')}${run('seen', '<w:vanish w:val="0"/>')}</w:p>` +
          `<w:p>${run('kept', '<w:rStyle w:val="Based"/>')}<w:r><w:pict><w:txbxContent><w:p>${run('kept', '<w:vanish/>')}${run('boxed')}</w:p></w:txbxContent></w:pict></w:r></w:p>` +
          `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('whose mark is hidden')}</w:p>`,
        '',
        styles(
          '<w:style w:styleId="Note"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Based"><w:basedOn w:val="Note"/></w:style>',
        ),
      ),
    ['3 hidden passages are not read'],
    /kept/,
    /seen[\s\S]*boxed[\s\S]*whose mark is hidden/,
  ],
])('what a file hides is left out, and a warning says how much: %s', async (_name, file, warnings, never, ever) => {
  const read = await extractFile(await file());
  expect(read.warnings).toEqual(warnings);
  expect(textOf(read)).not.toMatch(never);
  expect(textOf(read)).toMatch(ever);
});

test('a file of which all is hidden says so', async () => {
  await expect(extractFile(pptx(slide('kept', 'show="0"')))).rejects.toThrow('All its slides are hidden');
});
