import { DOMParser } from 'linkedom';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { refuseCostlyXml } from './html-limits.ts';

/** An XML part of a file. Names keep their prefix, as in `a:p`. Throws `ExtractFailure` for one that would take long. */
export function parseXml(xml: string): Document {
  refuseCostlyXml(xml);
  try {
    return new DOMParser().parseFromString(xml, 'text/xml') as unknown as Document;
  } catch (error) {
    throw new ExtractFailure('The file could not be read: it is damaged', { cause: error });
  }
}

/** The elements of a name, in the order of the document. */
export const elements = (root: Document | Element, name: string): Element[] => [...root.getElementsByTagName(name)];

/** The elements of a name, whatever their prefix. */
export const named = (root: Document | Element, name: string): Element[] =>
  [...root.querySelectorAll('*')].filter(({ localName }) => localName === name || localName.endsWith(`:${name}`));

/** The text of the first element of a name. */
export const textOf = (root: Document | Element, name: string): string | undefined =>
  root.getElementsByTagName(name)[0]?.textContent ?? undefined;

/** What a file of Office says of itself in `docProps/core.xml`. */
export function coreProperties(xml: string | undefined): {
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

/** A path inside a ZIP file, from a link (`../media/a.xml#x`) in the part at `from`. */
export function resolvePart(from: string, link: string): string {
  const url = URL.parse(link, `zip:///${from}`);
  try {
    return decodeURIComponent(url?.pathname.slice(1) ?? '');
  } catch {
    return url?.pathname.slice(1) ?? '';
  }
}
