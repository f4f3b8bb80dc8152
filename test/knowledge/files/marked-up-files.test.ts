import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { extractFile, extractSource, textOf } from '../../support/knowledge/extract-source.ts';
import { adoc, latex, org, readText as read, rst } from '../../support/knowledge/marked-up.ts';

const raw = String.raw;
const fetched = (text: string, name: string, contentType = 'text/plain') =>
  extractSource(
    { type: 'file', url: `https://docs.example/${name}` },
    { guardedFetch: async (url) => ({ status: 200, url, contentType, bytes: Buffer.from(text) }) as never },
  );

test('AsciiDoc with underlined titles, by the name of its file', async () => {
  const text = 'Ferries\n=======\n\nFares\n-----\nDogs pay.\n\n----\nnpm ci\n----\n\nHours\n-----\nAt nine.\n';
  expect((await fetched(text, 'ferries.adoc')).sections).toEqual([
    { heading: 'Ferries › Fares', text: 'Dogs pay.\n\nnpm ci' },
    { heading: 'Ferries › Hours', text: 'At nine.' },
  ]);
});

const titled = (text: string) => `${text}\n\nWords.\n`;

describe('the name of a file or type says its format:', () => {
  test.each([
    ['a.org', 'text/plain', titled('#+TITLE: x')],
    ['a', 'text/x-org; charset=utf-8', titled('#+TITLE: x')],
    ['a.asc', 'application/octet-stream', titled('// x')],
    ['a', 'text/asciidoc', titled('// x')],
    ['a.rst', 'text/plain', titled('.. x')],
    ['a.REST', 'text/plain', titled('.. x')],
    ['a', 'text/prs.fallenstein.rst', titled('.. x')],
    ['a.ltx', 'text/plain', titled('\\newpage')],
    ['a', 'application/x-tex', titled('\\newpage')],
    ['a', 'text/plain', titled('% x\n\n  \\documentclass{article}')],
    ['a.txt', '', titled('\\documentclass[a4paper]{article}')],
  ])('%s, %s', async (name, type, text) => {
    expect(textOf(await fetched(text, name, type))).toBe('Words.');
  });

  const example = '#+TITLE: x\n* Head\n.. note::\n\n   x\n\n|===\n\n\\section{A}\n';
  test.each([
    ['a.md', '', `Write:\n\n~~~\n${example}\n~~~`, 'Write:\n\n~~~\n#+TITLE'],
    ['a', 'text/markdown', `\\documentclass{a}\n\n${example}`, '\\documentclass{a}'],
    ['a.py', 'text/x-python', `"""\n${example}\n"""\nimport os\ny = __name__\n`, '\nimport os\ny = __name__'],
    ['a.c', '', `/*\n${example}\n*/\nint *a, *b;\n  return a[0]_x;`, '\nint *a, *b;\n  return a[0]_x;'],
    ['a.txt', 'text/plain', `Some:\n\n${example}* Small:  5\n* Large: 10`, '* Small:  5\n* Large: 10'],
    ['a', '', `Some:\n\n${example}`, '.. note::\n\n   x\n'],
    ['a.csv', 'text/csv', 'name,note\na,1\n#+title: x,2\n', 'name: #+title: x | note: 2'],
    ['a.adoc', '', 'Org:\n\n----\n#+TITLE: x\n* Head\n----\n\nTen *euros*.', '#+TITLE: x\n* Head\n\nTen euros.'],
  ])('and no other is taken for it: %s, %s', async (name, type, text, part) => {
    expect(textOf(await fetched(text, name, type))).toContain(part);
  });
});

