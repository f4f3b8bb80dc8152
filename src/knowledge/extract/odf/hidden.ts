import { hiddenSheetsWarning, hiddenSlidesWarning, hiddenTextWarning } from '../hidden-warnings.ts';
import { elements } from '../xml.ts';
import { inherited } from './styles.ts';

/** The properties of a style that hide what has it. */
const hiding = [
  ['style:text-properties', 'text:display', 'none'],
  ['style:table-properties', 'table:display', 'false'],
  ['style:drawing-page-properties', 'presentation:visibility', 'hidden'],
] as const;

/**
 * Removes what a document hides: text, sheets, and the content of slides, which keep their numbers. Returns sentences
 * that say how much. `documents`: see `inherited`.
 */
export function removeHidden(content: Document, documents: Document[]): string[] {
  const hides = inherited(documents, hidesItself);
  const slides: number[] = [];
  for (const [index, page] of elements(content, 'draw:page').entries()) {
    if (!hides(page.getAttribute('draw:style-name'))) continue;
    slides.push(index + 1);
    page.replaceChildren();
  }
  const sheets: string[] = [];
  for (const table of elements(content, 'office:spreadsheet').flatMap(({ children }) => [...children])) {
    if (table.localName !== 'table:table' || !hides(table.getAttribute('table:style-name'))) continue;
    sheets.push(table.getAttribute('table:name') ?? '');
    table.remove();
  }
  const texts = ['text:p', 'text:h', 'text:span', 'text:section', 'text:hidden-text', 'text:hidden-paragraph'];
  let passages = 0;
  for (const element of texts.flatMap((name) => elements(content, name))) {
    const name = element.localName;
    const isHidden =
      hides(element.getAttribute('text:style-name')) ||
      (name === 'text:section' && element.getAttribute('text:display') === 'none') ||
      (name.startsWith('text:hidden-') && element.getAttribute('text:is-hidden') !== 'false');
    if (!isHidden) continue;
    const gone = name === 'text:hidden-paragraph' ? (element.closest('text\\:p') ?? element) : element;
    if (gone.textContent?.trim() && content.contains(gone)) passages++;
    gone.remove();
  }
  return [...hiddenSheetsWarning(sheets), ...hiddenSlidesWarning(slides), ...hiddenTextWarning(passages)];
}

/** Whether a style itself says that it hides. */
function hidesItself(style: Element): boolean | undefined {
  const values = hiding.map(([element, attribute, value]) => {
    const given = style.getElementsByTagName(element)[0]?.getAttribute(attribute);
    return given ? given === value : undefined;
  });
  return values.find((hides) => hides !== undefined);
}
