import { escapeXml, replaceElements } from './docx-spans.ts';
import { parseXml } from './xml.ts';

/** The XML of a Word document with its equations as text in one line: `x = (−b + √(b^2 − 4ac))/(2a)`. */
export function withEquations(xml: string): string {
  if (!xml.includes('<m:oMath')) return xml;
  const lines = replaceElements(xml, 'm:oMath', (math) => {
    const root = parseXml(math).documentElement;
    return `<w:r><w:t xml:space="preserve">${escapeXml(linear(root))}</w:t></w:r>`;
  });
  // The paragraph of an equation holds it as any other holds its words.
  return replaceElements(lines, 'm:oMathParaPr', () => '').replace(/<\/?m:oMathPara(?=[\s>])[^<>]*>/g, '');
}

const child = (element: Element, name: string): string => {
  const found = [...element.children].find(({ localName }) => localName === name);
  return found ? linear(found) : '';
};
/** What is more than one sign or number stands in brackets, where it would be read otherwise. */
const grouped = (text: string): string => (/^([\p{L}\p{M}]|[\d.,]+|\(.*\))?$/u.test(text) ? text : `(${text})`);
const raised = (text: string): string => (text ? `^${grouped(text)}` : '');
const lowered = (text: string): string => (text ? `_${grouped(text)}` : '');

const forms: Record<string, (element: Element) => string> = {
  'm:t': (element) => element.textContent ?? '',
  'm:f': (element) => `${grouped(child(element, 'm:num'))}/${grouped(child(element, 'm:den'))}`,
  'm:sSup': (element) => grouped(child(element, 'm:e')) + raised(child(element, 'm:sup')),
  'm:sSub': (element) => grouped(child(element, 'm:e')) + lowered(child(element, 'm:sub')),
  'm:sSubSup': (element) =>
    grouped(child(element, 'm:e')) + lowered(child(element, 'm:sub')) + raised(child(element, 'm:sup')),
  'm:rad': (element) => {
    const degree = child(element, 'm:deg');
    return `${degree ? `${grouped(degree)}√` : '√'}(${child(element, 'm:e')})`;
  },
  'm:nary': (element) => {
    const sign = value(element, 'm:chr') ?? '∫';
    return `${sign}${lowered(child(element, 'm:sub'))}${raised(child(element, 'm:sup'))} ${child(element, 'm:e')}`;
  },
  'm:d': (element) => {
    const inner = [...element.children].filter(({ localName }) => localName === 'm:e').map(linear);
    return `${value(element, 'm:begChr') ?? '('}${inner.join(', ')}${value(element, 'm:endChr') ?? ')'}`;
  },
  'm:func': (element) => `${child(element, 'm:fName')} ${child(element, 'm:e')}`,
  'm:mr': (element) => `${[...element.children].map(linear).join(', ')}; `,
};

/** What the properties of an element say, such as the sign of a sum. */
const value = (element: Element, name: string): string | undefined =>
  element.getElementsByTagName(name)[0]?.getAttribute('m:val') ?? undefined;

function linear(element: Element): string {
  const form = forms[element.localName];
  if (form) return form(element);
  return element.localName.endsWith('Pr') ? '' : [...element.children].map(linear).join('');
}