describe('what pandoc wrote is read alike:', () => {
  const part = (heading: string) => (name: string) =>
    name === 'adoc' || name === 'rst' ? `A balsa de Skerry › ${heading}` : heading;
  test.each(['tex', 'org', 'adoc', 'rst'])('balsa.%s', async (name) => {
    const { title, warnings, sections } = await extractFile(
      await readFile(new URL(`../../files/marked-up/balsa.${name}`, import.meta.url)),
      name,
    );
    const textIn = (heading: string) => sections.find((each) => each.heading === part(heading)(name))?.text ?? '';
    expect([title, warnings]).toEqual(['A balsa de Skerry', ['1 picture is not read']]);
    expect(textIn('Preços')).toMatch(/^A balsa leva cães.* e bicicletas (—|---) ver a página, e npm ci\.\n/);
    expect(textIn('Preços')).toContain('Preços de 2026');
    expect(textIn('Preços')).toContain('Bilhete: Cão | Euros: 3\nBilhete: Carrinha & cia | Euros: 15');
    expect(textIn('Preços › Grupos')).toMatch(
      /^Custa 15 euros, 50 % menos, a 10³ m de H₂O, com x = 1\/2\.\n\n- Às nove\n- em ponto\n- Às doze\n/,
    );
    expect(textIn('Preços › Grupos')).toContain('- Farol: Uma luz que se vê ao longe.');
    expect(textIn('Horário')).toMatch(/^Não há balsa ao domingo\.\n\ncurl https:\/\/balsa\.example +# não\n/);
    expect(sections.map(({ text }) => text).join('\n')).toContain('Não leva gatos.');
  });
});

test.each([
  ['LaTeX', latex(raw`Words. \includegraphics[width=3cm]{a.png} \input{more} \include{b}`)],
  ['Org', org('Words.\n\n[[file:a.png]]\n#+INCLUDE: "more.org"\n#+INCLUDE: "b.org"')],
  ['AsciiDoc', adoc('Words.\n\nimage::a.png[]\ninclude::more.adoc[]\n\n----\ninclude::b.adoc[]\n----')],
  ['reStructuredText', rst('Words.\n\n.. image:: a.png\n\n.. include:: more.rst\n\n.. literalinclude:: b.py')],
])('pictures and other files that it includes are a warning: %s', async (_, text) => {
  const { warnings, ...extracted } = await read(text);
  expect(textOf(extracted)).toBe('Words.');
  expect(warnings).toEqual(['1 picture is not read', '2 files that it includes are not read']);
});

describe('text of another kind stays as it is:', () => {
  test.each([
    ['Markdown about LaTeX', 'Write this:\n\n```\n\\documentclass{article}\n\\section{Fares}\n```'],
    ['Markdown about Org', 'Write this:\n\n    #+ITEM a\n\n* one\n* two'],
    ['a list of stars', '* Nine\n** Ten\n* Eleven'],
    ['a formula', '\\alpha is a letter, and so is \\beta.'],
    ['a sum', '= 5 is what it is\n\nand no more.'],
    ['a wiki', '= Ferries =\n\n----\n\n== Fares ==\n\nDogs pay.'],
    ['dots', 'Wait .. what::\n\n.. more'],
    ['a log', '2026-05-12 :info: started\n2026-05-12 :info: ended'],
    ['settings', ':name: value\nother: value'],
  ])('%s', async (_, text) => {
    expect(textOf(await read(text))).toBe(text);
  });
});

describe('a file that is hostile ends soon, with a reason or with what is in it:', () => {
  const many = (part: string, times = 50_000) => part.repeat(times);
  test.each([
    ['LaTeX that nests', latex(many('\\footnote{', 5_000)), /too deeply nested/],
    ['LaTeX whose tables nest', latex(many('\\begin{tabular}{l}', 5_000)), /too deeply nested/],
    [
      'LaTeX whose commands double',
      latex(
        '\\xa',
        'abcdefghijklmnop'
          .split('')
          .map((name, at) => `\\newcommand{\\x${name}}{${`\\x${'bcdefghijklmnopq'[at]}{}`.repeat(2)}${'x'.repeat(99)}}`)
          .join(''),
      ),
      /stand for too much|too deeply nested/,
    ],
    ['LaTeX whose command is itself', latex('\\a', '\\newcommand{\\a}{x\\a}'), /too deeply nested/],
    ['LaTeX of dollars', latex(`Dog ${many('$')}`), /Dog/],
    ['LaTeX of brackets', latex(`Dog ${many('\\x[')}`), /Dog/],
    ['Org of drawers', org(`Dog\n${many(':a:\n')}`), /Dog/],
    ['Org of marks', org(`Dog ${many('*a /b _c ')}`), /Dog/],
    ['AsciiDoc of marks', adoc(`Dog ${many('*a _b `c #d ')}`), /Dog/],
    ['AsciiDoc of cells', adoc(`Dog\n\n|===\n${many('2+|a ')}\n`), /Dog/],
    [
      'reStructuredText that nests',
      rst(Array.from({ length: 100 }, (_, at) => `${'   '.repeat(at)}.. note::\n`).join('\n')),
      /too deeply nested/,
    ],
    ['reStructuredText of marks', rst(`Dog ${many('*a `b <c ``d |e ')}`), /Dog/],
    ['reStructuredText of lines', rst(`Dog\n\n${many('a::\n\n  b\n')}`), /Dog/],
  ])('%s', async (_, text, says) => {
    expect(await read(text).then(textOf, ({ message }: Error) => message)).toMatch(says);
  });
});
