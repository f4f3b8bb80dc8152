import { describe, expect, test } from 'vitest';
import type { Section } from '../../../src/search/types.ts';
import { textOf } from '../../support/knowledge/extract-source.ts';
import { adoc, latex, org, readText as read, rst } from '../../support/knowledge/marked-up.ts';

const raw = String.raw;

const fares = 'Ticket: Dog | Euros: 3\nTicket: Cat | Euros: 2';

describe('a table keeps the names of its columns:', () => {
  test.each([
    [
      'LaTeX',
      latex(
        raw`\begin{tabular}{|l|r|} \hline Ticket & Euros \\ \hline Dog & 3 \\ \hline Cat & 2 \\ \hline \end{tabular}`,
      ),
    ],
    [
      'LaTeX of booktabs',
      latex(
        raw`\begin{table}[ht]\begin{tabular}{@{}lr@{}}\toprule\textbf{Ticket}&Euros\\\midrule Dog&3\\Cat&2\\\bottomrule\end{tabular}\end{table}`,
      ),
    ],
    [
      'LaTeX of pandoc',
      latex(
        raw`\begin{longtable}[]{@{}ll@{}}
\toprule\noalign{}
Ticket & Euros \\
\midrule\noalign{}
\endhead
\bottomrule\noalign{}
\endlastfoot
Dog & 3 \\
Cat & 2 \\
\end{longtable}`,
      ),
    ],
    ['Org', org('| Ticket | Euros |\n|--------+-------|\n| Dog | 3 |\n| <l> | |\n| Cat | 2 |\n#+TBLFM: $2=1')],
    ['AsciiDoc', adoc('|===\n|Ticket |Euros\n\n|Dog |3\n|Cat |2\n|===')],
    [
      'AsciiDoc with a cell on each line',
      adoc('[%header,cols="2,1a"]\n|===\n|Ticket\n|Euros\n\n|Dog\n|3\n|Cat\na|2\n|==='),
    ],
    ['AsciiDoc with a format', adoc('[options="header",format=csv]\n|===\nTicket,Euros\n"Dog",3\nCat,2\n|===')],
    ['AsciiDoc of commas', adoc('[%header]\n,===\nTicket,Euros\nDog,3\nCat,2\n,===')],
    [
      'a grid',
      rst(
        '+--------+-------+\n| Ticket | Euros |\n+========+=======+\n| Dog    | 3     |\n+--------+-------+\n| Cat    | 2     |\n+--------+-------+',
      ),
    ],
    ['a simple table', rst('======  =====\nTicket  Euros\n======  =====\nDog     3\nCat     2\n======  =====')],
    [
      'a table of lists',
      rst(
        '.. list-table::\n   :header-rows: 1\n\n   * - Ticket\n     - Euros\n   * - Dog\n     - 3\n   * - Cat\n     - 2',
      ),
    ],
    [
      'a table of CSV',
      rst('.. csv-table::\n   :header: "Ticket", "Euros"\n   :widths: 1, 2\n\n   "Dog", 3\n   Cat, 2'),
    ],
  ])('%s', async (_, text) => {
    expect(textOf(await read(text))).toBe(fares);
  });

  test.each([
    [
      'LaTeX',
      latex(raw`\begin{tabular}{lll}Ticket & \multicolumn{2}{c}{Euros} \\ \midrule Dog & 3 & 4 \\ \end{tabular}`),
    ],
    ['AsciiDoc', adoc('[%header,cols=3]\n|===\n|Ticket 2+|Euros\n|Dog |3 |4\n|===')],
    ['AsciiDoc, by a factor', adoc('[%header,cols=3*]\n|===\n|Ticket 2+|Euros\n|Dog |3 |4\n|===')],
    [
      'a grid',
      rst('+--------+-------+\n| Ticket | Euros |\n+========+===+===+\n| Dog    | 3 | 4 |\n+--------+---+---+'),
    ],
  ])('and those that span columns: %s', async (_, text) => {
    expect(textOf(await read(text))).toBe('Ticket: Dog | Euros: 3 | Euros: 4');
  });
});

const parts: Section[] = [
  { heading: 'Fares', text: 'Dogs pay.' },
  { heading: 'Fares › Groups', text: 'Ask.' },
  { heading: 'Hours', text: 'At nine.' },
];

