import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { descriptionOf } from '../about.ts';
import { cleanLine, cleanText } from '../clean.ts';
import { readMarkup, readOwnMarkup } from '../html/html.ts';
import { refusals } from '../kind.ts';
import { createOutline } from '../outline.ts';
import { count } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import { named, parseXml } from '../xml.ts';
import { isDocument, markupOf, mayBeDocument } from './xml-document.ts';

/** The name of the first element of XML, without its prefix; null for text that is none. */
export function rootOf(text: string): string | null {
  const start = text
    .slice(0, 8_192)
    .replace(/^\ufeff/, '')
    .replace(/^(\s|<\?[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(\[[^\]]*\])?[^>]*>)+/i, '');
  const isDeclared = /^\ufeff?\s*<(\?xml\s|!DOCTYPE\s+(?!html[\s>]))/i.test(text.slice(0, 100));
  const [, name = null] = /^<(?:[\w.-]+:)?([\w.-]+)[\s/>]/.exec(start) ?? [];
  return isDeclared || /^(svg|FictionBook|TEI|rss|feed|tt|kml|gpx)$/.test(name ?? '') ? name : null;
}

/** Reads XML as what it is: a document or book, a feed, or names and values. Throws `ExtractFailure`. */
export function readXml(text: string, root: string): Extracted {
  if (root === 'svg') throw new ExtractFailure(refusals.media);
  const book = mayBeDocument(root) ? readDocument(text) : null;
  if (book) return { ...book.about, sections: readOwnMarkup(book.markup), warnings: book.warnings };
  const document = parseXml(text);
  if (root === 'rss' || root === 'feed' || root === 'RDF') return readFeed(document);
  if (/^(tt|timedtext)$/.test(root) || /^[^]{0,500}<text start=/.test(text)) return readTimedText(document);
  const office = officeFormats.find(({ namespace }) => text.slice(0, 4_000).includes(namespace));
  if (office) throw new ExtractFailure(`It is ${office.name} as XML: save it as ${office.save}`);
  return readRecords(document.documentElement);
}

/**
 * A document by its headings, as HTML, so that its tree can be freed before that of the HTML is made; null for XML that
 * is none. Pictures, which are in a FictionBook as base64, are left out.
 */
function readDocument(text: string): { about: object; markup: string; warnings: string[] } | null {
  const document = parseXml(text);
  const root = document.documentElement;
  if (!isDocument(root)) return null;
  const textIn = (...names: string[]) => names.flatMap((name) => named(document, name))[0]?.textContent;
  const pictures = named(document, 'binary').length;
  return {
    about: descriptionOf({
      title: textIn('book-title', 'article-title', 'title', 'head'),
      description: textIn('annotation', 'abstract', 'shortdesc'),
    }),
    markup: markupOf(root),
    warnings: pictures ? [`${count(pictures, 'picture is', 'pictures are')} not read`] : [],
  };
}

/** RSS and Atom: each entry under its title. */
function readFeed(document: Document): Extracted {
  const first = (element: Document | Element, ...names: string[]) =>
    names.flatMap((name) => named(element, name)).find(({ textContent }) => textContent?.trim())?.textContent ?? '';
  const sections = [...named(document, 'item'), ...named(document, 'entry')].flatMap((entry) => {
    const heading = cleanLine(first(entry, 'title'), 200);
    const date = first(entry, 'pubDate', 'published', 'updated', 'date').trim();
    const parts = readMarkup(first(entry, 'encoded', 'content', 'description', 'summary'));
    const text = [date, ...parts.map((part) => part.text)].filter(Boolean).join('\n\n');
    return [{ ...(heading && { heading }), text: text || (heading ?? '') }];
  });
  const channel = named(document, 'channel')[0] ?? document;
  return { ...descriptionOf({ title: first(channel, 'title') }), sections };
}

/** What office programs write as one XML file: the names of its elements do not show its rows and paragraphs. */
const officeFormats = [
  { namespace: 'urn:schemas-microsoft-com:office:spreadsheet', name: 'an Excel workbook', save: '.xlsx' },
  { namespace: 'schemas.microsoft.com/office/word/2003/', name: 'a Word document', save: '.docx' },
  { namespace: 'schemas.microsoft.com/office/2006/xmlPackage', name: 'a Word document', save: '.docx' },
  { namespace: 'urn:oasis:names:tc:opendocument:', name: 'an OpenDocument file', save: '.odt, .ods or .odp' },
];

/** Subtitles as XML (TTML, DFXP, those of YouTube): what is said, without times. */
function readTimedText(document: Document): Extracted {
  const isCue = (element: Element) => /(^|:)(p|text)$/.test(element.localName);
  const cues = [...document.querySelectorAll('*')].filter(isCue).map((cue) => {
    for (const pause of named(cue, 'br')) pause.replaceWith(document.createTextNode('\n'));
    return (cue.textContent ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .join('\n');
  });
  return {
    ...descriptionOf({ title: named(document, 'title')[0]?.textContent }),
    sections: [{ text: cleanText(cues.filter(Boolean).join('\n')) }],
  };
}

/** XML of any other kind: the texts and attributes of elements by their names, an element of only such ones a line. */
function readRecords(root: Element | null): Extracted {
  const outline = createOutline();
  const walk = (element: Element): void => {
    const children = [...element.children];
    const isMixed = [...element.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent?.trim());
    if (isMixed || children.length === 0) outline.block(valuesOf(element).join(' | '), true);
    else if (children.every(({ children: inner }) => inner.length === 0) && children.length <= 50) {
      outline.block([...attributesOf(element), ...children.flatMap(valuesOf)].join(' | '), true);
    } else {
      outline.block(attributesOf(element).join(' | '), true);
      for (const child of children) walk(child);
    }
  };
  if (root) walk(root);
  return { sections: outline.end() };
}

function valuesOf(element: Element): string[] {
  const text = cleanLine(element.textContent);
  return [...attributesOf(element), ...(text ? [`${localName(element.localName)}: ${text}`] : [])];
}

const attributesOf = (element: Element): string[] =>
  [...element.attributes].flatMap(({ name, value }) =>
    /^xml(ns)?(:|$)|^xsi:/.test(name) || !value.trim() ? [] : [`${localName(name)}: ${value.trim()}`],
  );

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
