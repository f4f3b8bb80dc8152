import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { refuseManyAttributes } from '../../src/knowledge/extract/html/html-limits.ts';

const many = (count: number, write: (index: number) => string) => Array.from({ length: count }, (_, at) => write(at));

describe('markup with more attributes than any page has is refused:', () => {
  test.each([
    ['names alone', (at: number) => ` a${at}`],
    ['with values', (at: number) => ` a${at}=1`],
    ['in quotes', (at: number) => ` a${at}="1 > 2"`],
    ['in the other quotes, without blanks', (at: number) => `a${at}='x y'`],
    ['with blanks about the sign', (at: number) => ` a${at} = "x >"\n`],
    ['parted by strokes', (at: number) => `/a${at}`],
    ['with quotes in a value that has none', (at: number) => ` a${at}=b="`],
    ['with values that begin with a stroke', (at: number) => ` a${at}=/b"`],
    ['with quotes in their names', (at: number) => ` a${at}"`],
  ])('%s', (_name, write) => {
    const tag = (count: number) => `<html><body><p ${many(count, write).join('')}>text</p></body></html>`;
    // The parser's own limit applies.
    expect(parseHTML(tag(250)).document.querySelector('p')?.attributes.length).toBe(250);
    expect(() => refuseManyAttributes(tag(250))).not.toThrow();
    expect(() => refuseManyAttributes(tag(300))).toThrow('It has tags with too many attributes');
  });

  test('in one tag that is never closed', () => {
    expect(() => refuseManyAttributes(`<p ${many(400_000, (at) => `a${at}`).join(' ')}`)).toThrow(
      /too many attributes/,
    );
  });

  test('few in each tag, and very many together', () => {
    const page = (tags: number) => '<p a="1" b="2" c="3" d="4">text</p>'.repeat(tags);
    expect(() => refuseManyAttributes(page(100_000))).not.toThrow();
    expect(() => refuseManyAttributes(page(130_000))).toThrow(/too many attributes/);
  });

  test('signs in text are none', () => {
    const text = 'if a < b = c and "d" > e '.repeat(100_000);
    expect(() => refuseManyAttributes(`<p class="a">${text}</p>`)).not.toThrow();
  });
});
