import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Gateway, openGateway } from '../gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../gateway/factories.ts';
import { create } from './knowledge.ts';
import { type Site, useSite } from './site.ts';

type Writing = { links?: string[]; head?: string; headers?: Record<string, string>; lang?: string };
type Read = { status: string; reason: string; warnings: string[]; pages: any; texts: string[] };
type SourceSite = {
  site: Site;
  /** Puts a page with a text of its own at a path. */
  put(path: string, text: string, writing?: Writing): void;
  /** Reads a source of the path, and returns it with its pages by their paths. */
  read(path: string, type?: string, data?: object): Promise<Read>;
};

const seen = `query ($id: ID!) { base(id: $id) { sources { nodes { status reason warnings
  pages(first: 100) { nodes { url status reason depth } } passages(first: 100) { nodes { text } } } } } }`;

/** A site that a gateway reads as a source, for all tests of a file. */
export function useSourceSite(): SourceSite {
  const site = useSite();
  let gateway: Gateway;
  let home: TestWorkspace;
  beforeAll(async () => {
    const { host } = new URL(site.url('/'));
    gateway = await openGateway({ FETCH_ALLOW_HOSTS: host, CRAWL_DELAY_MS: '0', CRAWL_MAX_DEPTH: '3' });
    home = await makeWorkspace(gateway);
    await gateway.work();
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    site.pages.clear();
    site.visits.clear();
  });
  return {
    site,
    put(path, text, { links = [], head = '', headers = {}, lang } = {}) {
      const more = links.map((link) => `<a href="${link}">more</a>`).join('');
      const body = `<html${lang === undefined ? '' : ` lang="${lang}"`}><head><title>${text}</title>${head}</head><body><main><h1>${text}</h1><p>The words of ${text}.</p></main><nav>${more}</nav></body></html>`;
      site.pages.set(path, { body, headers });
    },
    async read(path, type = 'site', data) {
      const input = { description: 'Site', sources: [{ type, file: { url: site.url(path), data } }] };
      const { id } = (await gateway.data(home.editor, create, { input })).createBase.base;
      await gateway.services.queue.idle();
      const [source] = (await gateway.data(home.viewer, seen, { id })).base.sources.nodes;
      const entries = source.pages.nodes.map((page: any) => {
        const url = new URL(page.url);
        return [url.pathname + url.search, page];
      });
      const texts = source.passages.nodes.map(({ text }: any) => text);
      return { ...source, pages: Object.fromEntries(entries), texts };
    },
  };
}
