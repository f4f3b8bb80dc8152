import { convertToHtml, images } from 'mammoth';
import { lazy } from '../../../core/lazy.ts';
import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { descriptionOf } from '../about.ts';
import { cleanLine } from '../clean.ts';
import { grouped, lowered, rootOf, superscript } from '../equations.ts';
import { hiddenTextWarning } from '../hidden-warnings.ts';
import { readMarkup } from '../html/html.ts';
import { count } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import { drawnLines, elements, parseXml, propertiesIn, relationsOf } from '../xml.ts';
import { decodeXml } from '../xml-encoding.ts';
import { readZip, withXmlOnly } from '../zip.ts';
import { escapeXml, findElements, replaceElements } from './docx-spans.ts';

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

type TextParts = Map<string, string>;

/**
 * Rewrites the text boxes and SmartArt of a Word document to the old form of boxes, which mammoth reads: their
 * paragraphs follow the paragraph that contains them. Word writes each box twice, for newer and older programs; only
 * one is kept.
 */
function withTextBoxes(xml: string, path: string, parts: TextParts): string {
  const links = lazy(() => relationsOf(parts, path));
  const readDiagram = (id: string): string => diagram(parts.get(links().get(id) ?? ''));
  const asBox = (drawing: string): string => {
    const newer = findElements(drawing, 'mc:Choice')[0] ?? drawing;
    const texts = findElements(newer, 'w:txbxContent');
    const ids = Array.from(newer.matchAll(/<dgm:relIds\s[^<>]*?r:dm="([^"]{1,100})"/g), ([, id = '']) => id);
    const boxes = [...texts, ...ids.map(readDiagram)].filter(Boolean);
    return boxes.length > 0 ? `<w:pict>${boxes.join('')}</w:pict>` : drawing;
  };
  return replaceElements(replaceElements(xml, 'mc:AlternateContent', asBox), 'w:drawing', asBox);
}

/** The texts of a diagram, one paragraph each, in document order. */
function diagram(xml: string | undefined): string {
  if (!xml) return '';
  const texts = elements(parseXml(xml), 'dgm:pt').flatMap((point) => {
    const isNode = /^(node|asst)?$/.test(point.getAttribute('type') ?? '');
    return (isNode && cleanLine(drawnLines(point).join(' '))) || [];
  });
  const paragraphs = texts.map((text) => `<w:p><w:r><w:t>${escapeXml(text)}</w:t></w:r></w:p>`);
  return paragraphs.length > 0 ? `<w:txbxContent>${paragraphs.join('')}</w:txbxContent>` : '';
}

/** Text boxes nest paragraphs in paragraphs; hidden text that is deeper is kept. */
const maxDepth = 5;

/** Whether text in a style is hidden, by the style's id; undefined if neither it nor its base styles say. */
type HiddenStyles = Map<string, boolean>;

/** Reads which styles hide their text, in `word/styles.xml`. */
function hiddenStyles(xml: string | undefined): HiddenStyles {
  const own = new Map<string, { base: string; hides: boolean | undefined }>();
  for (const style of xml?.includes('<w:vanish') ? elements(parseXml(xml), 'w:style') : []) {
    const base = style.getElementsByTagName('w:basedOn')[0]?.getAttribute('w:val') ?? '';
    const vanish = style.getElementsByTagName('w:vanish')[0];
    const hides = vanish && !/^(0|false|off)$/.test(vanish.getAttribute('w:val') ?? '');
    own.set(style.getAttribute('w:styleId') ?? '', { base, hides });
  }
  const styles: HiddenStyles = new Map();
  for (const id of own.keys()) {
    let style = own.get(id);
    for (let steps = 0; style?.hides === undefined && steps < 10; steps++) style = own.get(style?.base ?? '');
    if (style?.hides !== undefined) styles.set(id, style.hides);
  }
  return styles;
}

/** Removes the hidden text (`w:vanish`) of a Word document. `passages`: in how many paragraphs there was some. */
function withoutHidden(xml: string, styles: HiddenStyles): { xml: string; passages: number } {
  if (!xml.includes('<w:vanish') && styles.size === 0) return { xml, passages: 0 };
  let passages = 0;
  const shown = (part: string, depth: number): string =>
    replaceElements(part, 'w:p', (paragraph) => {
      const [properties] = /^<w:p[\s>][^<]*<w:pPr>[\s\S]*?<\/w:pPr>/.exec(paragraph) ?? [];
      const isHidden = styles.get(/<w:pStyle w:val="([^"]*)"/.exec(properties ?? '')?.[1] ?? '') ?? false;
      let hasHidden = false;
      const kept = replaceElements(paragraph, 'w:r', (run) => {
        if (hides(run, styles) ?? isHidden) {
          hasHidden ||= /<w:t(\s[^>]*)?>[^<]*\S[^<]*</.test(run);
          return '';
        }
        return depth < maxDepth && run.includes('<w:txbxContent') ? shown(run, depth + 1) : run;
      });
      if (hasHidden) passages++;
      return kept;
    });
  return { xml: shown(xml, 0), passages };
}

/** Whether a run says that it is hidden, or its style does. */
function hides(run: string, styles: HiddenStyles): boolean | undefined {
  const properties = /^<w:r(?:\s[^>]*)?>\s*<w:rPr>([\s\S]*?)<\/w:rPr>/.exec(run)?.[1] ?? '';
  const vanish = /<w:vanish(?:\s+w:val="([^"]*)")?\s*\/>/.exec(properties);
  if (vanish) return !/^(0|false|off)$/.test(vanish[1] ?? '');
  return styles.get(/<w:rStyle w:val="([^"]*)"/.exec(properties)?.[1] ?? '');
}

/** Rewrites the equations of a Word document as linear text: `x = (−b + √(b^2 − 4ac))/(2a)`. */
function withEquations(xml: string): string {
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
