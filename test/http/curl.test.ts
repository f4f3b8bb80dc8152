import fc from 'fast-check';
import { expect, test } from 'vitest';
import { curlOf, readCurl, shellWords } from '../../src/http/pages/panels/curl.ts';
import { anyCharacter } from '../support/random/characters.ts';

const json = { 'Content-Type': 'application/json' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

test.each([
  [
    'an address alone',
    'curl https://a.example/x',
    { method: 'GET', url: 'https://a.example/x', headers: {}, body: '' },
  ],
  ['a prompt and flags', '$ curl -sSk --compressed https://a.example', { method: 'GET', url: 'https://a.example' }],
  [
    'continued lines and quotes',
    'curl -X PUT \\\n  "https://a.example/a\\"b" \\\r\n -H \'content-type: application/json\' --data \'{"a": "it\'\\\'\'s"}\'',
    {
      method: 'PUT',
      url: 'https://a.example/a"b',
      headers: { 'content-type': 'application/json' },
      body: '{"a": "it\'s"}',
    },
  ],
  ['joined options', "curl -sXDELETE 'u' -H'A: b'", { method: 'DELETE', url: 'u', headers: { A: 'b' } }],
  [
    'long options with =',
    'curl --request=patch --url=u --header="A: b:c"',
    { method: 'PATCH', url: 'u', headers: { A: 'b:c' } },
  ],
  ['a body without a method', 'curl u -d a=1 -d b=2', { method: 'POST', headers: form, body: 'a=1&b=2' }],
  [
    '--json',
    `curl u --json '{"a":' --json '1}'`,
    { method: 'POST', headers: { ...json, Accept: 'application/json' }, body: '{"a":1}' },
  ],
  [
    "$'…'",
    String.raw`curl u -H 'Content-Type: application/json' --data-raw $'{"a":"\'\u00e9\x41\n"}'`,
    { headers: json, body: '{"a":"\'éA\n"}' },
  ],
  [
    '-G and --data-urlencode',
    "curl -G u?x=1 --data-urlencode 'search=a b&c' -d page=2",
    { method: 'GET', url: 'u?x=1&search=a%20b%26c&page=2', headers: {}, body: '' },
  ],
  ['options without meaning here', 'curl -o out -u a:b --max-time 3 u', { method: 'GET', url: 'u' }],
  ['an @ in raw data', "curl u --data-raw '@a'", { body: '@a' }],
])('%s', (_what, text, expected) => {
  expect(readCurl(text)).toMatchObject(expected);
});

test.each([
  ['wget u', /begins with “curl”/],
  ['curl', /no address/],
  ["curl 'u", /quote is not closed/],
  ['curl u -d @body.json', /in a file \(@body\.json\)/],
  ['curl u -F a=b', /sends a form/],
  ['curl u -H', /-H has no value/],
])('%s is refused with a reason', (text, reason) => {
  expect(() => readCurl(text)).toThrow(reason);
});

test('what is written reads back as it was, whatever it holds', () => {
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
    url: fc.string().map((text) => `/rest/${encodeURIComponent(text)}?a='b'`),
    headers: fc.constantFrom({}, json, { 'If-Match': '"a-1"' }),
    body: fc.string({ unit: anyCharacter }),
  });
  fc.assert(
    fc.property(request, (one) => {
      const read = readCurl(curlOf(one, 'https://a.example'));
      const type = one.body && !('Content-Type' in one.headers) ? form : {};
      const headers = { Authorization: 'Bearer $TOKEN', ...one.headers, ...type };
      expect(read).toEqual({ ...one, url: `https://a.example${one.url}`, headers });
    }),
    { numRuns: 30 },
  );
});

test('any text is read or refused, and never without an end', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', "'", '"', '\\', '$', ' ', '\n', '-') }), (text) => {
      try {
        shellWords(text);
      } catch (error) {
        expect((error as Error).message).toMatch(/quote is not closed/);
      }
    }),
  );
});
