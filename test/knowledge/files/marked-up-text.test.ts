import { describe, expect, test } from 'vitest';
import { textOf } from '../../support/knowledge/extract-source.ts';
import { adoc, latex, readText as read, rst } from '../../support/knowledge/marked-up.ts';

const raw = String.raw;
const lines = (...all: string[]) => all.join('\n');

describe('no text of LaTeX is lost:', () => {
  const url = 'https://x.example/~ana/a%20b?c=1&d=2#e';
  const price = raw`\newcommand{\price}[2][EUR]{#2 #1}`;
  const table = raw`\newcommand{\fares}{\begin{tabular}{ll}Dog & 3 \\ Cat & 2\end{tabular}}`;
  test.each([
    [
      'an address',
      latex(lines(raw`See \url{${url}} which costs 10 euros.`, 'Next.')),
      `See ${url} which costs 10 euros. Next.`,
    ],
    ['one that is escaped', latex(raw`See \nolinkurl{https://x.example/a\%20b\_c}.`), 'See https://x.example/a%20b_c.'],
    ['a path', latex(raw`Open \path|~/a%b| now.`), 'Open ~/a%b now.'],
    ['an address in a note', latex(raw`See\footnote{At \url{${url}}, free.} it.`), `See it.\n\n[*] At ${url}, free.`],
    [
      'an address in a table',
      latex(raw`\begin{tabular}{ll}Dog & \url{${url}} \\ Cat & \href{${url}}{there} \end{tabular}`),
      `Dog | ${url}\nCat | there`,
    ],
    ['a default', latex(raw`It is \price{10} or \price[USD]{20}.`, price), 'It is 10 EUR or 20 USD.'],
    ['a default that is empty', latex(raw`It is \price{10}.`, raw`\newcommand{\price}[2][]{#2#1}`), 'It is 10.'],
    [
      'code in a line',
      latex(raw`Use \lstinline[language=C]{if (x) {y;}}, \lstinline|a{|, \mintinline{c}{int x;} or \verb*+a b+ now.`),
      'Use if (x) {y;}, a{, int x; or a b now.',
    ],
    [
      'a list in a note',
      latex(
        raw`Before.

Text\footnote{See \begin{itemize}\item one\item two\end{itemize} end.} here.

After.`,
      ),
      'Before.\n\nText here.\n\n[*] See\n- one\n- two\nend.\n\nAfter.',
    ],
    ['a table of its own command', latex(raw`Intro \fares after.`, table), 'Intro\n\nDog | 3\nCat | 2\n\nafter.'],
    [
      'a table and a listing in a note',
      latex(lines(raw`Text\footnote{See \fares and \begin{verbatim}`, 'npm ci', raw`\end{verbatim}} here.`), table),
      'Text here.\n\n[*] See\nDog | 3\nCat | 2\nand\nnpm ci',
    ],
    [
      'items and paragraphs of its own commands',
      latex(raw`Intro \ask{Why?} Because. \ask{When?}`, raw`\newcommand{\ask}[1]{\par\textbf{#1}}`),
      'Intro\n\nWhy? Because.\n\nWhen?',
    ],
    ['a paragraph after a comment', latex('First. % note\n\nSecond.'), 'First.\n\nSecond.'],
    ['a paragraph after comments', latex('First. % note\n % more\n  \nSecond%\n ly.'), 'First.\n\nSecondly.'],
  ])('%s', async (_, text, expected) => {
    expect(textOf(await read(text))).toBe(expected);
  });

  test('headings of its own commands divide it', async () => {
    const head = raw`\newcommand{\chap}[1]{\section{#1}}`;
    expect((await read(latex(raw`Intro. \chap{Fares} Dogs pay.`, head))).sections).toEqual([
      { text: 'Intro.' },
      { heading: 'Fares', text: 'Dogs pay.' },
    ]);
  });
});

describe('lists and examples of reStructuredText:', () => {
  test.each([
    [
      'an item begins none within a paragraph',
      'It was found by\nE. Smith in 1990, see option\n(b) below, or\n- none, for\n3. more\n:or: less.',
      'It was found by E. Smith in 1990, see option (b) below, or - none, for 3. more :or: less.',
    ],
    ['items follow each other', '- one\n- two\n  late\n- three\n\n  - four', '- one\n- two late\n- three\n- four'],
    ['an item of an item', '- one\n  - two\n- three', '- one - two\n- three'],
    ['letters', 'a. one\nb. two\n\n(c) three\n\n#. four', 'a. one\nb. two\n(c) three\n- four'],
    ['after a title, and a term', 'Words\n=====\n- one\n\nTerm\n   - two', '- one\n- Term:\n- two'],
    ['fields', ':one: 1\n:two: 2', '- one: 1\n- two: 2'],
    ['lines that are kept', '| one\n| - two', 'one\n- two'],
    [
      'an example',
      'So:\n\n>>> for x in *y:\n...     print(`x`)\n1\n\nThen\n>>> none.',
      'So:\n\n>>> for x in *y:\n...     print(`x`)\n1\n\nThen >>> none.',
    ],
  ])('%s', async (_, text, expected) => {
    expect(textOf(await read(rst(text)))).toBe(expected);
  });
});

test.each([
  ['a formula', '[stem]\n++++\nE = mc^2\n++++', 'One.\n\nE = mc^2\n\nTwo.', undefined],
  ['a formula of LaTeX', '[latexmath]\n++++\n\\frac{a}{b}\n++++', 'One.\n\na/b\n\nTwo.', undefined],
  [
    'HTML',
    '++++\n<p>no</p>\n++++\n\n[pass]\n++++\n<b>no</b>\n++++',
    'One.\n\nTwo.',
    ['2 blocks of raw HTML are not read'],
  ],
  ['nothing', '++++\n++++', 'One.\n\nTwo.', undefined],
  ['a comment without an end', '////\nremark', 'One.\n\nremark\n\nTwo.', undefined],
  ['a comment after one', '////\nno\n////\n\n/////\nremark', 'One.\n\nremark\n\nTwo.', undefined],
  ['HTML without an end', '++++\nremark', 'One.\n\nremark\n\nTwo.', undefined],
])('a block of AsciiDoc loses no text without a warning: %s', async (_, block, expected, warnings) => {
  const extracted = await read(adoc(`One.\n\n${block}\n\nTwo.`));
  expect([textOf(extracted), extracted.warnings]).toEqual([expected, warnings]);
});