describe('headings divide it:', () => {
  test.each([
    [
      'LaTeX',
      latex(raw`\section{Fares}\label{f} Dogs pay. \subsection*{Groups} Ask. \section[H]{Hours} At nine.`),
      parts,
    ],
    [
      'Org',
      org('* Fares :sea:\n:PROPERTIES:\n:ID: 7\n:END:\nDogs pay.\n** [#A] Groups\nAsk.\n* Hours\nAt nine.'),
      parts,
    ],
    ['reStructuredText', rst('Fares\n=====\n\nDogs pay.\n\nGroups\n------\nAsk.\n\nHours\n=====\nAt nine.'), parts],
    [
      'one with lines above',
      rst('=====\nFares\n=====\n\nDogs pay.\n\nGroups\n======\nAsk.\n\n=====\nHours\n=====\n\nAt nine.'),
      parts,
    ],
    [
      'AsciiDoc',
      adoc('== Fares\nDogs pay.\n\n[[g]]\n=== Groups\n\nAsk.\n\n== Hours\n\nAt nine.'),
      parts.map((part) => ({ ...part, heading: `Ferries › ${part.heading}` })),
    ],
  ])('%s', async (_, text, expected) => {
    expect((await read(text)).sections).toEqual(expected);
  });

  test.each([
    ['LaTeX', latex('Words.', raw`\title{The \emph{Skerry} Ferry}\author{Ana}`), 'The Skerry Ferry'],
    ['Org', org('Words.'), 'Ferries'],
    [
      'AsciiDoc',
      { ext: 'asciidoc', text: '= The _Skerry_ Ferry\nAna <a@x.example>\nv1.0\n\nWords.\n' },
      'The Skerry Ferry',
    ],
    ['reStructuredText', rst('The *Skerry* Ferry\n==================\n\nWords.'), 'The Skerry Ferry'],
  ])('and it has a title: %s', async (_, text, title) => {
    const extracted = await read(text);
    expect([extracted.title, textOf(extracted)]).toEqual([title, 'Words.']);
  });
});

const lines = (...all: string[]) => all.join('\n');
const tick = '`';

