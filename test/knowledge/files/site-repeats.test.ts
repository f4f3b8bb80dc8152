import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RepeatCounter } from '../../../src/knowledge/crawl/repeats.ts';
import { type Gateway, openGateway } from '../../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../../support/gateway/factories.ts';
import { create } from '../../support/knowledge/knowledge.ts';
import { useSite } from '../../support/knowledge/site.ts';
import { someOf } from '../../support/random/cases.ts';

const site = useSite();
let gateway: Gateway;
let home: TestWorkspace;
beforeAll(async () => {
  gateway = await openGateway({ FETCH_ALLOW_HOSTS: new URL(site.url('/')).host, CRAWL_DELAY_MS: '0' });
  home = await makeWorkspace(gateway);
  await gateway.work();
});
afterAll(() => gateway.close());
beforeEach(() => site.pages.clear());

const topics = ['ferry', 'quay', 'luggage', 'weather', 'kitchen', 'cabin', 'captain', 'harbour'];
const facts = (topic: string) =>
  [
    `The ${topic} opens at nine from May to September, and at ten in winter; the ${topic} is closed on the first of January.`,
    `Ask at the desk of the ${topic} for the key, which costs a deposit of twelve euros, and bring it back before you leave.`,
    `Dogs may come to the ${topic} on a lead, and sleep beside it; cats stay in their baskets wherever the ${topic} is.`,
  ] as const;

type Words = { title: string; text: readonly string[] };
const paragraphs = (text: readonly string[]) => text.map((each) => `<p>${each}</p>`).join('');
/** What named programs write around the words of a page, within the element of its words, as its markup is kept. */
const frameworks: Record<string, [write: (words: Words) => string, repeats: string[]]> = {
  Docusaurus: [
    ({ title, text }) =>
      `<div id="__docusaurus"><div class="theme-announcement-bar"><div>Version 4 is out</div></div><div class="main-wrapper"><main><div class="docItemContainer_x"><article><div class="tocCollapsible_x"><button>On this page</button></div><div class="theme-doc-markdown markdown"><header><h1>${title}</h1></header>${paragraphs(text)}</div><div class="theme-doc-footer"><div class="row"><div class="col"><a href="/edit">Edit this page</a></div><div class="col lastUpdated_x">Last updated by the harbour office</div></div></div></article></div></main></div></div>`,
    ['Edit this page', 'Last updated by the harbour office'],
  ],
  Zendesk: [
    ({ title, text }) =>
      `<main><section class="article-container"><article class="article"><header class="article-header"><h1>${title}</h1><div class="article-author"><div class="meta-data">Harbour support team</div></div></header><section class="article-info"><div class="article-content"><div class="article-body">${paragraphs(text)}</div></div></section><div class="article-votes"><span class="article-votes-question">Was this article helpful?</span></div><div class="article-more-questions">Have more questions? <a href="/r">Submit a request</a></div></article></section></main>`,
    ['Harbour support team', 'Was this article helpful?', 'Have more questions?'],
  ],
  WordPress: [
    ({ title, text }) =>
      `<div id="page" class="site"><div id="primary"><main id="main"><article class="post"><header><h1 class="entry-title">${title}</h1></header><div class="entry-content">${paragraphs(text)}<div class="author-box"><h4>About the author</h4><p>Rita writes of harbours and boats for the line since 2010.</p></div></div></article></main></div></div>`,
    ['Rita writes of harbours'],
  ],
  'Material for MkDocs': [
    ({ title, text }) =>
      `<main class="md-main"><div class="md-content"><article class="md-content__inner md-typeset"><h1>${title}</h1>${paragraphs(text)}<hr><div class="md-source-file"><small>Last update by the harbour office</small></div></article></div></main>`,
    ['Last update by the harbour office'],
  ],
  'a site builder': [
    ({ title, text }) =>
      `<div class="c-a"><p>Call us: +351 210 000 000</p></div><div class="c-b"><h1>${title}</h1><ul>${text.map((each) => `<li>${each}</li>`).join('')}</ul></div><div class="c-c"><p>Harbour Line, Rua do Cais 5, Porto</p></div>`,
    ['Call us: +351 210 000 000', 'Rua do Cais 5'],
  ],
};

