import { describe, expect, test } from 'vitest';
import { readAsciidoc } from '../../../src/knowledge/extract/plain/asciidoc.ts';
import { readLatex } from '../../../src/knowledge/extract/plain/latex.ts';
import { readOrg } from '../../../src/knowledge/extract/plain/org.ts';
import { readRestructured } from '../../../src/knowledge/extract/plain/restructured.ts';
import { growth } from '../../support/random/growth.ts';

const begin = '\\begin{document}\n';
const repeat = (part: string, length: number) => part.repeat(Math.ceil(length / part.length));

/** The head of a text, what is repeated after it, and its end. */
type Hostile = [name: string, read: (text: string) => unknown, head: string, part: string, tail?: string];

describe('the work of reading marks grows with the text, not with its square:', () => {
  test.each<Hostile>([
    ['LaTeX: spaces in a line', readLatex, `${begin}a`, ' ', 'b'],
    ['LaTeX: lines in a listing', readLatex, `${begin}\\begin{verbatim}\na`, '\n', 'b\\end{verbatim}'],
    ['LaTeX: rows with a distance', readLatex, `${begin}\\begin{tabular}{l}`, '\\\\[', '\\end{tabular}'],
    ['LaTeX: cells over rows', readLatex, `${begin}\\begin{tabular}{l}`, '\\multirow[', '\\end{tabular}'],
    ['LaTeX: comments', readLatex, `${begin}a`, '%\n \n'],
    ['Org: spaces in a line', readOrg, 'a', ' ', 'b'],
    ['Org: spaces in a headline', readOrg, '* a', ' ', 'b'],
    ['Org: spaces in a cell', readOrg, '|a|\n|', ' ', 'b|'],
    ['Org: pictures', readOrg, '', '[['],
    ['Org: terms', readOrg, '- a', ' ', 'b'],
    ['AsciiDoc: spaces in a line', readAsciidoc, 'a', ' ', 'b'],
    ['AsciiDoc: spaces in a listing', readAsciidoc, '----\na', ' ', 'b\n----'],
    ['AsciiDoc: lines in a listing', readAsciidoc, '----\na', '\n', 'b\n----'],
    ['AsciiDoc: anchors', readAsciidoc, 'a', ' anchor:x[\n'],
    ['AsciiDoc: notes', readAsciidoc, 'a', ' footnote:[\n'],
    ['AsciiDoc: terms of an index', readAsciidoc, 'a', ' indexterm:[\n'],
    ['AsciiDoc: references', readAsciidoc, 'a <<b,', '\u3000', 'c'],
    ['AsciiDoc: links', readAsciidoc, 'a ', 'link:'],
    ['AsciiDoc: links without an end', readAsciidoc, 'a', ' link:x[\n'],
    ['AsciiDoc: menus', readAsciidoc, 'a', ' menu:a\n'],
    ['AsciiDoc: addresses', readAsciidoc, 'a ', 'https://'],
    ['AsciiDoc: pictures', readAsciidoc, 'a ', 'image:.'],
    ['AsciiDoc: pictures without an end', readAsciidoc, 'a', ' image:x[\n'],
    ['AsciiDoc: names of styles', readAsciidoc, 'a [', 'line-through'],
    ['AsciiDoc: options', readAsciidoc, '[', 'options=', ']\n|===\n|a\n|==='],
    ['AsciiDoc: formulas', readAsciidoc, '[stem]\n++++\n', 'a \n', '\n++++'],
    ['AsciiDoc: fences', readAsciidoc, '', '////\na\n++++\n'],
    ['AsciiDoc: cells', readAsciidoc, '|===\n', '50*|a\n', '|==='],
    ['reStructuredText: spaces in a line', readRestructured, 'a', ' ', 'b'],
    ['reStructuredText: spaces before colons', readRestructured, 'a::', ' ', 'b::'],
    ['reStructuredText: spaces in a link', readRestructured, '`a', '\u3000', 'b'],
    ['reStructuredText: what is struck out', readRestructured, 'a', ' [STRIKEOUT:\n'],
    ['reStructuredText: lines in a listing', readRestructured, '::\n\n  a', '\n', '  b'],
  ])(
    '%s',
    async (_, read, head, part, tail = '') => {
      expect(await growth(20_000, (length) => read(head + repeat(part, length) + tail))).toBeLessThan(5);
    },
    100_000,
  );

  test.each<[string, (n: number) => string]>([
    ['a grid', (n) => `+${'-+'.repeat(n)}\n|${' |'.repeat(n)}\n+${'-+'.repeat(n)}\n`],
    ['a cell of lines', (n) => `+---+\n${'| a |\n'.repeat(n)}+---+\n`],
    ['a simple table', (n) => `${'== '.repeat(n)}==\n${'a\n'.repeat(n)}`],
    ['a row of lines', (n) => `==  ==\na   b\n${'    b\n'.repeat(n)}==  ==\n`],
  ])(
    '%s of reStructuredText',
    async (_, make) => {
      expect(await growth(5_000, (length) => readRestructured(make(length)))).toBeLessThan(5);
    },
    100_000,
  );
});

test('what commands of LaTeX put in counts, with what is put into it', () => {
  const head = `\\newcommand{\\a}[1]{${'#1'.repeat(40)}}${begin}`;
  expect(() => readLatex(`${head}\\a{\\a{${'x'.repeat(20_000)}}}`)).toThrow(/stand for too much/);
});
