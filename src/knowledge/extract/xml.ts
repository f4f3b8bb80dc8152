import { DOMParser } from 'linkedom';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { refuseCostlyXml } from './html/html-limits.ts';
import { scriptDigits } from './script-digits.ts';

/** Parses XML. Names keep their prefix, as in `a:p`. Throws `ExtractFailure` if it is malformed or too costly. */
export function parseXml(xml: string): Document {
  refuseCostlyXml(xml);
  try {
    return new DOMParser().parseFromString(xml, 'text/xml') as unknown as Document;
  } catch (error) {
    throw new ExtractFailure('The file could not be read: it is damaged', { cause: error });
  }
}

/** The elements with a given name, in document order. */
export const elements = (root: Document | Element, name: string): Element[] => [...root.getElementsByTagName(name)];

/** The elements with a given local name, whatever their prefix. */
export const named = (root: Document | Element, name: string): Element[] =>
  [...root.querySelectorAll('*')].filter(({ localName }) => localName === name || localName.endsWith(`:${name}`));

/** The text of the first element with a given name. */
const textOf = (root: Document | Element, name: string): string | undefined =>
  root.getElementsByTagName(name)[0]?.textContent ?? undefined;

/** The title and description in the `docProps/core.xml` of an Office file, or the `meta.xml` of an OpenDocument one. */
export function propertiesIn(xml: string | undefined): {
  title?: string | undefined;
  description?: string | undefined;
} {
  if (!xml) return {};
  const properties = parseXml(xml);
  return {
    title: textOf(properties, 'dc:title'),
    description: textOf(properties, 'dc:description') || textOf(properties, 'dc:subject'),
  };
}

/** Resolves a link (`../media/a.xml#x`) in the part `from` to a path inside the ZIP file. */
export function resolvePart(from: string, link: string): string {
  const url = URL.parse(link, `zip:///${from}`);
  try {
    return decodeURIComponent(url?.pathname.slice(1) ?? '');
  } catch {
    return url?.pathname.slice(1) ?? '';
  }
}

/** The targets of the relationships of a part of an Office file, by id. */
export function relationsOf(parts: Map<string, string>, path: string): Map<string, string> {
  const xml = parts.get(path.replace(/([^/]+)$/, '_rels/$1.rels'));
  const links = xml ? elements(parseXml(xml), 'Relationship') : [];
  return new Map(
    links.map((link) => [link.getAttribute('Id') ?? '', resolvePart(path, link.getAttribute('Target') ?? '')]),
  );
}

/** The text of each paragraph of a drawing in an Office file, without what is struck out. */
export const drawnLines = (shape: Element): string[] =>
  elements(shape, 'a:p').map((line) => elements(line, 'a:t').map(drawnText).join(''));

function drawnText(run: Element): string {
  const text = run.textContent ?? '';
  const look = run.parentElement?.getElementsByTagName('a:rPr')[0];
  if (/^(sng|dbl)Strike$/.test(look?.getAttribute('strike') ?? '')) return '';
  const baseline = Number.parseInt(look?.getAttribute('baseline') ?? '', 10) || 0;
  return (baseline && scriptDigits(text, baseline > 0 ? 'sup' : 'sub')) || text;
}
