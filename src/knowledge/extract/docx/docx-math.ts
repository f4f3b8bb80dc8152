import { grouped, lowered, rootOf, superscript } from '../equations.ts';
import { parseXml } from '../xml.ts';
import { escapeXml, replaceElements } from './docx-spans.ts';

/** Rewrites the equations of a Word document as linear text: `x = (−b + √(b^2 − 4ac))/(2a)`. */
export function withEquations(xml: string): string {
  if (!xml.includes('<m:oMath')) return xml;
  const lines = replaceElements(xml, 'm:oMath', (math) => {
    const root = parseXml(math).documentElement;
    return `<w:r><w:t xml:space="preserve">${escapeXml(linear(root))}</w:t></w:r>`;
  });
  // Unwrap the paragraph of an equation, so that its text is read like any other.
  return replaceElements(lines, 'm:oMathParaPr', () => '').replace(/<\/?m:oMathPara(?=[\s>])[^<>]*>/g, '');
}

const child = (element: Element, name: string): string => {
  const found = [...element.children].find(({ localName }) => localName === name);
  return found ? linear(found) : '';
};

const forms: Record<string, (element: Element) => string> = {
  'm:t': (element) => element.textContent ?? '',
  'm:f': (element) => `${grouped(child(element, 'm:num'))}/${grouped(child(element, 'm:den'))}`,
  'm:sSup': (element) => grouped(child(element, 'm:e')) + superscript(child(element, 'm:sup')),
  'm:sSub': (element) => grouped(child(element, 'm:e')) + lowered(child(element, 'm:sub')),
  'm:sSubSup': (element) =>
    grouped(child(element, 'm:e')) + lowered(child(element, 'm:sub')) + superscript(child(element, 'm:sup')),
  'm:rad': (element) => rootOf(child(element, 'm:e'), child(element, 'm:deg')),
  'm:nary': (element) => {
    const sign = value(element, 'm:chr') ?? '∫';
    return `${sign}${lowered(child(element, 'm:sub'))}${superscript(child(element, 'm:sup'))} ${child(element, 'm:e')}`;
  },
  'm:d': (element) => {
    const inner = [...element.children].filter(({ localName }) => localName === 'm:e').map(linear);
    return `${value(element, 'm:begChr') ?? '('}${inner.join(', ')}${value(element, 'm:endChr') ?? ')'}`;
  },
  'm:func': (element) => `${child(element, 'm:fName')} ${child(element, 'm:e')}`,
  'm:mr': (element) => `${[...element.children].map(linear).join(', ')}; `,
};

/** The value of a property, such as the sign of a sum. */
const value = (element: Element, name: string): string | undefined =>
  element.getElementsByTagName(name)[0]?.getAttribute('m:val') ?? undefined;

function linear(element: Element): string {
  const form = forms[element.localName];
  if (form) return form(element);
  return element.localName.endsWith('Pr') ? '' : [...element.children].map(linear).join('');
}
