import { describe, expect, test } from 'vitest';
import { fitPrompt } from '../../src/model/prompt/prompt.ts';
import { estimateTokens } from '../../src/model/reply/text.ts';
import type { HistoryMessage } from '../../src/model/service.ts';
import { passage, request } from '../support/model/model-requests.ts';

describe('a prompt fits what its model takes, and says what was sent', () => {
  const pair = (id: string, size: number): HistoryMessage[] => [
    { role: 'assistant', content: null, toolCalls: [{ ...found, id }] },
    { role: 'tool', toolCallId: id, content: `${id} ${'found '.repeat(size)}` },
  ];
  const found = { id: 'c', name: 'find', arguments: {} };
  const words = (count: number) => 'word '.repeat(count);
  const asks: HistoryMessage = { role: 'user', content: `Begin ${words(20_000)} end?` };
  const passages = Array.from({ length: 6 }, (_, index) => passage(words(1_500), { id: `psg_${index}` }));

  test.each<[string, Parameters<typeof request>[1]]>([
    ['a huge message', { history: [asks] }],
    ['huge messages before a small one', { history: [asks, asks, { role: 'user', content: 'And?' }] }],
    ['huge instructions', { agent: { instructions: words(20_000) } }],
    ['a huge summary', { summary: words(20_000) }],
    ['many long passages', { passages }],
    ['a huge result of a tool', { history: [{ role: 'user', content: 'Go' }, ...pair('c1', 20_000)] }],
    [
      'forty calls of tools',
      {
        history: [
          { role: 'user', content: 'Go' },
          ...Array.from({ length: 40 }, (_, index) => pair(`c${index}`, 800)).flat(),
        ],
      },
    ],
    [
      'all of it',
      { history: [asks, ...pair('c1', 5_000)], passages, summary: words(9_000), agent: { instructions: words(9_000) } },
    ],
  ])('%s', (_, changes) => {
    for (const context of [4_096, 8_192, 32_768]) {
      const { system, messages, size } = fitPrompt(request('Hi', changes), 6_000, context);
      const sent = `${system} ${messages.map(({ content }) => content).join(' ')}`;
      expect(estimateTokens(sent)).toBeLessThanOrEqual(context - 1_000 + context * 0.02);
      expect(Math.abs(size.tokens - estimateTokens(sent))).toBeLessThan(200 + messages.length * 30);
      expect(size.messages).toBe(messages.length);
      expect(system.match(/<passage /g) ?? []).toHaveLength(size.shown);
      const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
      const results = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
      expect(results).toEqual(calls.map(({ id }) => id));
    }
  });

  test('a message that is too long keeps its beginning and its end', () => {
    const [message] = fitPrompt(request('', { history: [asks] }), 6_000, 8_192).messages;
    expect(message?.content).toMatch(/^Begin word .*the middle is left out.* word\s+end\?$/s);
    const [whole] = fitPrompt(request('', { history: [asks] }), 6_000, null).messages;
    expect(whole?.content).toBe(asks.content);
  });

  test('of many calls the last ones are sent, and the question with them', () => {
    const steps = Array.from({ length: 40 }, (_, index) => pair(`c${index}`, 800)).flat();
    const { messages, size } = fitPrompt(
      request('', { history: [{ role: 'user', content: 'Go' }, ...steps] }),
      6_000,
      8_192,
    );
    expect(messages[0]).toMatchObject({ role: 'user', content: 'Go' });
    expect(messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'c39' });
    expect(size.omitted).toBe(81 - messages.length);
  });
});
