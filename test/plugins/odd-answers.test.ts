import { expect, test } from 'vitest';
import { readAnswer } from '../../src/plugins/call-operation.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const answer = (contentType: string, bytes: Uint8Array, more: object = {}) =>
  readAnswer({ status: 200, contentType, bytes, url: 'https://api.example', ...more } as never);

/** What APIs answer, and what a model is told of it. */
const answers: [what: string, type: string, body: string | Uint8Array, told: string][] = [
  ['JSON', 'application/json', '{ "a": [1, 2] }', '{"a":[1,2]}'],
  ['JSON of JSON:API', 'application/vnd.api+json; charset=utf-8', '{ "data": null }', '{"data":null}'],
  ['a problem', 'application/problem+json', '{ "title": "Gone" }', '{"title":"Gone"}'],
  ['JSON with a mark at its start', 'application/json', '\ufeff{ "a": 1 }', '{"a":1}'],
  ['JSON under the type of a page', 'text/html', '{ "a": 1 }', '{"a":1}'],
  ['JSON as bytes', 'application/octet-stream', '{ "a": "é" }', '{"a":"é"}'],
  ['JSON without a type', '', '{ "a": 1 }', '{"a":1}'],
  ['JSON that is none', 'application/json', '{a: 1}', '{a: 1}'],
  ['JSON with a key twice', 'application/json', '{"a": 1, "a": 2}', '{"a":2}'],
  [
    'JSON that is very deep',
    'application/json',
    `${'['.repeat(3_000)}1${']'.repeat(3_000)}`,
    `${'['.repeat(3_000)}1${']'.repeat(3_000)}`,
  ],
  ['JSON with half a character', 'application/json', '{"a": "\\ud83d \\u0000"}', '{"a":"\\ud83d \\u0000"}'],
  ['lines of JSON', 'application/x-ndjson', '{"a": 1}\n{"a": 2}\n', '{"a": 1}\n{"a": 2}'],
  ['a number', 'application/json', ' 7\n', '7'],
  ['YAML', 'application/yaml', 'a: 1\n', 'a: 1'],
  ['YAML by its older name', 'application/x-yaml', 'a: 1\n', 'a: 1'],
  ['CSV', 'application/csv', 'a,b\n1,2\n', 'a,b\n1,2'],
  ['XML', 'application/soap+xml', '<a>1</a>', '<a>1</a>'],
  ['a page', 'text/html; charset=utf-8', '<p>Hi</p>', '<p>Hi</p>'],
  ['text in Latin-1', 'text/plain; charset=iso-8859-1', Uint8Array.of(0xe9), 'é'],
  ['text in UTF-16', 'text/plain; charset=utf-16le', Uint8Array.of(0x41, 0, 0x42, 0), 'AB'],
  ['text in an encoding that is none', 'text/plain; charset=none', utf8('é'), 'é'],
  ['text that is not UTF-8', 'text/plain', Uint8Array.of(0x41, 0xff), 'A\ufffd'],
  ['nothing', 'application/json', '', '(no content)'],
  ['a picture', 'image/png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47), '[image/png, 4 bytes, which cannot be shown]'],
  ['a drawing', 'image/svg+xml', '<svg/>', '<svg/>'],
  [
    'bytes',
    'application/octet-stream',
    Uint8Array.of(1, 2, 3),
    '[application/octet-stream, 3 bytes, which cannot be shown]',
  ],
  ['bytes as text', 'text/plain', Uint8Array.of(0x41, 0, 0x42), '[3 bytes that are not text]'],
];
test.each(answers)('%s', (_, type, body, told) => {
  expect(answer(type, typeof body === 'string' ? utf8(body) : body)).toBe(told);
});

test('an answer that ends in the middle of a character is text all the same', () => {
  const bytes = utf8('Olá, é').slice(0, -1);
  expect(answer('application/octet-stream', bytes, { cut: true })).toMatch(/^Olá,\n\[truncated/);
});

test('an error is told with its status, and what the API said', () => {
  expect(answer('application/json', utf8('{ "error": "gone" }'), { status: 404 })).toBe(
    'The API responded with 404:\n{"error":"gone"}',
  );
  expect(answer('', utf8(''), { status: 503 })).toBe('The API responded with 503:\n(no content)');
});
