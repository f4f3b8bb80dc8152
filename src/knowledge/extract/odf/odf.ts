import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import type { Section } from '../../../search/types.ts';
import { descriptionOf } from '../about.ts';
import { cleanLine, cleanText } from '../clean.ts';
import { hiddenSheetsWarning, hiddenSlidesWarning, hiddenTextWarning } from '../hidden-warnings.ts';
import { count } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import { elements, parseXml, propertiesIn } from '../xml.ts';
import { readZip } from '../zip.ts';
import { applyFormatting } from './formatting.ts';
import { readSheets } from './sheets.ts';
import { inherited, stylesOf } from './styles.ts';
import { linesOfTable } from './tables.ts';
import { paragraphsIn } from './text.ts';
import { readTextDocument } from './text-document.ts';

const wanted = /^(content\.xml|styles\.xml|meta\.xml|META-INF\/manifest\.xml|Object \d+\/content\.xml)$/;

/**
 * Reads an OpenDocument file: text (.odt), a spreadsheet (.ods), slides (.odp) or a drawing. Throws `ExtractFailure`.
 */
export function readOdf(bytes: Uint8Array): Extracted {
  const parts = readZip(bytes, (name) => wanted.test(name));
  // `encryption-data` may have any prefix.
  if (/[<:]encryption-data[\s>]/.test(parts.get('META-INF/manifest.xml') ?? '')) {
    throw new ExtractFailure('The file is locked with a password');
  }
  const content = parseXml(parts.get('content.xml') ?? '');
  const stylesXml = parts.get('styles.xml');
  const documents = [...(stylesXml ? [parseXml(stylesXml)] : []), content];
  const hidden = removeHidden(content, documents);
  applyFormatting(content, documents);
  const { sections, warnings } = readBody(content, documents, parts);
  const pictures = elements(content, 'draw:image').filter((image) => !isPreview(image)).length;
  const notRead = pictures ? [`${count(pictures, 'picture is', 'pictures are')} not read`] : [];
  return {
    ...descriptionOf(propertiesIn(parts.get('meta.xml'))),
    sections,
    warnings: [...hidden, ...warnings, ...notRead],
  };
}

function readBody(
  content: Document,
  documents: Document[],
  parts: Map<string, string>,
): { sections: Section[]; warnings: string[] } {
  const [text] = elements(content, 'office:text');
  if (text) return { sections: readTextDocument(text, stylesOf(documents), parts), warnings: [] };
  const [spreadsheet] = elements(content, 'office:spreadsheet');
  if (spreadsheet) return readSheets(spreadsheet);
  const [slides] = [...elements(content, 'office:presentation'), ...elements(content, 'office:drawing')];
  if (slides) return { sections: readSlides(slides), warnings: [] };
  throw new ExtractFailure('The OpenDocument file could not be read: it is damaged');
}

/** An embedded object comes with a picture of itself. */
const isPreview = (image: Element): boolean =>
  [...(image.parentElement?.children ?? [])].some(({ localName }) => localName === 'draw:object');

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
function removeHidden(content: Document, documents: Document[]): string[] {
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

const maxHeading = 200;
/** Placeholders for what every slide repeats. */
const repeated = /^(date-time|footer|header|page-number|page)$/;

/** Reads the slides of a presentation or the pages of a drawing: one section each, with the speaker's notes. */
function readSlides(body: Element): Section[] {
  return elements(body, 'draw:page').flatMap((page, index): Section[] => {
    const { title, text } = readShapes(page);
    const heading = cleanLine(title, maxHeading);
    const notes = [...page.children].find(({ localName }) => localName === 'presentation:notes');
    const long = (cleanLine(title)?.length ?? 0) > maxHeading ? title : '';
    const texts = [long, text, notes ? readShapes(notes).text : ''].filter(Boolean);
    const all = cleanText(texts.join('\n\n') || title);
    return all.trim() ? [{ slide: index + 1, ...(heading && { heading }), text: all }] : [];
  });
}

function readShapes(page: Element): { title: string; text: string } {
  let title = '';
  const texts: string[] = [];
  for (const shape of page.children) {
    const kind = shape.getAttribute('presentation:class') ?? '';
    if (shape.localName === 'presentation:notes' || repeated.test(kind)) continue;
    const [table] = elements(shape, 'table:table');
    const text = (table ? linesOfTable(table) : paragraphsIn(shape)).filter((line) => line.trim()).join('\n');
    if (kind === 'title' && !title) title = text;
    else if (text) texts.push(text);
  }
  return { title, text: texts.join('\n\n') };
}
