import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanHtml } from '../../../src/model/reply/html.ts';
import { keepGrounded } from '../../../src/model/restricted/keep-grounded.ts';
import { cite } from '../../../src/model/tasks/cite.ts';
import { streamContent } from '../../../src/model/tasks/stream-text.ts';
import { delivery, refund, request, returns } from '../../support/model/model-requests.ts';
import { casesOf, someOf } from '../../support/random/cases.ts';
import { growth } from '../../support/random/growth.ts';
import { seed } from '../../support/random/seed.ts';

const writeIn = (pieces: string[], asked: Parameters<typeof streamContent>[0]) => {
  const told: string[] = [];
  const along = streamContent(asked, (piece) => told.push(piece));
  for (const piece of pieces) along.push(piece);
  along.written();
  return { told: told.join(''), ...along.stopped() };
};

test('whichever pieces a reply comes in, the same is told of it, and it begins what is told of the whole', () => {
  const marks = ['[1 "within 30 days of delivery"]', ' [1]', '[2, 1]', '[9]', ' [0 "harbour"]', '[1', '](x)', '[', '"'];
  const signs = ['`', '```', '```\n', '\n', '\n\n', ' ', '. ', '!', '1. ', 'Dr. ', 'A. ', '- ', '\uE000', '😀'];
  const words = ['You have 30 days', 'Items on sale cannot be returned', 'Paris is in France', 'x'.repeat(600)];
  const tags = ['<p>', '</p>', '<b>', '</b>', '<br>', '<li>', '</ul>', '<script>', '&lt;', '<'];
  const part = fc.constantFrom(...marks, ...signs, ...words, ...tags);
  const format = fc.constantFrom('markdown', 'text', 'html');
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 40 }),
      fc.nat(30),
      format,
      fc.boolean(),
      (parts, size, format, grounded) => {
        const text = parts.join('');
        const changes = { passages: [returns, delivery], format, agent: { freedom: 'restricted' as const } };
        const asked = { ...request('Returns?', changes), grounded, ...(format === 'html' && { clean: cleanHtml }) };
        const pieces = text.match(new RegExp(`[^]{1,${size + 1}}`, 'g')) ?? [];
        const streamed = writeIn(pieces, asked);
        expect(streamed).toEqual(writeIn([text], asked));
        const whole = cite(asked, grounded ? keepGrounded(asked, text.trim()).text : text.trim());
        expect(whole.content.slice(0, streamed.told.length)).toBe(streamed.told);
        expect(whole.references).toEqual(expect.arrayContaining(streamed.references));
      },
    ),
    { numRuns: casesOf(1_000), seed },
  );
});

const hostile = [
  '[1 "',
  '[1]',
  '[1,',
  'A. ',
  'a.b',
  '<p>',
  '<b>x</b>',
  '<p>You have 30 days [1].</p>',
  '1,',
  '`',
  '``` ',
  '```\n',
  ' ',
].flatMap((text) => (['markdown', 'html'] as const).map((format) => [text, format] as const));

test.each(someOf(hostile, 6))('twice as much hostile text takes twice as long: %j in %s', async (part, format) => {
  const passages = [returns, delivery, refund];
  const write = (text: string, grounded: boolean) => {
    const asked = request('Returns?', { passages, format, agent: { freedom: 'restricted' } });
    const clean = format === 'html' ? { clean: cleanHtml } : {};
    writeIn(text.match(/[^]{1,20}/g) ?? [], { ...asked, ...clean, grounded });
    if (grounded) keepGrounded(asked, text);
  };
  for (const grounded of [true, false]) {
    const length = 16_000;
    expect(await growth(length, (length) => write(part.repeat(length / part.length), grounded))).toBeLessThan(3);
  }
});
