import { scriptDigits } from '../script-digits.ts';
import { elements } from '../xml.ts';
import { inherited } from './styles.ts';

const blank = /^text:(s|tab|line-break)$/;

/**
 * Removes what a document strikes out, and writes the numbers that it raises or lowers in such digits. `documents`: see
 * `inherited`.
 */
export function applyFormatting(content: Document, documents: Document[]): void {
  const strikes = inherited(documents, strikesItself);
  const raises = inherited(documents, raisesItself);
  for (const name of ['text:p', 'text:h', 'text:span']) {
    for (const element of elements(content, name)) {
      if (strikes(element.getAttribute('text:style-name'))) removeStruck(element, strikes);
    }
  }
  for (const span of elements(content, 'text:span')) {
    const how = raises(span.getAttribute('text:style-name'));
    const text = how ? scriptDigits(span.textContent ?? '', how) : null;
    if (text !== null) span.textContent = text;
  }
}

/** Removes the text of a struck element and its notes, but neither boxes nor what has a style that is not struck. */
function removeStruck(element: Element, strikes: (style: string | null) => boolean | undefined): void {
  for (const child of element.childNodes) {
    const name = child.nodeType === 1 ? (child as Element).localName : '';
    if (child.nodeType === 3 || blank.test(name) || name === 'text:note') (child as ChildNode).remove();
    else if (name && !name.startsWith('draw:') && strikes((child as Element).getAttribute('text:style-name')) !== false)
      removeStruck(child as Element, strikes);
  }
}

function strikesItself(style: Element): boolean | undefined {
  const properties = style.getElementsByTagName('style:text-properties')[0];
  const given = ['style', 'type'].flatMap((name) => properties?.getAttribute(`style:text-line-through-${name}`) || []);
  return given.length > 0 ? given.some((look) => look !== 'none') : undefined;
}

/** Null if a style says that it neither raises nor lowers. */
function raisesItself(style: Element): 'sup' | 'sub' | null | undefined {
  const position = style.getElementsByTagName('style:text-properties')[0]?.getAttribute('style:text-position');
  if (!position) return undefined;
  return /^(super|[1-9])/.test(position) ? 'sup' : /^(sub|-)/.test(position) ? 'sub' : null;
}
