const maxLinks = 5_000;
/** Extensions that are not pages of text; files that people read, such as PDFs, are not listed. */
const notPages =
  /\.(css|js|mjs|json|xml|rss|atom|png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|mp[34]|m4[av]|webm|ogg|wav|mov|avi|zip|gz|tgz|rar|7z|exe|dmg|apk|woff2?|ttf|eot)$/i;

/**
 * Returns the URLs that a page links to and allows to follow, without duplicates and fragments. None if the page is
 * nofollow.
 */
export function linksOf(document: Document, url: string | null): string[] {
  const robots = document.querySelector('meta[name="robots" i]')?.getAttribute('content') ?? '';
  if (/\b(nofollow|none)\b/i.test(robots)) return [];
  const base =
    URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url ?? undefined)?.href ?? url;
  const found = new Set<string>();
  for (const anchor of document.querySelectorAll('a[href], area[href]')) {
    if (found.size >= maxLinks) break;
    if (/\bnofollow\b/i.test(anchor.getAttribute('rel') ?? '')) continue;
    const link = pageAddress(anchor.getAttribute('href') ?? '', base);
    if (link) found.add(link);
  }
  return [...found];
}

/** The canonical URL of a page: without fragment and campaign parameters. Null if it is not a page. */
export function pageAddress(href: string, base: string | null): string | null {
  const url = URL.parse(href.trim(), base ?? undefined);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || notPages.test(url.pathname))
    return null;
  url.hash = '';
  const marks = url.searchParams.keys().filter((key) => /^(utm_\w+|fbclid|gclid)$/.test(key));
  for (const key of marks.toArray()) url.searchParams.delete(key);
  return url.href.length <= 2_000 ? url.href : null;
}
