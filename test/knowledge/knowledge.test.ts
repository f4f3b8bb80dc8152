import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitPassages } from '../../src/knowledge/chunk.ts';
import type { SourceContent } from '../../src/knowledge/extract/types.ts';
import type { GuardedFetch } from '../../src/net/guarded-fetch.ts';
import { ExtractFailure } from '../../src/sandbox/extract-failure.ts';
import type { Section } from '../../src/search/types.ts';
import { extractSource } from '../support/knowledge/extract-source.ts';
import { casesOf } from '../support/random/cases.ts';
import { anyCharacter } from '../support/random/characters.ts';
import { growth } from '../support/random/growth.ts';

const file = (name: string) => readFileSync(new URL(`../files/${name}`, import.meta.url));
const nowhere: GuardedFetch = (url) => Promise.reject(new Error(`Nothing should be fetched, but ${url} was`));
const extract = (source: SourceContent, guardedFetch = nowhere) => extractSource(source, { guardedFetch });
const extractFile = (bytes: Uint8Array) =>
  extract({ type: 'file', data: { base64: Buffer.from(bytes).toString('base64') } });
const serving = (bytes: Uint8Array, contentType: string): GuardedFetch => {
  return async (url) => ({ url, status: 200, contentType, bytes });
};
const reason = async (attempt: Promise<unknown>): Promise<string> => {
  const error = await attempt.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ExtractFailure);
  return (error as Error).message;
};
const textOf = (sections: Section[]) => sections.map(({ text }) => text).join('\n');

describe('faq', () => {
  it('each pair is a section that knows its question', async () => {
    const items = [
      { question: 'Do you ship abroad?', answer: 'Yes, to the whole of Europe.' },
      { question: ' And\n to Brazil? ', answer: 'Not yet.' },
    ];
    expect((await extract({ type: 'faq', data: { items } })).sections).toEqual([
      { question: 'Do you ship abroad?', text: 'Yes, to the whole of Europe.' },
      { question: 'And to Brazil?', text: 'Not yet.' },
    ]);
    expect((await extract({ type: 'faq', data: items[0] })).sections).toHaveLength(1);
  });

  const broken: [unknown, RegExp][] = [
    [null, /question and an answer/],
    [{}, /data\.question must be text/],
    [{ question: 'Why?', answer: ' \n' }, /data\.answer must not be empty/],
    [{ items: [] }, /data\.items must not be empty/],
    [{ items: [{ question: 'a', answer: 'b' }, { question: 'c' }] }, /data\.items\[1\]\.answer must be text/],
  ];
  it.each(broken)('%j fails with the key at fault', async (data, message) => {
    expect(await reason(extract({ type: 'faq', data }))).toMatch(message);
  });
});

