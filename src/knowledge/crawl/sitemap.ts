import { gunzipSync } from 'node:zlib';
import { pageAddress } from '../extract/links.ts';
import { named, parseXml } from '../extract/xml.ts';

const maxBytes = 50_000_000;

/**
 * Returns the pages that a sitemap lists, and the sitemaps that a sitemap index lists. Accepts gzip, lines of addresses,
 * RSS and Atom, and addresses relative to its own.
 */
export function readSitemap({ bytes, url }: { bytes: Uint8Array; url: string }): {
  pages: string[];
  sitemaps: string[];
} {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const xml = new TextDecoder().decode(packed ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes);
  if (!/^[\ufeff\s]*</.test(xml))
    return { pages: addresses(xml.replace(/^\ufeff/, '').split(/\r\n?|\n/), url), sitemaps: [] };
  const sitemap = parseXml(xml);
  const located = (name: string) =>
    named(sitemap, name).flatMap((entry) => {
      const [loc] = [...entry.children].filter((child) => /(^|:)loc$/.test(child.localName));
      return loc?.textContent?.trim() ?? [];
    });
  // `<xhtml:link rel="alternate" hreflang="de" href="…"/>`: the page of the entry in another language.
  const translations = named(sitemap, 'url').flatMap((entry) =>
    [...entry.children].flatMap((child) => (child.hasAttribute('hreflang') ? (child.getAttribute('href') ?? []) : [])),
  );
  const feed = [...named(sitemap, 'item'), ...named(sitemap, 'entry')].flatMap((entry) => {
    const links = [...entry.children].filter((child) => child.localName === 'link');
    const link = links.find((each) => /^(alternate|)$/.test(each.getAttribute('rel') ?? '')) ?? links[0];
    return link?.getAttribute('href') ?? link?.textContent?.trim() ?? [];
  });
  return {
    pages: [...new Set(addresses([...located('url'), ...feed, ...translations], url))],
    sitemaps: located('sitemap').flatMap((address) => URL.parse(address, url)?.href ?? []),
  };
}

const addresses = (lines: string[], url: string): string[] =>
  lines.flatMap((line) => (line.trim() && !line.startsWith('#') ? (pageAddress(line, url) ?? []) : []));
