import { pageAddress } from '../links.ts';
import type { Alternate, PageHints } from '../types.ts';

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
  const language = document.querySelector('html')?.getAttribute('lang')?.trim().toLowerCase();
  const mayFollow = !/\b(nofollow|none)\b/i.test(robots);
  const versions = [...document.querySelectorAll('link[rel~="alternate" i][hreflang][href]')].slice(0, maxAlternates);
  const alternates = versions.flatMap((link) => {
    const address = addressOf(link);
    return address && mayFollow
      ? { url: address, hreflang: (link.getAttribute('hreflang') ?? '').trim().toLowerCase() }
      : [];
  });
  return {
    ...(/\b(noindex|none)\b/i.test(robots) && { noindex: true }),
    ...(canonical && canonical !== url && { canonical }),
    ...(next.length > 0 && { next: [...new Set(next)] }),
    ...(language && { language }),
    ...(alternates.length > 0 && { alternates }),
  };
}

/**
 * The language of the page at `url`, without its region: that of the declared address that is its own, but for marks of
 * a visit. Otherwise `lang`, unless no declared page has it, as in a template of another language.
 */
export function languageOf({ language = '', canonical, alternates = [] }: PageHints, url: string): string {
  const tagged = alternates.filter(hasLanguage);
  const named = primary(language);
  const isTheirs = tagged.some(({ hreflang }) => primary(hreflang) === named);
  const declared = tagged.find((each) => each.url === canonical)?.hreflang;
  return primary(ownOf(tagged, url)?.hreflang ?? (isTheirs ? named : (declared ?? named)));
}

/**
 * The addresses of a page in other languages than its own, and in `same` those of its language where its own address
 * is for `x-default` only.
 */
export function versionsOf(hints: PageHints, url: string): { translations: string[]; same: string[] } {
  const { alternates = [] } = hints;
  const language = languageOf(hints, url);
  const own = ownOf(alternates, url);
  const same = alternates.filter(({ hreflang }) => primary(hreflang) === language).map((each) => each.url);
  const others = [...new Set(alternates.map((each) => each.url))].filter((each) => each !== url && each !== own?.url);
  return {
    translations: others.filter((each) => !same.includes(each)),
    same: own?.hreflang === 'x-default' ? others.filter((each) => same.includes(each)) : [],
  };
}

/** Adds a page that is listed, with the language that any entry declares. */
export function addListed(pages: Map<string, Alternate>, page: Alternate): void {
  const known = pages.get(page.url);
  if (!known || !hasLanguage(known)) pages.set(page.url, page);
}

export const hasLanguage = ({ hreflang }: Alternate): boolean => !/^(x-default|)$/.test(hreflang);

/** `de` for `de-AT`, `de_AT` and `deu`. */
export function primary(language: string): string {
  const tag = language.replaceAll('_', '-');
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return tag.split('-')[0] ?? '';
  }
}

/** The path of an address, without what servers take for the same. */
export const pagePath = (address: string): string =>
  new URL(address).pathname
    .replace(/;[^/]*/g, '')
    .replace(/\/(index\.\w{3,5})?$/, '')
    .toLowerCase();

/** The alternate that is the page at `url`. */
const ownOf = (alternates: Alternate[], url: string): Alternate | undefined =>
  alternates.filter((each) => isVersion(url, each.url)).toSorted((a, b) => weightOf(b, url) - weightOf(a, url))[0];

/** Whether `url` is `address` with more parameters. Languages may have hosts of their own. */
function isVersion(url: string, address: string): boolean {
  const [given, declared] = [new URL(url), new URL(address)];
  if (hostOf(given) !== hostOf(declared) || pagePath(address) !== pagePath(url)) return false;
  return [...declared.searchParams].every(([name, value]) => given.searchParams.getAll(name).includes(value));
}

const hostOf = ({ host }: URL): string => host.replace(/^www\./, '');

/** The more parameters, the nearer; `x-default` stands beside the address of a language. */
const weightOf = (alternate: Alternate, url: string): number =>
  new URL(alternate.url).searchParams.size +
  (alternate.url === url ? 0.5 : 0) +
  (alternate.hreflang === 'x-default' ? 0 : 0.25);

/** Whether a header `X-Robots-Tag` asks everybody not to index the page; what it asks a named robot is not for us. */
export function headerNoindex(header: string | undefined): boolean {
  let isForAll = true;
  return (header ?? '').split(',').some((part) => {
    const [, robot, rule] = /^\s*(?:([\w-]+)\s*:\s*)?(.*?)\s*$/.exec(part) ?? [];
    if (robot && !/^(unavailable_after|max-)/i.test(robot)) isForAll = /^(parley|\*)$/i.test(robot);
    return isForAll && /^(noindex|none)$/i.test(rule ?? '');
  });
}

/** What a header `Link` says of the page at `url` (`<…>; rel="canonical"`, `<…>; rel="alternate"; hreflang="de"`). */
export function headerHints(header: string | undefined, url: string): Pick<PageHints, 'canonical' | 'alternates'> {
  const links = [...(header ?? '').slice(0, 10_000).matchAll(/<([^<>]*)>([^<]*)/g)].flatMap(
    ([, address = '', parameters = '']) => {
      const [rel = '', hreflang = ''] = ['rel', 'hreflang'].map((name) => parameterOf(parameters, name).toLowerCase());
      const target = pageAddress(address, url);
      return target ? { url: target, rel: rel.split(/\s+/), hreflang } : [];
    },
  );
  const canonical = links.find(({ rel }) => rel.includes('canonical'))?.url;
  const alternates = links.filter(({ rel, hreflang }) => hreflang && rel.includes('alternate'));
  return {
    ...(canonical && canonical !== url && { canonical }),
    alternates: alternates.slice(0, maxAlternates).map(({ url, hreflang }) => ({ url, hreflang })),
  };
}

function parameterOf(parameters: string, name: string): string {
  const [, quoted, bare] = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;,"]+))`, 'i').exec(parameters) ?? [];
  return quoted ?? bare ?? '';
}

const maxAlternates = 200;
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