describe('marks are no words:', () => {
  test.each([
    ['LaTeX: looks', latex(raw`The \textbf{\large red \emph{flag}} is {\itshape up}.`), 'The red flag is up.'],
    [
      'LaTeX: signs',
      latex(raw`50\,\% off \& \$5 -- ''now''~--- at \S~3, a\_b, \{c\}, 3\,\euro{}\ldots`),
      '50 % off & $5 – ”now” — at § 3, a_b, {c}, 3 €…',
    ],
    [
      'LaTeX: letters',
      latex(raw`S\~ao Jo\~{a}o, Ara\'ujo, \"Osterreich, gar\c{c}on, \o re, Stra\ss e, na\"{\i}ve, \v{S}koda`),
      'São João, Araújo, Österreich, garçon, øre, Straße, naïve, Škoda',
    ],
    [
      'LaTeX: comments',
      latex(lines('At % not ten', 'nine.', '% hidden', raw`\begin{comment}`, 'no', raw`\end{comment}`)),
      'At nine.',
    ],
    [
      'LaTeX: links and notes',
      latex(
        raw`See \href{https://x.example}{the page}, \url{https://y.example/a_b}\footnote{Not on \textbf{Sundays}.}, \cite{a}\label{b}now.`,
      ),
      'See the page, https://y.example/a_b, now.\n\n[*] Not on Sundays.',
    ],
    [
      'LaTeX: lists',
      latex(
        raw`\begin{itemize} \item Nine \item[Noon] Twelve \begin{enumerate}\item One\end{enumerate}\end{itemize} Then.`,
      ),
      '- Nine\n- Noon: Twelve\n- One\n\nThen.',
    ],
    [
      'LaTeX: formulas',
      latex(raw`\(\frac{-b \pm \sqrt{b^2-4ac}}{2a}\), $x_{12} \leq 5 \text{ km}$ and \[ E = mc^2 \]`),
      '(-b ± √(b^2-4ac))/(2a), x_12 ≤ 5 km and E = mc^2',
    ],
    [
      'LaTeX: its own commands',
      latex(
        raw`\boat{} takes \price{3}{dogs}.`,
        raw`\newcommand{\boat}{Stormcock}\newcommand\price[2]{#1~\euro{} for #2}`,
      ),
      'Stormcock takes 3 € for dogs.',
    ],
    [
      'LaTeX: listings',
      latex(lines('Run:', raw`\begin{lstlisting}[language=sh]`, raw`npm ci % \section{no}`, raw`\end{lstlisting}`)),
      'Run:\n\nnpm ci % \\section{no}',
    ],
    [
      'LaTeX: what is struck out and raised',
      latex(raw`\sout{20 euros}15 euros, 10\textsuperscript{3} m, H\textsubscript{2}O`),
      '15 euros, 10³ m, H₂O',
    ],
    [
      'Org: looks',
      org(`The *red /flag/* is _up_ in =code= and ~more~, 2*3*4, a/b/c.`),
      'The red flag is up in code and more, 2*3*4, a/b/c.',
    ],
    [
      'Org: links and notes',
      org('See [[https://x.example][the page]], [[https://y.example]].[fn:1]\n\n[fn:1] Not on Sundays.'),
      'See the page, https://y.example.\n\n[*] Not on Sundays.',
    ],
    [
      'Org: lists',
      org('- Nine :: sharp\n- [X] Ten\n  late\n1) First\n\nThen.'),
      '- Nine: sharp\n- [X] Ten late\n1) First\n\nThen.',
    ],
    [
      'Org: what is not shown',
      org(
        '# hidden\n#+OPTIONS: toc:nil\n#+BEGIN_COMMENT\nno\n#+END_COMMENT\n#+BEGIN_EXPORT html\n<b>no</b>\n#+END_EXPORT\n:LOGBOOK:\nno\n:END:\nWords.\n* COMMENT Draft\nno\n** Deeper\nno\n* Old :noexport:\nno',
      ),
      'Words.',
    ],
    [
      'Org: code',
      org('#+BEGIN_SRC sh :results output\nnpm ci  # *no*\n#+END_SRC\n#+RESULTS:\n: done'),
      'npm ci  # *no*\n\ndone',
    ],
    ['Org: times', org('* Hours\nDEADLINE: <2026-05-12 Tue 09:00>\nOpen.'), 'DEADLINE: 2026-05-12 Tue 09:00\nOpen.'],
    ['Org: what is struck out and raised', org('+20 euros+ 15 euros, 10^{3} m, H_{2}O'), '15 euros, 10³ m, H₂O'],
    [
      'AsciiDoc: looks',
      adoc(`The *red _flag_* is ${tick}up${tick}, #now#, **b**old, 2*3*4, a_b_c.`),
      'The red flag is up, now, bold, 2*3*4, a_b_c.',
    ],
    [
      'AsciiDoc: links and notes',
      adoc(
        '[[a]]See <<fares,the fares>>, https://x.example/a[the page^], link:b.html[B], xref:c.adoc[C], kbd:[Esc] and footnote:[Not on Sundays].',
      ),
      'See the fares, the page, B, C, Esc and (Not on Sundays).',
    ],
    [
      'AsciiDoc: lists',
      adoc('* Nine\n** Ten +\nlate\n. First\n+\nMore.\nTerm:: Meaning'),
      '- Nine\n- Ten\nlate\n- First\n\nMore.\n\n- Term: Meaning',
    ],
    [
      'AsciiDoc: what is not shown',
      adoc(
        '// hidden\n////\nno\n////\n:name: x\n[.lead]\nWords.\n\nifdef::x[]\nMore.\nendif::[]\n++++\n<b>no</b>\n++++',
      ),
      'Words.\n\nMore.',
    ],
    ['AsciiDoc: its own names', adoc(':boat: Stormcock\n\nThe {boat}, {unknown}.'), 'The Stormcock, {unknown}.'],
    [
      'AsciiDoc: listings and notes',
      adoc(
        '.Install\n[source,sh]\n----\nnpm ci # <1>\n----\n<1> Installs\n\n[WARNING]\n====\nHigh waves.\n====\n\nNOTE: No cats.',
      ),
      'Install\n\nnpm ci\n\n- Installs\n\nWARNING:\n\nHigh waves.\n\nNOTE: No cats.',
    ],
    [
      'AsciiDoc: what is struck out and raised',
      adoc('[.line-through]#20 euros# 15 euros, 10^3^ m, H~2~O'),
      '15 euros, 10³ m, H₂O',
    ],
    [
      'reStructuredText: looks',
      rst(`The **red** *flag* is ${tick}${tick}up${tick}${tick}, 2*3*4, a_b_c.`),
      'The red flag is up, 2*3*4, a_b_c.',
    ],
    [
      'reStructuredText: links',
      rst(
        `See ${tick}the page <https://x.example>${tick}_, ${tick}this${tick}_, other_, :ref:${tick}fares <top>${tick}, :doc:${tick}/a${tick}, :py:func:${tick}~a.b${tick} [1]_.\n\n.. [1] Not on Sundays.`,
      ),
      'See the page, this, other, fares, /a, a.b.\n\n[*] Not on Sundays.',
    ],
    [
      'reStructuredText: lists',
      rst('- Nine\n- Ten\n  late\n\n#. First\n2. Second\n\n:Fare: 3 euros\n\n| a\n| b'),
      '- Nine\n- Ten late\n- First\n2. Second\n- Fare: 3 euros\n\na\nb',
    ],
    [
      'reStructuredText: what is not shown',
      rst(
        '.. hidden\n   no\n\n.. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\n.. raw:: html\n\n   <b>no</b>\n\n.. _b: https://x.example\n\nWords.',
      ),
      'Words.',
    ],
    [
      'reStructuredText: its own names',
      rst('.. |boat| replace:: Stormcock\n\nThe |boat|, a|b|c.'),
      'The Stormcock, a|b|c.',
    ],
    [
      'reStructuredText: directives',
      rst(
        '.. note:: No cats.\n   Really.\n\n.. code-block:: sh\n   :linenos:\n\n   npm ci\n\n.. function:: ring(bell)\n\n   Rings *it*.\n\n.. versionadded:: 3.1\n\nRun::\n\n    npm *ci*\n\nThen.',
      ),
      'Note: No cats. Really.\n\nnpm ci\n\nring(bell)\n\nRings it.\n\nVersionadded: 3.1\n\nRun:\n\nnpm *ci*\n\nThen.',
    ],
    [
      'reStructuredText: what is raised',
      rst(`10\\ :sup:${tick}3${tick} m, H\\ :sub:${tick}2${tick}\\ O`),
      '10³ m, H₂O',
    ],
  ])('%s', async (_, text, expected) => {
    expect(textOf(await read(text))).toBe(expected);
  });
});
