import { describe, expect, test } from 'vitest';
import { openAiWire } from '../../src/model/providers/openai-wire.ts';
import { eventsOf } from '../../src/model/providers/tolerant-fetch.ts';
import { randomOf } from '../support/random/random.ts';
import { seed } from '../support/random/seed.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const choice = (content: string) => JSON.stringify({ choices: [{ delta: { content } }] });

async function read(chunks: Uint8Array[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const events: object[] = [];
  for await (const some of eventsOf(new Response(body), openAiWire)) events.push(...some);
  return events;
}

/** The parts of some bytes, cut before the given places. */
const cutAt = (bytes: Uint8Array, places: number[]) =>
  [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length));

const streams: Record<string, string> = {
  'line feeds': `data: ${choice('Olá 👩‍🚀')}\n\n: a comment\n\ndata: ${choice('日本\\n')}\n\ndata: [DONE]\n\n`,
  'carriage returns': `data: ${choice('é')}\r\n\r\nevent: x\r\ndata:${choice('“ü”')}\r\n\r\ndata: [DONE]\r\n\r\n`,
  'carriage returns alone': `data: ${choice('é')}\r\rdata: ${choice('ß')}\r\r`,
  'an event of several lines': `data: {"choices":\ndata: [{"delta": {"content": "]}\\"👍"}}\ndata: ]}\n\n`,
  'no end of the last line': `data: ${choice('ça')}\n\ndata: ${choice('va')}`,
};

describe.each(Object.entries(streams))('a stream with %s', (_, text) => {
  const bytes = bytesOf(text);

  test('says the same wherever its bytes are cut', async () => {
    const whole = await read([bytes]);
    expect(whole.length).toBeGreaterThan(0);
    const all = [...bytes.keys()];
    for (const place of all) expect(await read(cutAt(bytes, [place]))).toEqual(whole);
    expect(await read(cutAt(bytes, all))).toEqual(whole);
    const random = randomOf(seed);
    for (let round = 0; round < 50; round++) {
      const places = all.filter(() => random() < 0.2);
      expect(await read(cutAt(bytes, places))).toEqual(whole);
    }
  });
});

const partsOf = (bytes: Uint8Array, size: number) =>
  cutAt(
    bytes,
    Array.from({ length: Math.ceil(bytes.length / size) - 1 }, (_, at) => (at + 1) * size),
  );

test.each([
  ['a line of 8 MB', `data: ${choice('x'.repeat(8_000_000))}\n\n`, 1],
  ['an event of 4,000 lines that never ends', `data: {"a": "${'y'.repeat(1_000)}"\n`.repeat(4_000), 0],
])('%s is read once, not once for each chunk', async (_, text, count) => {
  const started = performance.now();
  expect(await read(partsOf(bytesOf(text), 4_096))).toHaveLength(count);
  expect(performance.now() - started).toBeLessThan(5_000);
});

test.each([3e8, -1, 0.5, 'first', null])('a tool call at the place %s is one, and leaves no holes', async (index) => {
  const call = { index, id: 'call_1', function: { name: 'weather', arguments: '{}' } };
  const [event] = await read([
    bytesOf(`data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`),
  ]);
  expect(event).toMatchObject({ choices: [{ delta: { tool_calls: [{ index: 0, id: 'call_1' }] } }] });
});
