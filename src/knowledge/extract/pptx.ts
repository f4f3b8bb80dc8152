import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import type { Section } from '../../search/types.ts';
import { descriptionOf } from './about.ts';
import { cleanLine, cleanText } from './clean.ts';
import { hiddenSlidesWarning } from './hidden-warnings.ts';
import { count } from './ranges.ts';
import { tableLines } from './tables/table-lines.ts';
import type { Extracted } from './types.ts';
import { drawnLines, elements, parseXml, propertiesIn, relationsOf } from './xml.ts';
import { readZip } from './zip.ts';

const maxHeading = 200;
const presentation = 'ppt/presentation.xml';
const wanted =
  /^(docProps\/core\.xml|ppt\/(_rels\/)?presentation\.xml(\.rels)?|ppt\/(slides|notesSlides)\/.*\.(xml|rels))$/;

/** Reads a PowerPoint presentation: one section per slide, in presentation order, with the speaker's notes. */
export function readPptx(bytes: Uint8Array): Extracted {
  const parts = readZip(bytes, (name) => wanted.test(name));
  const deck = parts.get(presentation);
  if (!deck) throw new ExtractFailure('The presentation could not be read: it is damaged');
  const links = relationsOf(parts, presentation);
  const slides = elements(parseXml(deck), 'p:sldId').map((slide) => links.get(slide.getAttribute('r:id') ?? '') ?? '');
  const isHidden = (path: string) => /<p:sld(?=\s)[^>]*\sshow="(0|false)"/.test(parts.get(path)?.slice(0, 4_096) ?? '');
  const hiddenSlides = slides.flatMap((path, index) => (isHidden(path) ? [index + 1] : []));
  const sections = slides.flatMap((path, index) => (isHidden(path) ? [] : readSlide(parts, path, index + 1)));
  if (slides.length > 0 && hiddenSlides.length === slides.length) throw new ExtractFailure('All its slides are hidden');
  const shown = slides.filter((path) => !isHidden(path));
  const pictures = shown.reduce((sum, path) => sum + (parts.get(path)?.match(/<p:pic[\s>]/g)?.length ?? 0), 0);
  const warnings = [
    ...hiddenSlidesWarning(hiddenSlides),
    ...(pictures ? [`${count(pictures, 'picture is', 'pictures are')} not read`] : []),
  ];
  return { ...descriptionOf(propertiesIn(parts.get('docProps/core.xml'))), sections, warnings };
}

function readSlide(parts: Map<string, string>, path: string, slide: number): Section[] {
  const xml = parts.get(path);
  if (!xml) return [];
  const shapes = readShapes(parseXml(xml));
  const heading = cleanLine(shapes.title, maxHeading);
  const notesPath = [...relationsOf(parts, path).values()].find((target) => target.startsWith('ppt/notesSlides/'));
  const notes = notesPath && parts.get(notesPath);
  const long = (cleanLine(shapes.title)?.length ?? 0) > maxHeading ? shapes.title : '';
  const texts = [long, shapes.text, notes ? readShapes(parseXml(notes)).text : ''].filter(Boolean);
  const text = cleanText(texts.join('\n\n') || shapes.title);
  return text.trim() ? [{ slide, ...(heading && { heading }), text }] : [];
}

/** The title and the remaining text of a slide, without slide number, date and footer. */
function readShapes(slide: Document): { title: string; text: string } {
  let title = '';
  const texts: string[] = [];
  for (const shape of [...elements(slide, 'p:sp'), ...elements(slide, 'a:tbl')]) {
    const kind = shape.getElementsByTagName('p:ph')[0]?.getAttribute('type') ?? '';
    if (/^(sldNum|dt|ftr|hdr|sldImg)$/.test(kind)) continue;
    const text = (elements(shape, 'a:tr').length > 0 ? linesOfTable(shape) : linesOf(shape)).join('\n');
    if (!title && /^(title|ctrTitle)$/.test(kind)) title = text;
    else if (text.trim()) texts.push(text);
  }
  return { title, text: texts.join('\n\n') };
}

function linesOfTable(table: Element): string[] {
  const isNamed = table.getElementsByTagName('a:tblPr')[0]?.getAttribute('firstRow') === '1';
  const rows = elements(table, 'a:tr').map((row, index) => ({
    cells: elements(row, 'a:tc').map((cell, column) => ({ text: linesOf(cell).join(' '), column, span: 1 })),
    isHeader: isNamed && index === 0,
  }));
  return tableLines(rows);
}

const linesOf = (shape: Element): string[] => drawnLines(shape).filter((line) => line.trim());
