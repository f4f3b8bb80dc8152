/** The levels of the commands that begin a part of a document. */
export const levels: Record<string, number> = {
  part: 1,
  chapter: 2,
  section: 3,
  subsection: 4,
  subsubsection: 5,
  paragraph: 6,
  subparagraph: 7,
  frametitle: 4,
};

/** How many arguments follow commands whose arguments are not text. */
export const dropped: Record<string, number> = Object.fromEntries(
  [
    'documentclass usepackage RequirePackage label ref pageref eqref autoref cref Cref nameref cite citep citet citealp parencite textcite autocite footcite nocite index glossary vspace hspace vskip hskip pagestyle thispagestyle bibliography bibliographystyle addbibresource hypersetup geometry setcounter:2 addtocounter:2 setlength:2 addtolength:2 color definecolor:3 colorbox fontsize:2 selectlanguage hypertarget hyperlink href textcolor foreignlanguage rule:2 raisebox parbox resizebox:2 scalebox rotatebox graphicspath newtheorem:2 newenvironment:3 renewenvironment:3 newcounter newlength theoremstyle captionsetup lstset sisetup DeclareMathOperator:2 author date institute affil affiliation email hyphenation input@path phantom hphantom vphantom addcontentsline:3 markboth:2 markright pagenumbering fancyhead fancyfoot lhead rhead cfoot titleformat:5 usetheme usecolortheme includepdf column',
  ]
    .join(' ')
    .split(' ')
    .map((each) => each.split(':'))
    .map(([name = '', number]) => [name, Number(number ?? 1)]),
);

/** Signs that stand before a letter, or commands, as the character that combines with it. */
export const accents: Record<string, string> = {
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '"': '\u0308',
  '~': '\u0303',
  '=': '\u0304',
  '.': '\u0307',
  c: '\u0327',
  v: '\u030c',
  u: '\u0306',
  H: '\u030b',
  r: '\u030a',
  k: '\u0328',
  d: '\u0323',
  b: '\u0331',
};

/** Commands and signs that stand for a text. */
export const texts: Record<string, string> = {
  '--': '–',
  '---': '—',
  '``': '“',
  "''": '”',
  textbackslash: '\\',
  textasciitilde: '~',
  textasciicircum: '^',
  textless: '<',
  textgreater: '>',
  textbar: '|',
  textendash: '–',
  textemdash: '—',
  textquoteleft: '‘',
  textquoteright: '’',
  textquotedblleft: '“',
  textquotedblright: '”',
  textbullet: '•',
  textdegree: '°',
  texteuro: '€',
  euro: '€',
  EUR: '€',
  pounds: '£',
  textsterling: '£',
  copyright: '©',
  textregistered: '®',
  texttrademark: '™',
  S: '§',
  P: '¶',
  ss: 'ß',
  ae: 'æ',
  AE: 'Æ',
  oe: 'œ',
  OE: 'Œ',
  o: 'ø',
  O: 'Ø',
  l: 'ł',
  L: 'Ł',
  aa: 'å',
  AA: 'Å',
  i: 'ı',
  j: 'ȷ',
  LaTeX: 'LaTeX',
  TeX: 'TeX',
  LaTeXe: 'LaTeX2e',
  quad: ' ',
  qquad: ' ',
  space: ' ',
  checkmark: '✓',
};