describe('page', () => {
  it('gives title, description, image and the article, without menus, scripts and what is hidden', async () => {
    const page = serving(file('page.html'), 'text/html');
    const { sections, ...about } = await extract({ type: 'page', url: 'https://aurora.example/trocas' }, page);
    expect(about).toEqual({
      title: 'Trocas e devoluções',
      description: 'Como trocar ou devolver um produto da Loja Aurora.',
      img: 'https://aurora.example/img/caixa.jpg',
    });
    expect(sections.map(({ heading }) => heading)).toEqual([
      'Trocas e devoluções',
      'Trocas e devoluções › Como pedir a troca',
      'Trocas e devoluções › Prazos',
    ]);
    expect(sections[1]?.text).toContain('- Separe a nota fiscal\n- Cole a etiqueta na caixa');
    expect(sections[2]?.text).toContain('Meio de pagamento: Pix | Prazo: um dia');
    expect(textOf(sections)).not.toMatch(/tracking|Carrinho|Ofertas|segredo|reservados|color/);
  });

  it('keeps the whole of a page that is no article', async () => {
    const html = '<h1>Prices</h1><div><b>Basic</b><p>10 euros</p></div><div><b>Pro</b><p>30 euros</p></div>'.repeat(1);
    expect((await extract({ type: 'page', data: { html } })).sections).toEqual([
      { heading: 'Prices', text: 'Basic\n\n10 euros\n\nPro\n\n30 euros' },
    ]);
  });

  it('reads the charset that header or page declares, and Windows-1252 where nothing does', async () => {
    const latin = Buffer.from('<p>Atenção: promoção de verão</p>', 'latin1');
    for (const type of ['text/html; charset=ISO-8859-1', 'text/html', 'text/html; charset=nonsense']) {
      const { sections } = await extract({ type: 'page', url: 'https://a.example' }, serving(latin, type));
      expect(textOf(sections)).toBe('Atenção: promoção de verão');
    }
    const marked = Buffer.from('\ufeff<p>Olá</p>', 'utf16le');
    expect(textOf((await extractFile(marked)).sections)).toBe('Olá');
  });

  it('a page without text fails, and says so', async () => {
    expect(await reason(extract({ type: 'page', data: { html: '<nav>Menu</nav><img src=a.png>' } }))).toMatch(
      /no text/,
    );
  });

  const deepAndWide = `${'<div>'.repeat(140)}some words${'</div>'.repeat(140)}`;
  const hostile: [string, number, (length: number) => string][] = [
    ['nested 100,000 deep', 100_000, (length) => '<div>'.repeat(length)],
    ['nested 1,000 deep', 1_000, (length) => '<div>'.repeat(length)],
    ['tables in tables', 600, (length) => '<table><tr><td>'.repeat(length)],
    ['loose angles', 30_000, (length) => '<'.repeat(length)],
    ['unclosed paragraphs', 50_000, (length) => '<p>a'.repeat(length)],
    ['unclosed comments', 50_000, (length) => '<!--'.repeat(length)],
    ['deep and wide', 40, (length) => deepAndWide.repeat(length)],
    ['spaces', 500_000, (length) => `<p>a${' '.repeat(length)}b`],
    ['empty inline elements', 10_000, (length) => '<b> </b>'.repeat(length)],
  ];
  it.each([
    '<html><title>Camp</title><article><h1>Site</h1><p>It opens on 4 April.</p></article></html>',
    '<!doctype html><html lang=en><head><title>Camp</title></head><h1>Site</h1><p>It opens on 4 April.</p>',
    '<title>Camp</title><body class=x><h1>Site</h1><p>It opens on 4 April.</p>',
  ])('tags that HTML allows to leave out may be missing: %s', async (html) => {
    const page = await extract({ type: 'page', data: { html } });
    expect(page.title).toBe('Camp');
    expect(textOf(page.sections)).toContain('It opens on 4 April.');
  });

  it.each(hostile)('twice as much hostile HTML takes twice as long: %s', async (_name, length, htmlOf) => {
    const read = (html: string) =>
      extract({ type: 'page', data: { html: `${html}end` } }).catch((error) => {
        expect(error).toBeInstanceOf(ExtractFailure);
      });
    expect(await growth(length, (part) => read(htmlOf(part)))).toBeLessThan(5);
  });
});

describe('file', () => {
  it('PDF: each page is a section with its number', async () => {
    const { title, sections } = await extractFile(file('handbook.pdf'));
    expect(title).toBe('Brightwater Kayaks: Rental Handbook');
    expect(sections.map(({ page }) => page)).toEqual([1, 2, 3]);
    expect(sections[1]?.text).toContain('The emergency number of the lake rescue is 0881 556677.');
    expect(sections[2]?.text).toContain('A devolução com atraso superior a trinta minutos custa quinze euros.');
  });

  it('Markdown: headings make sections, code is left alone, front matter is told apart', async () => {
    const { title, description, sections } = await extractFile(file('guide.md'));
    expect({ title, description }).toEqual({
      title: 'Guide to the tea house',
      description: 'Opening hours, teas and house rules',
    });
    expect(sections.map(({ heading }) => heading)).toEqual([
      'Tea house',
      'Tea house › Opening hours',
      'Tea house › Teas › Green',
      'Tea house › Teas › Black',
    ]);
    expect(sections[2]?.text).toContain('# this is a comment, not a heading');
  });

  it('plain text is taken as it is', async () => {
    const { sections } = await extract({ type: 'file', data: { text: 'One.\r\n\r\nTwo\u0000 \ud800three.' } });
    expect(sections).toEqual([{ text: 'One.\n\nTwo �three.' }]);
  });

  it('is read by content, whatever type or name it comes with', async () => {
    const pdf = serving(file('handbook.pdf'), 'text/plain');
    expect((await extract({ type: 'page', url: 'https://a.example/x.txt' }, pdf)).sections[0]?.page).toBe(1);
    const html = serving(file('page.html'), 'application/octet-stream');
    expect((await extract({ type: 'file', url: 'https://a.example/x.pdf' }, html)).title).toBe('Trocas e devoluções');
  });

  it('any bytes end in sections or a reason', async () => {
    const start = fc.constantFrom('', '%PDF-1.7\n', '<html>', '# ', '---\na: b\n---\n', '\xff\xfe');
    await fc.assert(
      fc.asyncProperty(start, fc.uint8Array({ maxLength: 300 }), async (head, tail) => {
        const bytes = Buffer.concat([Buffer.from(head, 'latin1'), tail]);
        const result = await extractFile(bytes).catch((error: unknown) => error);
        if (result instanceof Error) expect(result).toBeInstanceOf(ExtractFailure);
        else expect(JSON.stringify(result)).not.toMatch(/\\u0000|\\ud[89a-f]/);
      }),
      { numRuns: casesOf(200) },
    );
  });

  it('neither url nor content, or broken base64, fails with its reason', async () => {
    expect(await reason(extract({ type: 'file' }))).toMatch(/give file\.url, or file\.data/);
    expect(await reason(extract({ type: 'page', data: { body: 'x' } }))).toMatch(/give file\.url, or file\.data/);
    expect(await reason(extract({ type: 'file', data: { base64: '???' } }))).toMatch(/not base64/);
  });
});

