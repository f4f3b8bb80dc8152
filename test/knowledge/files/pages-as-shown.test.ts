import { describe, expect, test } from 'vitest';
import { extractHtml, textOf } from '../../support/knowledge/extract-source.ts';

const text = async (body: string, title = 'Harbour') =>
  textOf(await extractHtml(`<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`));
const answer = 'The ferry sails at nine every day but Sunday, from the north pier.';

describe('what a person reads in a browser, or by a click, is the text of a page:', () => {
  test.each([
    [
      'parts that React streams, where they belong, without what stood there until then',
      '<main><h1>Times</h1><!--$?--><template id="B:0"></template><p>Loading…</p><!--/$--><p>Dogs welcome.</p></main>' +
        `<div hidden id="S:0"><p>${answer}</p></div><script>$RC("B:0","S:0")</script>`,
      `${answer}\n\nDogs welcome.`,
    ],
    [
      'streamed parts without a place',
      `<main><h1>Times</h1></main><div hidden id="S:1"><p>${answer}</p></div>`,
      answer,
    ],
    [
      'streamed parts in streamed parts',
      '<main><h1>Times</h1><!--$?--><template id="B:0"></template>Loading…<!--/$--></main>' +
        `<div hidden id="S:0"><p>Today:</p><template id="P:1"></template></div><div hidden id="S:1"><p>${answer}</p></div>`,
      `Today:\n\n${answer}`,
    ],
    [
      'a declarative shadow root with slots',
      `<main><ferry-card><template shadowrootmode="open"><style>p{color:red}</style><h2><slot name="title">Untitled</slot></h2><slot></slot><p>Card of the harbour.</p></template><span slot="title">North line</span><p>${answer}</p></ferry-card></main>`,
      `${answer}\n\nCard of the harbour.`,
    ],
    [
      'a frame whose page is written in the page',
      `<main><h1>Times</h1><iframe srcdoc="&lt;!doctype html>&lt;html>&lt;body>&lt;p>${answer}&lt;/p>&lt;/body>&lt;/html>"></iframe></main>`,
      answer,
    ],
    [
      'an accordion with aria-controls and hidden',
      `<main><h1>Questions</h1><h2><button aria-expanded="false" aria-controls="a1">When does it sail?</button></h2><div id="a1" role="region" hidden><p>${answer}</p></div></main>`,
      answer,
    ],
    [
      'one with aria-hidden, without a heading',
      `<main><h1>Questions</h1><button aria-expanded="false" aria-controls="a1">When does it sail?</button><div id="a1" aria-hidden="true" style="display: none"><p>${answer}</p></div></main>`,
      `When does it sail?\n\n${answer}`,
    ],
    [
      'one whose panel only stands below',
      `<main><h1>Questions</h1><h3><button>When does it sail?</button></h3><div style="display:none"><p>${answer}</p></div></main>`,
      answer,
    ],
    [
      'what is hidden until it is found',
      `<main><h1>Questions</h1><section hidden="until-found"><p>${answer}</p></section></main>`,
      answer,
    ],
    [
      'details',
      `<main><h1>Questions</h1><details><summary>When?</summary><p>${answer}</p></details></main>`,
      `When?\n\n${answer}`,
    ],
    [
      'tabs',
      `<main><h1>Lines</h1><div role="tablist"><button role="tab" aria-controls="t1">North</button></div><div id="t1" role="tabpanel" hidden><p>${answer}</p></div></main>`,
      answer,
    ],
    [
      'a page within a form',
      `<form method="post" action="./default.aspx"><input type="hidden" name="__VIEWSTATE" value="x"><h1>Times</h1><p>${answer}</p></form>`,
      answer,
    ],
    [
      'words with their reading',
      `<main><h1>港</h1><p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>の船は九時に出ます。</p></main>`,
      '漢字の船は九時に出ます。',
    ],
  ])('%s', async (_name, body, expected) => {
    expect(await text(body)).toBe(expected);
  });

  test.each([
    [
      'a menu that a button opens',
      `<main><h1>Times</h1><p>${answer}</p><button aria-controls="m">More</button><ul id="m" role="menu" hidden><li>Log out</li></ul></main>`,
      /Log out|More/,
    ],
    [
      'a dialog that a button opens',
      `<main><h1>Times</h1><p>${answer}</p><button aria-controls="d">Share</button><dialog id="d"><p>Copy the link</p></dialog></main>`,
      /Copy|Share/,
    ],
    [
      'the fields of a form',
      `<main><h1>Times</h1><p>${answer}</p><form><p>Your email</p><input><button>Send</button></form></main>`,
      /email|Send/,
    ],
    ['what is hidden without a button', `<main><h1>Times</h1><p>${answer}</p><p hidden>Old price</p></main>`, /Old/],
    ['a template', `<main><h1>Times</h1><p>${answer}</p><template><p>{{row}}</p></template></main>`, /row/],
  ])('and not %s', async (_name, body, never) => {
    const read = await text(body);
    expect(read).toContain(answer);
    expect(read).not.toMatch(never);
  });
});

