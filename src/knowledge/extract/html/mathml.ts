import { grouped, lowered, rootOf, superscript } from '../equations.ts';
import { nameOf } from './html-text.ts';

/** More are left out, and an equation of more letters or elements is its letters in a row, which bounds the time. */
const maxEquations = 10_000;
const maxLength = 10_000;

/**
 * Replaces the equations of a page (MathML, also where KaTeX, MathJax or Wikipedia hide it behind what they draw) by
 * linear text.
 */
export function writeEquations(document: Document): void {
  for (const math of [...document.querySelectorAll('math')].slice(0, maxEquations)) {
    // What is in another equation was written with it.
    if (math.parentElement?.closest('math')) continue;
    const letters = math.textContent ?? '';
    const isLong = letters.length > maxLength || math.getElementsByTagName('*').length > maxLength;
    const text = isLong ? letters : linear(math) || (math.getAttribute('alttext') ?? '');
    let outermost: Element = math;
    for (let holder = outermost.parentElement; holder && isDrawnFor(holder); holder = outermost.parentElement)
      outermost = holder;
    const isBlock = math.getAttribute('display') === 'block';
    const line = document.createElement(isBlock ? 'div' : 'span');
    line.textContent = text.replace(/\s+/g, ' ').trim();
    outermost.replaceWith(line);
  }
}

/** Whether an element is there for an equation alone: hidden behind what is drawn instead, or drawn by MathJax. */
const isDrawnFor = (element: Element): boolean =>
  nameOf(element).startsWith('mjx-') || (nameOf(element) === 'span' && element.childNodes.length === 1);

const partsOf = (element: Element): string[] => [...element.children].map(linear);
/** The children one after the other; names of several letters, such as `sin`, stand apart. */
function inARow(element: Element): string {
  let row = '';
  let before = '';
  for (const part of partsOf(element)) {
    const isName = /^\p{L}{2,}$/u.test(before)
      ? /^[\p{L}\d]/u.test(part)
      : /^\p{L}{2,}$/u.test(part) && /\p{L}$/u.test(before);
    row += isName ? ` ${part}` : part;
    before = part || before;
  }
  return row;
}
const firstOf = (element: Element): string => partsOf(element)[0] ?? '';
const nothing = () => '';

/** Accents that stand above a letter, as the characters that follow it. */
const accents: Record<string, string> = { '¯': '\u0304', '‾': '\u0304', '^': '\u0302', '~': '\u0303', '˙': '\u0307' };
/** Operators that stand between two terms: with spaces, as `x = −b + 2`. Those that no one sees are left out. */
const between = /^[=<>≤≥≠≈≡∼≃∝→←↔⇒⇔∈∉⊂⊆∪∩∧∨+−\-±∓×÷·⋅∗]$/;
/** After these, a minus is a sign. */
const opens = /^[([{|,;]$|^[=<>≤≥≠≈→⇒+−\-±×÷·]$/;
const unseen = /[\u2061-\u2064\u200b]/g;

const forms: Record<string, (element: Element) => string> = {
  mi: tokenOf,
  mn: tokenOf,
  ms: tokenOf,
  mtext: (element) => (element.textContent ?? '').replace(/\s+/g, ' '),
  mo(element) {
    const sign = tokenOf(element);
    const before = element.previousElementSibling;
    const isPrefix = !before || !element.nextElementSibling || (nameOf(before) === 'mo' && opens.test(tokenOf(before)));
    return between.test(sign) && !isPrefix ? ` ${sign} ` : sign;
  },
  mspace: () => ' ',
  mphantom: nothing,
  annotation: nothing,
  'annotation-xml': nothing,
  // The first child is what is shown.
  semantics: firstOf,
  maction: firstOf,
  mfrac(element) {
    const [above = '', below = ''] = partsOf(element);
    // Without a line, it is a binomial coefficient, in parentheses of its own.
    return Number.parseFloat(element.getAttribute('linethickness') ?? '') === 0
      ? `${above} over ${below}`
      : `${grouped(above)}/${grouped(below)}`;
  },
  msqrt: (element) => rootOf(inARow(element)),
  mroot(element) {
    const [base = '', degree] = partsOf(element);
    return rootOf(base, degree);
  },
  msup: (element) => scripted(element, ['above']),
  msub: (element) => scripted(element, ['below']),
  msubsup: (element) => scripted(element, ['below', 'above']),
  munder: (element) => scripted(element, ['below']),
  munderover: (element) => scripted(element, ['below', 'above']),
  mover(element) {
    const [base = '', above = ''] = partsOf(element);
    const accent = Object.hasOwn(accents, above) ? accents[above] : null;
    return accent && base.length === 1 ? base + accent : scripted(element, ['above']);
  },
  mtable: (element) => partsOf(element).join('; '),
  mtr: (element) => partsOf(element).join(', '),
  mlabeledtr: (element) => partsOf(element).slice(1).join(', '),
  mfenced(element) {
    const fence = (name: string, usual: string) => (element.getAttribute(name) ?? usual).slice(0, 4);
    const [open, close] = [fence('open', '('), fence('close', ')')];
    return `${open}${partsOf(element).join(', ')}${close}`;
  },
};

function linear(element: Element): string {
  const name = nameOf(element).replace(/^.*:/, '');
  const form = Object.hasOwn(forms, name) ? forms[name] : null;
  if (form) return form(element);
  return element.children.length > 0 ? inARow(element) : tokenOf(element);
}

function tokenOf(element: Element): string {
  return (element.textContent ?? '').replace(unseen, '').trim();
}

function scripted(element: Element, positions: ('above' | 'below')[]): string {
  const [base = '', ...scripts] = partsOf(element);
  const written = positions.map((position, at) => (position === 'below' ? lowered : superscript)(scripts[at] ?? ''));
  // A sign or a name, as that of a sum or a limit, has no parentheses.
  const isSign = (element.firstElementChild && nameOf(element.firstElementChild) === 'mo') || /^\p{L}{2,}$/u.test(base);
  return isSign ? `${base.trim()}${written.join('')} ` : `${grouped(base)}${written.join('')}`;
}
