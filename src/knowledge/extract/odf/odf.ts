import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import type { Section } from '../../../search/types.ts';
import { descriptionOf } from '../about.ts';
import { count } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import { elements, parseXml, propertiesIn } from '../xml.ts';
import { readZip } from '../zip.ts';
import { applyFormatting } from './formatting.ts';
import { removeHidden } from './hidden.ts';
import { readSheets } from './sheets.ts';
import { readSlides } from './slides.ts';
import { stylesOf } from './styles.ts';
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
