import { describe, expect, test } from 'vitest';
import { createModelService, type ReplyFormat } from '../../src/model/service.ts';
import { streamContent } from '../../src/model/tasks/stream-text.ts';
import { passage, request } from '../support/model/model-requests.ts';

const passages = [
  passage('The camp site opens on 4 April. Dogs are welcome on a leash.', { id: 'psg_1' }),
  passage('Fires are allowed in the fire pits only.', { id: 'psg_2' }),
];

/** Streams a text in pieces of `size` characters, and returns the output. */
function written(text: string, { format = 'markdown', size = 1 }: { format?: ReplyFormat; size?: number } = {}) {
  const told: string[] = [];
  const asked = request('Hello', { passages, format });
  const along = streamContent(asked, (piece) => told.push(piece));
  for (let at = 0; at < text.length; at += size) along.push(text.slice(at, at + size));
  const { content, references } = along.stopped();
  return { told, content, references };
}

describe('the content of a reply, told while it is written', () => {
  test.each([1, 3, 7, 1_000])('in pieces of %i characters is the content, with marks checked and numbered', (size) => {
    const text =
      'Fires burn [2 "in the fire pits only"] and it opens [1 "opens on 4 April"], says [9] nobody [1 "closes in May"]. ' +
      'See [the map](https://example.com) and `a[1]` and\n```\nb[2]\n```\nBye';
    const { told, references } = written(text, { size });
    expect(told.join('')).toBe(
      'Fires burn [1] and it opens [2], says nobody. See [the map](https://example.com) and `a[1]` and\n```\nb[2]\n```\nBye',
    );
    expect(references.map(({ passageId }) => passageId)).toEqual(['psg_2', 'psg_1']);
  });

  test('is held back no longer than it may be a mark', () => {
    expect(written('A word').told.join('')).toBe('A word');
    expect(written('A word [').told.join('')).toBe('A word');
    expect(written('A word [1 "opens').told.join('')).toBe('A word');
    expect(written('A word [todo\nnext').told.join('')).toBe('A word [todo\nnext');
    expect(written(`A [${'x'.repeat(700)}`).told.join('')).toBe(`A [${'x'.repeat(700)}`);
  });

  test('tells white space at the ends of a reply never', () => {
    expect(written('  \n Hello \n you \n ').told.join('')).toBe('Hello \n you');
  });

  test('is told at its end when it is JSON', () => {
    expect(written('{"a": 1}', { format: 'json' }).told).toEqual([]);
  });
});

describe('the embedded model', () => {
  test('streams the reply that it gives whole', async () => {
    const model = createModelService({ models: { list: [], default: 'embedded' }, timeoutMs: 60_000 });
    const asked = request('When does the camp site open?', { passages });
    const told: string[] = [];
    const streamed = await model.stream(asked, (piece) => told.push(piece));
    const times = {
      attempts: expect.anything(),
      firstTokenMs: expect.toBeOneOf([null, expect.any(Number)]),
      totalMs: expect.any(Number),
    };
    expect(streamed).toEqual({ ...(await model.reply(asked)), ...times });
    expect(told.join('')).toBe(streamed.content);
    expect(told.length).toBeGreaterThan(3);
  });

  test('streams calls, and JSON at once', async () => {
    const model = createModelService({ models: { list: [], default: 'embedded' }, timeoutMs: 60_000 });
    const tools = [{ name: 'get_order', description: 'Looks an order up', parameters: { type: 'object' } }];
    const call = request('Please call get_order with number 42', { tools });
    expect(await model.stream(call, () => {})).toMatchObject({ content: null, toolCalls: [{ name: 'get_order' }] });
    const told: string[] = [];
    const json = request('When does the camp site open?', { passages, format: 'json' });
    const { content } = await model.stream(json, (piece) => told.push(piece));
    expect(told).toEqual([content]);
  });
});
