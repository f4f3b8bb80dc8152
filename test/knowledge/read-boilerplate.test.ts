import { describe, expect, test } from 'vitest';
import { extractHtml, textOf } from '../support/knowledge/extract-source.ts';

const own = [
  'The observatory opens its dome on clear evenings from October to March, and the tour takes ninety minutes.',
  'Children under eight are welcome until half past nine; the stairs to the telescope have sixty steps and no lift.',
  'When clouds come in, the evening goes on in the planetarium, and the ticket is good for another night.',
];
const prose = own.map((text) => `<p>${text}</p>`).join('\n');
const foreign = Array.from({ length: 24 }, (_, index) => `Elsewhere ${index}: comets over the northern harbour`);
const links = foreign.map((text, index) => `<li><a href="/${index}">${text}</a></li>`).join('');
const words = foreign.join('. ');

/** Pages that are mostly boilerplate, in different layouts. */
const layouts: [string, string][] = [
  ['a menu that is marked as one', `<nav><ul>${links}</ul></nav><main><h1>Visits</h1>${prose}</main>`],
  ['a menu of blocks', `<div class=m><ul>${links}</ul></div><div><h1>Visits</h1>${prose}</div>`],
  ['a menu beside the words', `<div><div><h1>Visits</h1>${prose}</div><div><ul>${links}</ul></div></div>`],
  ['an aside of text', `<main><h1>Visits</h1>${prose}</main><aside><p>${words}</p></aside>`],
  ['an aside of links in the article', `<article><h1>Visits</h1>${prose}<aside><ul>${links}</ul></aside></article>`],
  ['a footer deep in the page', `<div><div><h1>Visits</h1>${prose}</div><footer><p>${words}</p></footer></div>`],
  ['a footer by its role', `<h1>Visits</h1>${prose}<div role=contentinfo><p>${words}</p></div>`],
  ['links below an article', `<main><h1>Visits</h1>${prose}<section><h2>More</h2><ul>${links}</ul></section></main>`],
  ['links in one line', `<h1>Visits</h1>${prose}<p>${links.replaceAll(/<\/?li>/g, ' ')}</p>`],
];

describe("a page's own words are read, without what surrounds them:", () => {
  test.each(layouts)('%s', async (_name, html) => {
    const text = textOf(await extractHtml(`<title>Visits</title>${html}`));
    for (const sentence of own) expect(text).toContain(sentence);
    expect(text).not.toContain('Elsewhere');
  });
});

describe('what a page is about stays:', () => {
  test('a note beside the words of an article', async () => {
    const note =
      '<aside><p>Bring a warm coat: <a href="/c">the dome</a> is not heated, not even in January.</p></aside>';
    expect(textOf(await extractHtml(`<main><h1>Visits</h1>${prose}${note}</main>`))).toContain('Bring a warm coat');
  });

  test('a page that is nothing but links', async () => {
    const html = `<h1>Exhibits</h1><ul>${links}</ul>`;
    const text = textOf(await extractHtml(html));
    for (const name of foreign) expect(text).toContain(name);
  });

  test('a few links in the article, and a list of things with their prices', async () => {
    const few = ['Telescope tour', 'Planetarium', 'Night walk']
      .map((name) => `<li><a href="/x">${name}</a></li>`)
      .join('');
    const shop = ['Star map 9 €', 'Moon globe 45 €', 'Red torch 12 €'].map(
      (name) => `<li><a href="/y">${name}</a></li>`,
    );
    const html = `<main><h1>Visits</h1>${prose}<h2>Offers</h2><ul>${few}</ul><ul>${shop.join('')}</ul></main>`;
    const text = textOf(await extractHtml(html));
    expect(text).toContain('- Telescope tour\n- Planetarium\n- Night walk');
    expect(text).toContain('- Moon globe 45 €');
  });

  test('who is quoted, and what is linked in the middle of a text', async () => {
    const quote = '<blockquote><p>The clearest sky of the coast.</p><footer>Maren Aasen, keeper</footer></blockquote>';
    const linked =
      '<p>Tickets are sold at <a href="/a">the harbour</a>, <a href="/b">the inn</a> and <a href="/c">online</a>.</p>';
    const text = textOf(await extractHtml(`<h1>Visits</h1>${prose}${quote}${linked}`));
    expect(text).toContain('Maren Aasen');
    expect(text).toContain('Tickets are sold at the harbour, the inn and online.');
  });
});
