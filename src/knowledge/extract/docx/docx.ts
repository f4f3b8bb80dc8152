import { convertToHtml, images } from 'mammoth';
import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { descriptionOf } from '../about.ts';
import { hiddenTextWarning } from '../hidden-warnings.ts';
import { readMarkup } from '../html/html.ts';
import { count } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import { propertiesIn } from '../xml.ts';
import { decodeXml } from '../xml-encoding.ts';
import { readZip, withXmlOnly } from '../zip.ts';
import { withTextBoxes } from './docx-boxes.ts';
import { hiddenStyles, withoutHidden } from './docx-hidden.ts';
import { withEquations } from './docx-math.ts';

const styles = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"];

/** Reads a Word document, divided by its headings, with lists and tables. Rejects with `ExtractFailure`. */
export async function readDocx(bytes: Uint8Array): Promise<Extracted> {
  const core = readZip(bytes, (name) => name === 'docProps/core.xml').get('docProps/core.xml');
  try {
    let [pictures, passages] = [0, 0];
    const change = (parts: Parts) => {
      const readable = withWords(parts);
      ({ pictures, passages } = readable);
      return readable.parts;
    };
    const { value } = await convertToHtml(
      { buffer: Buffer.from(withXmlOnly(bytes, change).buffer) },
      { styleMap: styles, ignoreEmptyParagraphs: true, externalFileAccess: false, convertImage: noImages },
    );
    const warnings = [
      ...hiddenTextWarning(passages),
      ...(pictures ? [`${count(pictures, 'picture is', 'pictures are')} not read`] : []),
    ];
    return { ...descriptionOf(propertiesIn(core)), sections: readMarkup(value), warnings };
  } catch (error) {
    if (error instanceof ExtractFailure) throw error;
    throw new ExtractFailure('The Word document could not be read: it is damaged', { cause: error });
  }
}

type Parts = Record<string, Uint8Array>;

const readable =
  /^word\/(document\d*\.xml|(footnotes|endnotes|styles)\.xml|_rels\/document\d*\.xml\.rels|diagrams\/data\d*\.xml)$/;

/**
 * Rewrites the parts of a document so that mammoth also finds the text of equations, text boxes and diagrams, and does
 * not find hidden text. A double strike becomes a single one, which it knows.
 */
function withWords(parts: Parts): { parts: Parts; pictures: number; passages: number } {
  const texts = new Map(
    Object.entries(parts)
      .filter(([name]) => readable.test(name))
      .map(([name, part]) => [name, decodeXml(part)]),
  );
  const styles = hiddenStyles(texts.get('word/styles.xml'));
  const changed = { ...parts };
  let [pictures, passages] = [0, 0];
  for (const [name, xml] of texts) {
    if (!/^word\/(document|footnotes|endnotes)/.test(name)) continue;
    const isBody = name.startsWith('word/document');
    if (isBody) pictures += xml.match(/<pic:pic[\s/>]/g)?.length ?? 0;
    const shown = withoutHidden(isBody ? withTextBoxes(xml, name, texts) : xml, styles);
    passages += shown.passages;
    const words = withSingleStrikes(isBody ? withEquations(shown.xml) : shown.xml);
    if (words !== xml)
      changed[name] = new TextEncoder().encode(words.replace(/^(<\?xml[^>]*?)\sencoding="[^"]*"/, '$1'));
  }
  return { parts: changed, pictures, passages };
}

/** A run says of each kind of strike whether it has it; mammoth takes the first. */
const withSingleStrikes = (xml: string): string =>
  xml.replace(/<w:d?strike\s+w:val="(0|false|off)"\s*\/>/g, '').replace(/<w:dstrike(?=[\s/>])/g, '<w:strike');

// By default, pictures are inlined into the markup as base64.
const noImages = images.imgElement(async () => ({ src: '' }));
