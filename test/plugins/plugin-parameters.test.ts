import { describe, expect, test } from 'vitest';
import { encodeHeader, encodePath, encodeQuery } from '../../src/plugins/encode-parameter.ts';
import type { Parameter } from '../../src/plugins/types.ts';

const list = ['blue', 'black', 'brown'];
const color = { R: 100, G: 200, B: 150 };
const parameter = (place: Parameter['in'], style: Parameter['style'], explode: boolean): Parameter => {
  return { key: 'color', name: 'color', in: place, style, explode, allowReserved: false };
};

// The table "Style Examples" of OpenAPI 3.1.1, percent-encoded as the specification requires.
describe('a parameter is written as its style says', () => {
  test.each([
    ['matrix', false, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
    ['matrix', true, ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
    ['label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
    ['label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
    ['simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ] as const)('in a path: %s, explode %s', (style, explode, ...written) => {
    const given = parameter('path', style, explode);
    expect(['', 'blue', list, color].map((value) => encodePath(given, value))).toEqual(written);
  });

  test.each([
    ['form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    ['form', true, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
    [
      'spaceDelimited',
      false,
      'color=',
      'color=blue',
      'color=blue%20black%20brown',
      'color=R%20100%20G%20200%20B%20150',
    ],
    ['pipeDelimited', false, 'color=', 'color=blue', 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
    ['deepObject', true, 'color=', 'color=blue', null, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
  ] as const)('in a query: %s, explode %s', (style, explode, ...written) => {
    const given = parameter('query', style, explode);
    const values = ['', 'blue', list, color].map((value) => encodeQuery(given, value).join('&'));
    expect(values.map((value, index) => written[index] === null || value)).toEqual(
      written.map((value) => value ?? true),
    );
  });

  test('in a header, as it is', () => {
    expect(encodeHeader(parameter('header', 'simple', false), list)).toBe('blue,black,brown');
    expect(encodeHeader(parameter('header', 'simple', true), color)).toBe('R=100,G=200,B=150');
    expect(encodeHeader(parameter('header', 'simple', false), 'a b/ü')).toBe('a b/ü');
  });
});

describe('what a value holds cannot become more than a value', () => {
  const nasty = `a&b=c#d?e/f g%h'()[]{}+;,=\n`;
  test('in a path', () => {
    const url = new URL(`http://api.test/x/${encodePath(parameter('path', 'simple', false), nasty)}/y`);
    expect(url.pathname.split('/')).toHaveLength(4);
    expect(decodeURIComponent(url.pathname.split('/')[2] ?? '')).toBe(nasty);
    expect([url.search, url.hash]).toEqual(['', '']);
  });

  test.each([false, true])('in a query, reserved characters allowed: %s', (allowReserved) => {
    const given = { ...parameter('query', 'form', true), allowReserved };
    const url = new URL(`http://api.test/?${encodeQuery(given, nasty).join('&')}&next=1`);
    expect([...url.searchParams]).toEqual([
      ['color', nasty],
      ['next', '1'],
    ]);
    expect(url.search.includes('/')).toBe(allowReserved);
  });

  test('nested deeper than the style knows', () => {
    const deep = { a: { b: [1, 2] }, c: true };
    const pairs = encodeQuery(parameter('query', 'deepObject', true), deep).map(decodeURIComponent);
    expect(pairs).toEqual(['color[a][b]=1', 'color[a][b]=2', 'color[c]=true']);
    expect(encodeQuery(parameter('query', 'form', true), [{ a: 1 }]).map(decodeURIComponent)).toEqual([
      'color={"a":1}',
    ]);
    expect(encodeQuery(parameter('query', 'json', true), deep).map(decodeURIComponent)).toEqual([
      `color=${JSON.stringify(deep)}`,
    ]);
  });
});
