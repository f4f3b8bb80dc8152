import { gunzipSync } from 'node:zlib';
import { addListed } from '../extract/html/page-hints.ts';
import { pageAddress } from '../extract/links.ts';
import type { Alternate } from '../extract/types.ts';
import { named, parseXml } from '../extract/xml.ts';

const maxBytes = 50_000_000;

/** What a sitemap lists. `hreflang` of a page is empty if it is not declared. */
export type Listed = { pages: Alternate[]; sitemaps: string[] };

/**
 * Returns the pages that a sitemap lists, and the sitemaps that a sitemap index lists. Accepts gzip, lines of
 * addresses, RSS and Atom, and addresses relative to its own.
 */
export function readSitemap({ bytes, url }: { bytes: Uint8Array; url: string }): Listed {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const xml = new TextDecoder().decode(packed ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes);
  if (!/^[\ufeff\s]*</.test(xml))
    return { pages: pagesOf(xml.replace(/^\ufeff/, '').split(/\r\n?|\n/), [], url), sitemaps: [] };
  const sitemap = parseXml(xml);
  const located = (name: string) =>
    named(sitemap, name).flatMap((entry) => {
      const [loc] = [...entry.children].filter((child) => /(^|:)loc$/.test(child.localName));
      return loc?.textContent?.trim() ?? [];
    });
  // `<xhtml:link rel="alternate" hreflang="de" href="…"/>`: the page of the entry in another language.
  const translations = named(sitemap, 'url').flatMap((entry) =>
    [...entry.children].flatMap((child) => {
      const [hreflang, href] = [child.getAttribute('hreflang'), child.getAttribute('href')];
      return hreflang && href ? { url: href, hreflang: hreflang.trim().toLowerCase() } : [];
    }),
  );
  const feed = [...named(sitemap, 'item'), ...named(sitemap, 'entry')].flatMap((entry) => {
    const links = [...entry.children].filter((child) => child.localName === 'link');
    const link = links.find((each) => /^(alternate|)$/.test(each.getAttribute('rel') ?? '')) ?? links[0];
    return link?.getAttribute('href') ?? link?.textContent?.trim() ?? [];
  });
  return {
    pages: pagesOf([...located('url'), ...feed], translations, url),
    sitemaps: located('sitemap').flatMap((address) => URL.parse(address, url)?.href ?? []),
  };
}

/** The pages of addresses and of translations, each once, with the language that any entry declares. */
function pagesOf(lines: string[], translations: Alternate[], base: string): Alternate[] {
  const pages = new Map<string, Alternate>();
  const addressed = lines.map((line) => ({ url: line.startsWith('#') ? '' : line, hreflang: '' }));
  for (const { url: address, hreflang } of [...addressed, ...translations]) {
    const url = address.trim() && pageAddress(address, base);
    if (url) addListed(pages, { url, hreflang });
  }
  return [...pages.values()];
}
