import { setTimeout as wait } from 'node:timers/promises';
import { FetchFailure } from '../../net/fetch-failure.ts';
import type { FetchAnswer, GuardedFetch } from '../../net/guarded-fetch.ts';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { defineTask } from '../../sandbox/task.ts';
import { runTask } from '../../sandbox/task-runner.ts';
import { hashOf } from '../extract/extract.ts';
import {
  addListed,
  hasLanguage,
  headerHints,
  headerNoindex,
  languageOf,
  pagePath,
  primary,
  versionsOf,
} from '../extract/html/page-hints.ts';
import { pageAddress } from '../extract/links.ts';
import { refreshOf } from '../extract/refresh.ts';
import { contentTask } from '../extract/tasks.ts';
import type { Alternate, Extracted } from '../extract/types.ts';
import type { Robots, readRobots } from './robots.ts';
import type { Listed, readSitemap } from './sitemap.ts';

/** What a crawler parses besides pages, each in a child process. */
const robotsTask = defineTask<typeof readRobots>(new URL('robots.ts', import.meta.url), 'readRobots');
const sitemapTask = defineTask<typeof readSitemap>(new URL('sitemap.ts', import.meta.url), 'readSitemap');

/**
 * The result of visiting a page. `url` is the final one, after redirects; `isGone`: the page no longer exists, or may
 * no longer be read.
 */
export type Visit =
  | ({ outcome: 'read'; url: string; hash: string; extracted: Extracted } & Found)
  | { outcome: 'failed'; reason: string; isTransient: boolean; isGone: boolean; retryAfterMs?: number | null }
  | ({ outcome: 'skipped'; reason: string } & Partial<Found>);

/**
 * The pages of the site that a page leads to. `next`: those that go on where it ends, and `translations`: the page in
 * other languages, both as close to the start.
 */
type Found = { links: string[]; next: string[]; translations: string[] };

type Options = { workspaceId: string; guardedFetch: GuardedFetch; signal: AbortSignal; delayMs: number };

const agent = 'Parley';
const accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5';
const maxPageBytes = 20_000_000;
const maxRobotsBytes = 512_000;
const maxDelayMs = 10_000;
const maxSitemaps = 50;
/** How many times as many pages of sitemaps are looked at as are read, for those in other languages. */
const maxLanguages = 20;
/** How often a page may go on to another by itself. */
const maxRefreshes = 3;

/** Reads the pages of one site, one at a time, obeying its robots.txt. */
export class SiteReader {
  readonly #start: string;
  readonly #options: Options;
  #scope: Scope | null = null;
  #robots: Promise<string> | null = null;
  #delayMs: number;
  #nextAt = 0;
  /** The first page, and its language. */
  #first: { url: string; language: string } | null = null;
  /** Addresses that pages declare to be their own: what these declare is not followed in circles. */
  readonly #canonical = new Set<string>();

  /** `start` is the site's URL; `ended`, if known from an earlier crawl, where it redirected to. */
  constructor(start: string, ended: string | null, options: Options) {
    this.#start = start;
    this.#options = options;
    this.#delayMs = options.delayMs;
    if (ended) this.#scope = scopeOf(ended);
  }

