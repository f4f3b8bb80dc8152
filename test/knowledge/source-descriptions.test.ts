import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { type BaseSeen, useKnowledge } from '../support/knowledge/knowledge.ts';
import { useSite } from '../support/knowledge/site.ts';

const gateway = useGateway();
const site = useSite();
const { change, home, make, page, put, settle } = useKnowledge(gateway, site);

const titled = (title: string, text = 'Open from nine.', about = title) =>
  `<html><head><title>${title}</title><meta name="description" content="About ${about}"></head>
  <body><main><h1>Shop</h1><p>${text}</p></main></body></html>`;
const shown = ({ sources }: BaseSeen) =>
  sources.nodes.map(({ file }: { file: { title: string; description: string } }) => [file.title, file.description]);
async function readAgain(base: BaseSeen): Promise<BaseSeen> {
  for (const { id } of base.sources.nodes) await change('retrySource', { id });
  return settle(base.id);
}

describe('what a source says of itself', () => {
  test('is what it says now, and what was given stays', async () => {
    site.pages.set('/told', { body: titled('Summer') });
    const sources = [page('/told'), page('/told', { title: 'Mine' })];
    const base = await settle((await make(sources)).id);
    expect(shown(base)).toEqual([
      ['Summer', 'About Summer'],
      ['Mine', 'About Summer'],
    ]);
    site.pages.set('/told', { body: titled('Winter') });
    expect(shown(await readAgain(base))).toEqual([
      ['Winter', 'About Winter'],
      ['Mine', 'About Winter'],
    ]);
    site.pages.set('/told', { body: '<p>Closed.</p>' });
    expect((await readAgain(base)).sources.nodes[0].file.title).toBe(null);
  });

  test.each(['', '<title> </title>'])('is its heading where a page has no title: %j', async (head) => {
    const html = `<html><head>${head}</head><body><main><h1>House rules</h1><p>No shoes.</p></main></body></html>`;
    const { sources } = await settle((await make([{ type: 'page', file: { data: { html } } }])).id);
    expect(sources.nodes[0].file.title).toBe('House rules');
  });

  test('goes behind what is given later, and comes back without it', async () => {
    site.pages.set('/later', { body: titled('Summer') });
    const { id } = await settle((await make([page('/later')])).id);
    await put(id, [page('/later', { title: 'Mine' })]);
    expect(shown(await settle(id))).toEqual([['Mine', 'About Summer']]);
    await put(id, [page('/later')]);
    expect(shown(await settle(id))).toEqual([['Summer', 'About Summer']]);
  });

  test('is that of the first page for a site, and each page is cited under its title of now', async () => {
    const start = (title: string) => titled(title).replace('</main>', '</main><a href="/held/hours">Hours</a>');
    site.pages.set('/held/', { body: start('Summer') });
    site.pages.set('/held/hours', { body: titled('Hours', 'Closed on Mondays.') });
    const base = await settle((await make([{ type: 'site', file: { url: site.url('/held/') } }])).id);
    expect(shown(base)).toEqual([['Summer', 'About Summer']]);
    site.pages.set('/held/', { body: start('Winter') });
    site.pages.set('/held/hours', { body: titled('Hours in winter', 'Closed on Mondays.') });
    expect(shown(await readAgain(base))).toEqual([['Winter', 'About Winter']]);
    const passages = `query ($id: ID!) { base(id: $id) { records passages(first: 10) { nodes { place } } } }`;
    const { records, passages: read } = (await gateway.data(home.viewer, passages, { id: base.id })).base;
    const titles = read.nodes.map(({ place }: { place: { title: string } }) => place.title);
    expect([records, titles.toSorted()]).toEqual([2, ['Hours in winter', 'Winter']]);
  });
});