describe('passages', () => {
  const words = fc.array(fc.constantFrom('tea', 'água', '😀😀', 'Dr. Who', 'x'.repeat(90), '. ', '.\n', '\n\n', '  '));
  const text = fc.oneof(
    words.map((list) => list.join(' ')),
    fc.string({ unit: anyCharacter, maxLength: 400 }),
  );
  const sections = fc.array(fc.record({ text, page: fc.nat() }), { maxLength: 6 });
  const limits = fc.record({
    maxCharacters: fc.integer({ min: 50, max: 200 }),
    overlap: fc.integer({ min: 0, max: 80 }),
  });
  const long = Array.from({ length: 40 }, (_, index) => index).join('-');
  const distinct = words.map((list) => list.map((word, index) => (word.length > 9 ? long : word) + index).join(' '));
  const solid = (value: string) => value.replace(/\s+/g, '');

  it('nothing is lost, none is over the limit or empty, positions are gapless', () => {
    fc.assert(
      fc.property(sections, limits, (given, { maxCharacters }) => {
        const passages = splitPassages(given, { maxCharacters, overlap: 0 });
        expect(solid(passages.map((passage) => passage.text).join(''))).toBe(solid(given.map((s) => s.text).join('')));
        expect(passages.map(({ position }) => position)).toEqual(passages.map((_, index) => index));
        for (const passage of passages) expect(passage.text.length).toBeLessThanOrEqual(maxCharacters);
        for (const passage of passages) expect(passage.text.trim()).not.toBe('');
      }),
    );
  });

  it('with an overlap each still is within the limit, stands in its section as it is, and they reach from end to end', () => {
    fc.assert(
      fc.property(distinct, limits, (given, options) => {
        const passages = splitPassages([{ text: given }], options).map((passage) => passage.text);
        let reached = 0;
        for (const passage of passages) {
          expect(passage.length).toBeLessThanOrEqual(options.maxCharacters);
          const end = ends(given, passage, reached);
          expect(end).toBeGreaterThan(reached);
          reached = end;
        }
        expect(given.slice(reached).trim()).toBe('');
      }),
    );
  });

  /** Where a passage may end in the text if it continues from `reached` without a gap. */
  const ends = (given: string, passage: string, reached: number): number => {
    for (let at = given.indexOf(passage); at >= 0; at = given.indexOf(passage, at + 1)) {
      if (at + passage.length > reached) return given.slice(reached, at).trim() ? -1 : at + passage.length;
    }
    return -1;
  };

  it('a pair is one passage; what fits is not cut; a longer text is cut between paragraphs, then sentences', () => {
    const paragraph = 'A sentence of forty characters is this. '.repeat(20).trim();
    const passages = splitPassages([
      { question: 'Why?', text: 'Because.' },
      { heading: 'A › B', text: `${paragraph}\n\n${paragraph}` },
      { page: 3, text: `${paragraph} ${paragraph} ${paragraph}` },
    ]);
    expect(passages.map(({ place }) => place)).toEqual([
      { question: 'Why?' },
      ...Array(2).fill({ heading: 'A › B' }),
      ...Array(3).fill({ page: 3 }),
    ]);
    expect(passages[1]?.text).toBe(paragraph);
    for (const passage of passages.slice(1)) expect(passage.text).toMatch(/^A sentence.*this\.$/s);
  });
});