  /** Fetches and reads a page. The final URL of the first page determines the scope of the site. */
  async visit(url: string): Promise<Visit> {
    const { signal, workspaceId } = this.#options;
    try {
      if (!(await this.#mayRead(url))) return forbidden;
      const answer = await this.#fetchPage(url);
      const ended = pageAddress(answer.url, null) ?? answer.url;
      this.#scope ??= scopeOf(ended);
      if (!inScope(ended, this.#scope)) return { outcome: 'skipped', reason: 'It redirects out of the site' };
      if (ended !== url && !(await this.#mayRead(ended))) return forbidden;
      const content = { bytes: answer.bytes, contentType: answer.contentType, url: ended, kind: null, links: true };
      const extracted = await runTask(contentTask, content, { signal, workspaceId });
      const scope = this.#scope;
      const { noindex, next = [], ...hints } = extracted.hints ?? {};
      const header = headerHints(answer.link, ended);
      const canonical = hints.canonical ?? header.canonical;
      const alternates = [...(hints.alternates ?? []), ...(header.alternates ?? [])];
      const declared = { ...hints, ...(canonical && { canonical }), alternates };
      this.#first ??= { url: ended, language: languageOf(declared, ended) };
      const { translations, same } = versionsOf(declared, ended);
      // Many sites name the page of one language for all of them.
      const isKnown = this.#canonical.has(ended) || this.#canonical.has(url) || translations.includes(canonical ?? '');
      if (canonical && !isKnown && inScope(canonical, scope) && isSamePage(canonical, ended, this.#start)) {
        this.#canonical.add(canonical);
        return {
          outcome: 'skipped',
          reason: `It is the same page as ${canonical}`,
          links: [],
          next: [canonical],
          translations: [],
        };
      }
      const found = {
        links: (extracted.links ?? []).filter((link) => inScope(link, scope) && !translations.includes(link)),
        next: [...next, ...same].filter((link) => inScope(link, scope)),
        translations: translations.filter((link) => inScope(link, scope)),
      };
      if (noindex || headerNoindex(answer.robots)) {
        return { outcome: 'skipped', reason: 'Its author asks not to index it (noindex)', ...found };
      }
      return { outcome: 'read', url: ended, hash: hashOf(JSON.stringify(extracted.sections)), extracted, ...found };
    } catch (error) {
      if (signal.aborted || !(error instanceof FetchFailure || error instanceof ExtractFailure)) throw error;
      const isGone = error instanceof FetchFailure && (error.status === 404 || error.status === 410);
      const retryAfterMs = error instanceof FetchFailure ? error.retryAfterMs : null;
      return { outcome: 'failed', reason: error.message, isTransient: error.retryable, isGone, retryAfterMs };
    }
  }

  /**
   * Returns the pages listed in the site's sitemaps, at most `limit` in the language of the first page and as many in
   * others. Unreadable sitemaps are skipped.
   */
  async listed(limit: number): Promise<Pick<Found, 'links' | 'translations'>> {
    const robots = await this.#ask(this.#start);
    const root = this.#scope?.origin ?? this.#start;
    const declared = robots.sitemaps.flatMap((address) => URL.parse(address, root)?.href ?? []);
    const waiting = [...declared, new URL('/sitemap.xml', root).href];
    const known = new Set<string>();
    const pages = new Map<string, Alternate>();
    const most = limit * maxLanguages;
    const ownPages = () => {
      const first = pages.get(this.#first?.url ?? '');
      const own = first && hasLanguage(first) ? primary(first.hreflang) : this.#first?.language;
      return new Set(
        [...pages.values()].filter((page) => !own || !hasLanguage(page) || primary(page.hreflang) === own),
      );
    };
    const isFull = () => pages.size >= most || ownPages().size >= limit;
    for (let url = waiting.shift(); url && known.size < maxSitemaps && !isFull(); url = waiting.shift()) {
      if (known.has(url) || URL.parse(url)?.origin !== this.#scope?.origin) continue;
      known.add(url);
      const found = await this.#readSitemap(url);
      waiting.push(...found.sitemaps);
      for (const page of found.pages)
        if (this.#scope && inScope(page.url, this.#scope) && pages.size < most) addListed(pages, page);
    }
    const own = ownPages();
    const [links, translations] = [true, false].map((is) =>
      [...pages.values()].flatMap((page) => (own.has(page) === is ? page.url : [])).slice(0, limit),
    );
    return { links: links ?? [], translations: translations ?? [] };
  }

  /** Fetches a page, or the one of the site that it goes on to by itself. */
  async #fetchPage(url: string): Promise<FetchAnswer> {
    let answer = await this.#fetch(url, { accept, maxBytes: maxPageBytes });
    for (let hops = 0; hops < maxRefreshes; hops++) {
      const next = refreshOf(answer.bytes, answer.contentType, answer.url);
      if (!next || (this.#scope && !inScope(next, this.#scope)) || !(await this.#mayRead(next))) break;
      answer = await this.#fetch(next, { accept, maxBytes: maxPageBytes });
    }
    return answer;
  }

  async #readSitemap(url: string): Promise<Listed> {
    try {
      const { bytes } = await this.#fetch(url, {
        accept: 'application/xml,text/xml,*/*;q=0.5',
        maxBytes: maxPageBytes,
      });
      return await runTask(sitemapTask, { bytes, url }, this.#options);
    } catch (error) {
      if (this.#options.signal.aborted) throw error;
      return { pages: [], sitemaps: [] };
    }
  }

  async #mayRead(url: string): Promise<boolean> {
    const { allowed, delayMs } = await this.#ask(url);
    this.#delayMs = Math.min(maxDelayMs, Math.max(this.#options.delayMs, delayMs ?? 0));
    return allowed;
  }

  async #ask(url: string): Promise<Robots> {
    const robotsUrl = new URL('/robots.txt', url).href;
    const isStartSite = robotsUrl === new URL('/robots.txt', this.#start).href;
    const text = isStartSite
      ? await (this.#robots ??= this.#fetchRobots(robotsUrl))
      : await this.#fetchRobots(robotsUrl);
    if (!text.trim()) return noRules;
    return runTask(robotsTask, { text, robotsUrl, agent, url }, this.#options);
  }

  /**
   * Fetches a host's robots.txt, as RFC 9309 has it: a status of 3xx or 4xx means that there are no rules, any other
   * failure that nothing may be read. The first 512 kB count. 408 and 429 are asked again, as if the server had failed.
   */
  async #fetchRobots(url: string): Promise<string> {
    try {
      const accept = 'text/plain,*/*;q=0.5';
      const { bytes, cut } = await this.#fetch(url, { accept, maxBytes: maxRobotsBytes, cut: true });
      const text = new TextDecoder().decode(bytes);
      return cut ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      const { status, retryable, message } = error;
      if (status !== null && status < 500 && !retryable) return '';
      this.#robots = null;
      throw new FetchFailure(`Its robots.txt could not be read: ${message}`, { retryable });
    }
  }

  async #fetch(url: string, options: { accept: string; maxBytes: number; cut?: boolean }): Promise<FetchAnswer> {
    const { guardedFetch, signal } = this.#options;
    const pause = this.#nextAt - performance.now();
    if (pause > 0) await wait(pause, undefined, { signal });
    try {
      return await guardedFetch(url, { ...options, signal, timeoutMs: 30_000 });
    } finally {
      this.#nextAt = performance.now() + this.#delayMs;
    }
  }
}

/**
 * Whether the address that a page declares to be its own is to be believed: many sites name their start page on each
 * page. One with the same path only differs by marks of a visit or an order.
 */
function isSamePage(canonical: string, url: string, start: string): boolean {
  if (pagePath(canonical) === pagePath(url)) return true;
  return pagePath(canonical) !== '' && pagePath(canonical) !== pagePath(start);
}

const noRules: Robots = { allowed: true, delayMs: null, sitemaps: [] };
const forbidden: Visit = {
  outcome: 'failed',
  reason: 'Its robots.txt disallows it',
  isTransient: false,
  isGone: true,
};

/** A site: the pages of one origin at a path or below it. */
type Scope = { origin: string; path: string };

/**
 * The site that a URL stands for, i.e. its folder: `/docs/` and `/docs/index.html` give `/docs/`; `/docs` includes
 * `/docs` itself.
 */
function scopeOf(address: string): Scope {
  const { origin, pathname } = new URL(address);
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  return { origin, path: last.includes('.') ? pathname.slice(0, -last.length) : pathname };
}

/** Whether a URL belongs to a site. */
function inScope(address: string, { origin, path }: Scope): boolean {
  const url = URL.parse(address);
  if (!url || url.origin !== origin) return false;
  return url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}