const linksTo = (paths: string[]) => `<nav>${paths.map((path) => `<a href="${path}">more</a>`).join('')}</nav>`;
const linksToAll = linksTo(topics.map((each) => `/${each}`));
const putAll = (write: (words: Words) => string) => {
  for (const [index, topic] of topics.entries()) {
    const body = `<title>${topic}</title>${write({ title: topic, text: facts(topic) })}${linksToAll}`;
    site.pages.set(index === 0 ? '/' : `/${topic}`, { body });
  }
};

const seen = `query ($id: ID!) { base(id: $id) { records sources { nodes { id status warnings
  pages(first: 100) { nodes { url records } } passages(first: 100) { nodes { text place } } } } } }`;
async function see(id: string) {
  await gateway.services.queue.idle();
  const { base } = await gateway.data(home.viewer, seen, { id });
  const [source] = base.sources.nodes;
  const texts: string[] = source.passages.nodes.map(({ text }: { text: string }) => text);
  return { id, base, source, texts, all: texts.join('\n\n') };
}
async function crawl() {
  const input = { description: 'Site', sources: [{ type: 'site', file: { url: site.url('/') } }] };
  return see((await gateway.data(home.editor, create, { input })).createBase.base.id);
}
async function again({ id, source }: { id: string; source: { id: string } }) {
  await gateway.data(home.editor, `mutation { retrySource(input: { id: "${source.id}" }) { source { id } } }`);
  return see(id);
}
const times = (text: string, part: string) => text.split(part).length - 1;

describe('what repeats on the pages of a site is kept on one of them:', () => {
  test.each(someOf(Object.entries(frameworks), 2))('%s', async (_name, [write, repeats]) => {
    putAll(write);
    const { base, source, all, texts } = await crawl();
    for (const topic of topics) for (const fact of facts(topic)) expect(times(all, fact)).toBe(1);
    for (const repeat of repeats) expect([repeat, times(all, repeat)]).toEqual([repeat, 1]);
    expect(source.warnings).toEqual([
      expect.stringMatching(
        /^\d texts? that repeats? on nearly all pages (is|are) kept on one: \d+ characters are left out$/,
      ),
    ]);
    const sum = source.pages.nodes.reduce((total: number, { records }: { records: number }) => total + records, 0);
    expect([base.records, sum]).toEqual([texts.length, texts.length]);
    const query = 'query ($q: String!) { searchPassages(query: $q, first: 20) { nodes { passage { text } } } }';
    const found = await gateway.data(home.viewer, query, { q: repeats[0] });
    expect(found.searchPassages.nodes.filter(({ passage }: any) => passage.text.includes(repeats[0]))).toHaveLength(1);
  });

  test('a crawl that comes again says the same, cleans a page that changed, and keeps a copy if the first page goes', async () => {
    const [write] = frameworks.Zendesk as (typeof frameworks)[string];
    putAll(write);
    const first = await crawl();
    expect((await again(first)).source.warnings).toEqual(first.source.warnings);
    const put = (path: string, topic: string, text: string) =>
      site.pages.set(path, {
        body: `<title>${topic}</title>${write({ title: topic, text: [...facts(topic), text] })}`,
      });
    put('/cabin', 'cabin', 'The cabin has a window now.');
    const second = await again(first);
    expect(second.all).toContain('The cabin has a window now.');
    expect(times(second.all, 'Have more questions?')).toBe(1);
    site.pages.set('/', { body: `<h1>Start</h1><p>${facts('start')[0]}</p>${linksToAll}` });
    await again(first);
    const third = await again(first);
    expect(third.all).toContain(facts('start')[0]);
    expect(times(third.all, 'Have more questions?')).toBe(1);
  });

  test('what no longer repeats on nearly all of them is back on those that have it', async () => {
    const [write] = frameworks.Zendesk as (typeof frameworks)[string];
    putAll(write);
    const first = await crawl();
    expect(times(first.all, 'Have more questions?')).toBe(1);
    for (const path of ['/', '/quay', '/luggage'])
      site.pages.set(path, { body: `<h1>Anew</h1><p>${facts(path.slice(1) || 'start')[0]}</p>${linksToAll}` });
    const second = await again(first);
    expect(times(second.all, 'Have more questions?')).toBe(topics.length - 3);
  });
});

