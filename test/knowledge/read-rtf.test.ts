import { describe, expect, test } from 'vitest';
import { extractFile, textOf } from '../support/knowledge/extract-source.ts';

const rtf = (body: string, head = '') =>
  extractFile(
    Buffer.from(
      `{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fswiss\\fcharset0 Arial;}{\\f1\\fcharset204 Arial Cyr;}{\\f2\\fcharset128 MS Gothic;}}${head}${body}}`,
      'latin1',
    ),
  );

describe('an RTF file', () => {
  test('is read with its title, by the headings of its styles', async () => {
    const head =
      '{\\stylesheet{\\ql Normal;}{\\s1\\sb240\\outlinelevel0 heading 1;}{\\s2\\outlinelevel1 heading 2;}{\\*\\cs10 Default;}}' +
      '{\\info{\\title House rules}{\\author Dagny}{\\subject What guests should know}}';
    const read = await rtf(
      '\\pard\\plain\\s1 Sauna\\par\\pard\\plain\\s2 Hours\\par\\pard\\plain It opens at four.\\par\\pard{Bring {\\b towels}.\\par}',
      head,
    );
    expect(read).toMatchObject({ title: 'House rules', description: 'What guests should know', warnings: [] });
    expect(read.sections).toEqual([{ heading: 'Sauna › Hours', text: 'It opens at four.\n\nBring towels.' }]);
  });

  test('is decoded by the code page of the file, that of a font, and Unicode with its fallback', async () => {
    const read = await rtf(
      "caf\\'e9 \\ldblquote a\\rdblquote\\emdash b\\~c \\{d\\}\\par {\\f1 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2}\\par " +
        "{\\f2 \\'83A\\'83C}\\par 90 \\u8364\\'80 and \\uc2\\u26085\\'93\\'fa\\u26412\\'96\\'7b\\uc1 \\u-3913 ?.",
    );
    expect(textOf(read)).toBe('café “a”—b c {d}\n\nПривет\n\nアイ\n\n90 € and 日本.');
  });

  test('has its tables row by row, and its lists with their numbers', async () => {
    const row = (cells: string[], head = '') =>
      `\\trowd${head}\\cellx1\\cellx2 ${cells.map((cell) => `\\pard\\intbl ${cell}\\cell`).join(' ')} \\row`;
    const read = await rtf(
      `${row(['Room', 'Price'], '\\trhdr')}${row(['Small\\par (attic)', '90 \\u8364?'])}\\pard After.\\par` +
        "{\\listtext\\pard\\plain\\f3 \\'b7\\tab}\\pard One.\\par{\\listtext 2.\\tab}Two.\\par",
    );
    expect(textOf(read)).toBe('Room: Small (attic) | Price: 90 €\n\nAfter.\n\n- One.\n2. Two.');
  });

  test('has its notes and the results of its fields, and not what is hidden, binary, or repeated on each page', async () => {
    const read = await rtf(
      '{\\header Inn, page 1\\par}See {\\field{\\*\\fldinst HYPERLINK "https://inn.example"}{\\fldrslt our page}}' +
        '{\\footnote\\pard\\plain Closed on Mondays.}{\\v secret} today.{\\*\\unknown gone}\\par' +
        '{\\pict\\pngblip 89504e47}{\\*\\shppict{\\pict\\bin7 {}}\\\\ab}}{\\nonshppict{\\pict 00}}End.',
    );
    expect(textOf(read)).toBe('See our page today.\n\n[*] Closed on Mondays.\n\nEnd.');
    expect(read.warnings).toEqual(['1 hidden passage is not read', '2 pictures are not read']);
  });
});