test('a frame says nothing of the page that it is in, and nothing where it is hidden or costly', async () => {
  const frame = (page: string, more = '') =>
    `<iframe ${more} srcdoc="${page.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"></iframe>`;
  const about = '<title>Ad</title><meta name="description" content="Buy"><script>1</script><style>p{}</style>';
  const frames = [
    frame('<p>Buy.</p>', 'hidden'),
    frame('<p>Buy.</p>', 'style="display: none"'),
    frame('<div>'.repeat(2_001)),
  ];
  const page = await extractHtml(
    `<html><body><main><h1>Times</h1><p>${answer}</p>${frame(`${about}<p>Framed.</p>`)}${frames.join('')}</main></body></html>`,
  );
  expect(page).toMatchObject({ title: 'Times', sections: [{ text: `${answer}\n\nFramed.` }] });
  expect(page.description).not.toBe('Buy');
});

test('the question of an accordion is the heading of its answer', async () => {
  const { sections } = await extractHtml(
    `<main><h1>Questions</h1><h2><button aria-controls="a">When does it sail?</button></h2><div id="a" hidden><p>${answer}</p></div></main>`,
  );
  expect(sections).toEqual([{ heading: 'Questions › When does it sail?', text: answer }]);
});

describe('a page that stands in for another is refused with a reason:', () => {
  test.each([
    ['Loading…', 'Harbour', /loading/],
    ['<div id="root"><div class="spinner">Carregando...</div></div>', 'Harbour', /loading/],
    ['<p>You need to enable JavaScript to run this app.</p>', 'React App', /asks for JavaScript/],
    [
      '<h1>harbour.example</h1><p>Verifying you are human. This may take a few seconds.</p>',
      'Just a moment...',
      /is a person/,
    ],
    [
      '<h2>We value your privacy</h2><p>We use cookies to improve your experience. Accept all or manage your choices.</p>',
      'Harbour',
      /cookies/,
    ],
    ['<h1>404</h1><p>The page that you look for is not here.</p>', 'Harbour', /error/],
    ['<h1>Oops</h1><p>This page does not exist any more.</p>', '404 Not Found', /error/],
    ['<p>Application error: a client-side exception has occurred (see the browser console).</p>', 'Harbour', /error/],
    ['<h1>Access Denied</h1><p>You don’t have permission to access this server.</p>', 'Access Denied', /error/],
  ])('%s', async (body, title, reason) => {
    await expect(text(body, title)).rejects.toThrow(reason);
  });

  test.each([
    `<h1>Cookies</h1><p>${'Our bakery sells cookies of oat and rye, and you may manage an order online. '.repeat(9)}</p>`,
    `<h1>Error 404</h1><p>${'The device shows error 404 if its net cannot be found. Turn it off, wait, and turn it on. '.repeat(8)}</p>`,
    '<h1>Loading dock</h1><p>Loading of lorries is from six to nine.</p>',
  ])('and not one that is about it: %#', async (body) => {
    expect(await text(body)).not.toBe('');
  });
});