test('a crawl that has read few of the pages, as after a restart, judges none by them', () => {
  const counter = new RepeatCounter();
  for (const topic of topics) counter.add(topic, `/${topic}`, [`Note\n\n${facts(topic).join('\n\n')}`]);
  expect([...counter.found(topics.length).values()]).toMatchObject([{ pages: topics.length, length: 4 }]);
  expect(counter.found(topics.length * 10)).toEqual(new Map());
});

test('of a page of any length only the ends are compared', () => {
  const counter = new RepeatCounter();
  const long = Array.from({ length: 100_000 }, (_, index) => `Line ${index}`).join('\n\n');
  for (const topic of topics) counter.add(topic, `/${topic}`, [`Note\n\n${topic} ${long}\n\nWritten by Rita`]);
  expect([...counter.found(topics.length).values()].length).toBeLessThanOrEqual(100);
});

describe('nothing is lost of', () => {
  const each = (write: (topic: string) => string) => {
    for (const [index, topic] of topics.entries())
      site.pages.set(index === 0 ? '/' : `/${topic}`, {
        body: `<title>${topic}</title><div><h1>${topic}</h1>${write(topic)}</div>${linksToAll}`,
      });
  };
  const shared = [
    'Every cabin has two beds, a shower, a table and a socket for the plugs of Europe; towels lie on the bed.',
    'You get the key at the desk on deck four from an hour before the ferry sails, and not before it has been cleaned.',
  ];

  test('pages that are nearly the same', async () => {
    each((topic) => `<p>${shared[0]}</p><p>Cabin ${topic} costs ${topic.length} euros.</p><p>${shared[1]}</p>`);
    const { all, source } = await crawl();
    for (const text of shared) expect(times(all, text)).toBe(topics.length);
    expect(source.warnings).toEqual([]);
  });

  test('what repeats within the words of a page', async () => {
    const [one, two, three] = [0, 1, 2] as const;
    each((t) => `<p>${facts(t)[one]}</p><p>Delivered in two days</p><p>${facts(t)[two]}</p><p>${facts(t)[three]}</p>`);
    expect(times((await crawl()).all, 'Delivered in two days')).toBe(topics.length);
  });

  test('what repeats on some pages, and on a site of four', async () => {
    each(
      (t) =>
        `${facts(t)
          .map((text) => `<p>${text}</p>`)
          .join('')}${t.length > 5 ? '<p>Only in summer</p>' : ''}`,
    );
    expect(times((await crawl()).all, 'Only in summer')).toBe(topics.filter(({ length }) => length > 5).length);
    site.pages.clear();
    for (const topic of topics.slice(0, 4))
      site.pages.set(topic === 'ferry' ? '/' : `/${topic}`, {
        body: `<h1>${topic}</h1><p>${facts(topic).join('</p><p>')}</p><p>All year</p>${linksTo(['/quay', '/luggage', '/weather'])}`,
      });
    expect(times((await crawl()).all, 'All year')).toBe(4);
  });

  test('a page that is little beside what repeats, or nothing else', async () => {
    const around = '<p>The harbour office answers from nine to five.</p><p>Boats leave on the hour.</p>';
    each(
      (topic) =>
        `${topic === 'quay' ? '<p>Quay 3 is shut.</p>' : topic === 'cabin' ? '' : `<p>${facts(topic).join('</p><p>')}</p>`}${around}`,
    );
    const { source } = await crawl();
    const textOf = (path: string) =>
      source.passages.nodes
        .filter(({ place }: any) => new URL(place.url).pathname === path)
        .map(({ text }: any) => text)
        .join('\n\n');
    expect(textOf('/quay')).toContain('Boats leave');
    expect(textOf('/cabin')).toContain('Boats leave');
    expect(textOf('/weather')).not.toContain('Boats leave');
  });
});
