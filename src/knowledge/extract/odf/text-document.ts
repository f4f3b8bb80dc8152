import type { Section } from '../../../search/types.ts';
import { createOutline } from '../outline.ts';
import { elements, parseXml } from '../xml.ts';
import type { Styles } from './styles.ts';
import { linesOfTable } from './tables.ts';
import { boxesIn, paragraphsIn, paragraphText } from './text.ts';

type List = { style: string | null; level: number };

/** Parts of a document that repeat its headings, or are not part of its text. */
const leftOut =
  /^(text:table-of-content|text:tracked-changes|text:sequence-decls|text:variable-decls|office:forms|office:annotation)$/;

/**
 * Divides a text document into sections by its headings, with lists, tables and notes. `parts` are the parts of its
 * file, among them the formulas that it contains.
 */
export function readTextDocument(body: Element, styles: Styles, parts: Map<string, string>): Section[] {
  const outline = createOutline();
  const numbers = new Map<string, number>();

  const walkChildren = (element: Element, list: List | null) => {
    for (const child of element.children) walk(child, list);
  };
  const readParagraph = (paragraph: Element, prefix = '') => {
    const text = [paragraphText(paragraph), ...formulasIn(paragraph, parts)].filter(Boolean).join(' ');
    const level = paragraph.localName === 'text:h' ? Number(paragraph.getAttribute('text:outline-level')) || 1 : null;
    const heading = level ?? (prefix ? null : styles.headingOf(paragraph.getAttribute('text:style-name')));
    if (heading) outline.heading(heading, text);
    else if (text) outline.block(prefix + text, Boolean(prefix));
    for (const box of boxesIn(paragraph)) walkChildren(box, null);
    for (const note of elements(paragraph, 'text:note')) outline.block(noteText(note));
  };
  const walkItem = (item: Element, list: List) => {
    const key = `${list.style} ${list.level}`;
    let prefix = '- ';
    if (item.localName === 'text:list-header') prefix = '';
    else if (styles.isNumbered(list.style, list.level)) {
      const start = Number.parseInt(item.getAttribute('text:start-value') ?? '', 10);
      const number = Number.isNaN(start) ? (numbers.get(key) ?? 0) + 1 : start;
      numbers.set(key, number);
      prefix = `${number}. `;
    }
    for (const child of item.children) {
      if (!/^text:(p|h)$/.test(child.localName)) walk(child, list);
      else {
        readParagraph(child, prefix);
        prefix = '';
      }
    }
  };
  const walkList = (element: Element, outer: List | null) => {
    const list = {
      style: element.getAttribute('text:style-name') ?? outer?.style ?? null,
      level: (outer?.level ?? 0) + 1,
    };
    const goesOn =
      element.getAttribute('text:continue-numbering') === 'true' || element.hasAttribute('text:continue-list');
    if (!goesOn) numbers.delete(`${list.style} ${list.level}`);
    for (const item of element.children) walkItem(item, list);
  };
  const walk = (element: Element, list: List | null): void => {
    const name = element.localName;
    if (leftOut.test(name)) return;
    if (name === 'text:p' || name === 'text:h') readParagraph(element);
    else if (name === 'text:list') walkList(element, list);
    else if (name === 'table:table') for (const line of linesOfTable(element)) outline.block(line, true);
    else walkChildren(element, list);
  };
  walkChildren(body, null);
  return outline.end();
}

/** `[1] The text of the note.` */
function noteText(note: Element): string {
  const [citation] = elements(note, 'text:note-citation');
  const [body] = elements(note, 'text:note-body');
  const text = body ? paragraphsIn(body).join(' ').trim() : '';
  return text && `[${citation?.textContent?.trim() ?? '*'}] ${text}`;
}

/** The formulas in a paragraph as they were typed: `E = m c^2`. */
function formulasIn(paragraph: Element, parts: Map<string, string>): string[] {
  return elements(paragraph, 'draw:object').flatMap((object) => {
    const path = (object.getAttribute('xlink:href') ?? '').replace(/^\.\//, '');
    const xml = parts.get(`${path}/content.xml`);
    const typed = xml?.includes('StarMath') ? parseXml(xml).querySelector('annotation')?.textContent : null;
    return typed?.replace(/\s+/g, ' ').trim() || [];
  });
}
