import { pageAddress } from '../links.ts';

/** What a page says about itself to those who crawl its site. Addresses are absolute. */
export type PageHints = {
  /** Its author asks not to index it. */
  noindex?: boolean;
  /** The address that it is known by, if that is another one. */
  canonical?: string;
  /** The pages that go on where it ends, such as the next ones of a list. */
  next?: string[];
};

/** Reads the hints in a page at `url`. */
export function hintsOf(document: Document, url: string | null): PageHints {
  const robots = [...document.querySelectorAll('meta[name="robots" i], meta[name="parley" i]')]
    .map((meta) => meta.getAttribute('content') ?? '')
    .join(',');
  const base =
    URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url ?? undefined)?.href ?? url;
  const addressOf = (element: Element | null) => pageAddress(element?.getAttribute('href') ?? '', base);
  const canonical = addressOf(document.querySelector('link[rel~="canonical" i][href]'));
  const declared = [...document.querySelectorAll('link[rel~="next" i][href], a[rel~="next" i][href]')];
  const pagers = url ? [...document.querySelectorAll('a[href]')].slice(0, 5_000) : [];
  const next = [
    ...declared.flatMap((link) => addressOf(link) ?? []),
    ...pagers.flatMap((link) => {
      const address = addressOf(link);
      return address && url && isOtherPage(address, url) ? address : [];
    }),
  ];
  return {
    ...(/\b(noindex|none)\b/i.test(robots) && { noindex: true }),
    ...(canonical && canonical !== url && { canonical }),
    ...(next.length > 0 && { next: [...new Set(next)] }),
  };
}

/** Whether a header `X-Robots-Tag` asks everybody not to index the page; what it asks a named robot is not for us. */
export function headerNoindex(header: string | undefined): boolean {
  let isForAll = true;
  return (header ?? '').split(',').some((part) => {
    const [, robot, rule] = /^\s*(?:([\w-]+)\s*:\s*)?(.*?)\s*$/.exec(part) ?? [];
    if (robot && !/^(unavailable_after|max-)/i.test(robot)) isForAll = /^(parley|\*)$/i.test(robot);
    return isForAll && /^(noindex|none)$/i.test(rule ?? '');
  });
}

/** The address that a header `Link` names as that of the page at `url` (`<…>; rel="canonical"`); null if it is its own. */
export function headerCanonical(header: string | undefined, url: string): string | null {
  for (const [, address = '', parameters = ''] of (header ?? '').slice(0, 10_000).matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    if (!/(?:^|\s)canonical(?:\s|$)/i.test(quoted ?? bare ?? '')) continue;
    const canonical = pageAddress(address, url);
    return canonical === url ? null : canonical;
  }
  return null;
}

const parameter = /^(page|paged|p|pg|pagina|página|seite|offset|start)$/i;
const segment = /\/(page|p|pagina|seite)[/-]?\d{1,6}(?=\/|$)/i;

/** Whether two addresses are pages of one list: `?page=2` and `?page=3`, `/news/page/2` and `/news`. */
function isOtherPage(address: string, url: string): boolean {
  const [one, other] = [listOf(address), listOf(url)];
  return address !== url && one.isNumbered && one.list === other.list;
}

function listOf(address: string): { list: string; isNumbered: boolean } {
  const url = new URL(address);
  const path = url.pathname.replace(segment, '');
  const numbers = [...url.searchParams].filter(([name, value]) => parameter.test(name) && /^\d{1,7}$/.test(value));
  for (const [name] of numbers) url.searchParams.delete(name);
  return {
    list: `${url.origin}${path.replace(/\/$/, '')}?${url.searchParams}`,
    isNumbered: numbers.length > 0 || path !== url.pathname,
  };
}
