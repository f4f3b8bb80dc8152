import { hiddenSheetsWarning, hiddenSlidesWarning, hiddenTextWarning } from '../hidden.ts';
import { elements, parseXml } from '../xml.ts';

/** The properties of a style that hide what has it. */
const hiding = [
  ['style:text-properties', 'text:display', 'none'],
  ['style:table-properties', 'table:display', 'false'],
  ['style:drawing-page-properties', 'presentation:visibility', 'hidden'],
] as const;

/**
 * Removes what a document hides: text, sheets, and the content of slides, which keep their numbers. Returns sentences
 * that say how much.
 */
export function removeHidden(content: Document, stylesXml: string | undefined): string[] {
  const hides = hidingStyles([content, ...(stylesXml ? [parseXml(stylesXml)] : [])]);
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

/** Tells whether a style, or one that it is based on, hides. */
function hidingStyles(documents: Document[]): (name: string | null) => boolean {
  const styles = new Map<string, { base: string; hides: boolean | undefined }>();
  for (const style of documents.flatMap((document) => elements(document, 'style:style'))) {
    const values = hiding.map(([element, attribute, value]) => {
      const given = style.getElementsByTagName(element)[0]?.getAttribute(attribute);
      return given ? given === value : undefined;
    });
    styles.set(style.getAttribute('style:name') ?? '', {
      base: style.getAttribute('style:parent-style-name') ?? '',
      hides: values.find((hides) => hides !== undefined),
    });
  }
  return (name) => {
    let style = styles.get(name ?? '');
    for (let steps = 0; style && style.hides === undefined && steps < 10; steps++) style = styles.get(style.base);
    return style?.hides ?? false;
  };
}
