import { expect, test } from 'vitest';
import { readMarkup } from '../../../src/knowledge/extract/html/html.ts';
import { extractHtml, textOf } from '../../support/knowledge/extract-source.ts';

const quadratic =
  '<mfrac><mrow><mo>−</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup><mo>−</mo><mn>4</mn><mi>a</mi><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>';
const sum =
  '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub>';
const withTex = (row: string, tex: string) =>
  `<semantics><mrow>${row}</mrow><annotation encoding="application/x-tex">${tex}</annotation></semantics>`;

const cases: [string, string, string][] = [
  ['a power', '<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>', 'E = mc^2'],
  [
    'of Wikipedia, hidden behind a picture',
    `<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;"><math alttext="{x}">${withTex(quadratic, '{x}')}</math></span><img src="x.svg" class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{x}"></span>`,
    '(−b ± √(b^2 − 4ac))/(2a)',
  ],
  [
    'of KaTeX, hidden behind what it draws',
    `<span class="katex"><span class="katex-mathml"><math>${withTex(sum, '\\sum x_i')}</math></span><span class="katex-html" aria-hidden="true">∑xi</span></span>`,
    '∑_(i = 1)^n x_i',
  ],
  [
    'of MathJax 3',
    '<mjx-container><mjx-math aria-hidden="true"><mjx-c>x</mjx-c></mjx-math><mjx-assistive-mml><math><mi>x</mi><mo>≤</mo><mroot><mi>y</mi><mn>3</mn></mroot></math></mjx-assistive-mml></mjx-container>',
    'x ≤ 3√(y)',
  ],
  [
    'a limit, a function and a sign',
    '<math><munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder><mi>sin</mi><mo>\u2061</mo><mi>x</mi><mo>=</mo><mo>-</mo><mn>1</mn></math>',
    'lim_(x → 0) sin x = -1',
  ],
  [
    'a matrix',
    '<math><mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable><mo>)</mo></math>',
    '(1, 0; 0, 1)',
  ],
  [
    'a binomial',
    '<math><mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></math>',
    '(n over k)',
  ],
  [
    'a product of sums over a number',
    '<math><mfrac><mrow><mo>(</mo><mi>a</mi><mo>)</mo><mo>+</mo><mo>(</mo><mi>b</mi><mo>)</mo></mrow><mn>2</mn></mfrac></math>',
    '((a) + (b))/2',
  ],
  ['a mean', '<math><mover><mi>x</mi><mo>¯</mo></mover><mo>+</mo><mtext>cost of it</mtext></math>', 'x̄ + cost of it'],
  [
    'of names that objects have',
    '<math><mover><mi>x</mi><mtext>constructor</mtext></mover><constructor>y</constructor></math>',
    'x^(constructor)y',
  ],
  ['with nothing but its description', '<math alttext="x over y"><mphantom><mi>x</mi></mphantom></math>', 'x over y'],
];

test.each(cases)('an equation is one line of text: %s', async (_, math, text) => {
  const page = `<p>The cost is ${math} a day.</p>`;
  expect(textOf(await extractHtml(`<main><h1>Costs</h1>${page}</main>`))).toBe(`The cost is ${text} a day.`);
  expect(readMarkup(page)).toEqual([{ text: `The cost is ${text} a day.` }]);
});

test('one that stands by itself is a paragraph of its own', async () => {
  const page = '<main><p>So it is:</p><math display="block"><mi>a</mi><mo>=</mo><mi>b</mi></math><p>Done.</p></main>';
  expect(textOf(await extractHtml(page))).toBe('So it is:\n\na = b\n\nDone.');
});

test('one that nests without end is its letters', async () => {
  const deep = `<math>${'<msup>'.repeat(900)}${'<mi>x</mi>'.repeat(12_000)}${'</msup>'.repeat(900)}</math>`;
  expect(textOf(await extractHtml(`<main><p>${deep}</p></main>`))).toBe('x'.repeat(12_000));
});

test('equations in equations are written once, in no more time', async () => {
  const nested = `${'<math>'.repeat(900)}${'<mi>x</mi>'.repeat(3_000)}${'</math>'.repeat(900)}`;
  expect(textOf(await extractHtml(`<main><p>${nested}</p></main>`))).toBe('x'.repeat(3_000));
});
