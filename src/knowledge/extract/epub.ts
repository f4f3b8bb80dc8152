import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import type { Section } from '../../search/types.ts';
import { descriptionOf } from './about.ts';
import { cleanLine } from './clean.ts';
import { readMarkup } from './html/html.ts';
import type { Extracted } from './types.ts';
import { named, parseXml, resolvePart } from './xml.ts';
import { readZip } from './zip.ts';

const container = 'META-INF/container.xml';

/** Reads an EPUB book in reading order; each section has the chapter that the table of contents names. */
export function readEpub(bytes: Uint8Array): Extracted {
  const parts = readZip(bytes, (name) => /\.(xml|opf|ncx|x?html?)$/i.test(name));
  const path = named(parseXml(parts.get(container) ?? ''), 'rootfile')[0]?.getAttribute('full-path') ?? '';
  const xml = parts.get(path);
  if (!xml) throw new ExtractFailure('The book could not be read: it is damaged');
  if (/EncryptedData/.test(parts.get('META-INF/encryption.xml') ?? '') && !readable(parts)) {
    throw new ExtractFailure('The book is locked (DRM)');
  }
  const book = parseXml(xml);
  const items = new Map(named(book, 'item').map((item) => [item.getAttribute('id'), item]));
  const linked = (item: Element | undefined) => resolvePart(path, item?.getAttribute('href') ?? '');
  const contents = [...items.values()].filter(isContents).map(linked);
  const chapters = contents.map((toc) => readContents(parts, toc)).find(({ size }) => size > 0) ?? new Map();
  const sections: Section[] = [];
  let chapter: string | undefined;
  for (const reference of named(book, 'itemref')) {
    const file = linked(items.get(reference.getAttribute('idref')));
    const markup = contents.includes(file) ? undefined : parts.get(file);
    chapter = chapters.get(file) ?? chapter;
    if (markup)
      sections.push(...readMarkup(openTags(markup)).map((section) => ({ ...(chapter && { chapter }), ...section })));
  }
  const textOfName = (name: string) => named(book, name)[0]?.textContent;
  return { ...descriptionOf({ title: textOfName('title'), description: textOfName('description') }), sections };
}

/** Many DRM-free books obfuscate their fonts. */
const readable = (parts: Map<string, string>) =>
  [...parts].some(([name, text]) => /\.x?html?$/i.test(name) && /<\w*:?body[\s>]/i.test(text));

const isContents = (item: Element): boolean =>
  /\bnav\b/.test(item.getAttribute('properties') ?? '') ||
  item.getAttribute('media-type') === 'application/x-dtbncx+xml';

/** Maps each file that starts a chapter to the chapter's name. */
function readContents(parts: Map<string, string>, path: string): Map<string, string> {
  const toc = parseXml(parts.get(path) ?? '');
  const links = named(toc, 'navPoint').map((point): [string, string] => [
    named(point, 'content')[0]?.getAttribute('src') ?? '',
    named(point, 'text')[0]?.textContent ?? '',
  ]);
  const anchors = named(toc, 'a').map((a): [string, string] => [a.getAttribute('href') ?? '', a.textContent ?? '']);
  const entries = [...links, ...anchors].flatMap(([href, text]): [string, string][] => {
    const name = cleanLine(text, 200);
    return href && name ? [[resolvePart(path, href), name]] : [];
  });
  // The first entry for a file is the outermost, so it must win.
  return new Map(entries.toReversed());
}

/** HTML has no `<head/>`: only these elements are void. */
const voidTags = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;
const openTags = (markup: string): string =>
  markup.replace(/<([a-z][\w:-]{0,40})((?:\s[^<>]{0,2000})?)\/>/gi, (tag, name: string, attributes: string) =>
    voidTags.test(name) ? tag : `<${name}${attributes}></${name}>`,
  );
