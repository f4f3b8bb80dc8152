import { gunzipSync } from 'node:zlib';
import { pageAddress } from '../extract/links.ts';
import { elements, parseXml, textOf } from '../extract/xml.ts';

const maxBytes = 50_000_000;

/** Returns the pages that a sitemap lists, and the sitemaps that a sitemap index lists. Accepts gzip. */
export function readSitemap({ bytes, url }: { bytes: Uint8Array; url: string }): {
  pages: string[];
  sitemaps: string[];
} {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const xml = new TextDecoder().decode(packed ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes);
  const sitemap = parseXml(xml);
  const located = (name: string) => elements(sitemap, name).flatMap((entry) => textOf(entry, 'loc')?.trim() ?? []);
  return {
    pages: located('url').flatMap((address) => pageAddress(address, url) ?? []),
    sitemaps: located('sitemap').flatMap((address) => URL.parse(address, url)?.href ?? []),
  };
}
