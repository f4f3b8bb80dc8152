import { streamText } from 'ai';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { embeddedModel } from '../../src/model/embedded.ts';
import { collapseSpaces } from '../../src/model/reply/text.ts';
import { createModelService } from '../../src/model/service.ts';
import { delivery, passage, refund, request, returns, weather } from '../support/model/model-requests.ts';
import { casesOf } from '../support/random/cases.ts';
import { growth } from '../support/random/growth.ts';

const model = createModelService({ models: { list: [], default: 'embedded' }, timeoutMs: 60_000 });
const passages = [returns, delivery, refund];

async function say(said: string, changes: Parameters<typeof request>[1] = { passages }) {
  return (await model.reply(request(said, changes))).content;
}

describe('the embedded model', () => {
  test('says its name and that it is embedded', () => {
    expect(model.choices).toMatchObject([{ name: 'embedded', provider: 'embedded', isDefault: true }]);
  });

  test('quotes the sentence that answers, with its place and a reference to the very words', async () => {
    const reply = await model.reply(request('How many days do I have to return an item?', { passages }));
    expect(reply).toMatchObject({
      content:
        'According to Return policy, page 2: “You may return an item within 30 days of delivery. Refunds are paid to the original card.” [1]',
      toolCalls: null,
      finish: 'stop',
      references: [
        {
          passageId: 'psg_1',
          sourceId: 'src_1',
          baseId: 'bas_1',
          quote: 'You may return an item within 30 days of delivery.',
        },
      ],
    });
    expect(reply.usage.promptTokens).toBeGreaterThan(50);
    expect(reply.usage).toMatchObject({ completionTokens: expect.any(Number), cachedTokens: 0 });
  });

  test('finds the answer of an faq by its question', async () => {
    expect(await say('How long will delivery take?')).toContain('“Three to five working days.” [');
  });

  test('answers in the language of the person', async () => {
    expect(await say('Qual é o prazo do reembolso?')).toBe(
      'Isto é o mais próximo que encontrei.\n\nSegundo Manual: “O reembolso é feito em até 7 dias úteis. A garantia é de 12 meses.” [1]',
    );
    expect(await say('¿Quién eres?')).toContain('Soy Bia');
    expect(await say('Você é um robô?')).toContain('modelo embutido');
  });

  test('answers the same again, without the network', async () => {
    const fetch = vi.spyOn(globalThis, 'fetch');
    expect(await say('Can I return an item on sale?')).toBe(await say('Can I return an item on sale?'));
    expect(fetch).not.toHaveBeenCalled();
    fetch.mockRestore();
  });

  test.each(['restricted', 'balanced', 'free'] as const)('says that it does not know when %s', async (freedom) => {
    const said = await say('What is the capital of France?', { passages, agent: { freedom } });
    expect(said).toMatch(/^I don't know: I found nothing/);
    expect(said?.includes('built-in model')).toBe(freedom !== 'restricted');
  });

  test.each(['Hello!', 'Oi, bom dia', '¡Hola!', 'hi Bia'])('greets back with the welcome: %s', async (hello) => {
    expect(await say(hello)).toBe('Welcome to the shop!');
  });

  test('greets in its own words without a welcome', async () => {
    expect(await say('Olá', { agent: { welcome: null } })).toBe('Olá! Eu sou Bia. Como posso ajudar?');
  });

  test('says what it is when asked', async () => {
    expect(await say('Are you a robot?')).toMatch(/not a person.*built-in model.*quoting/);
  });

  test('thanks for a name and an e-mail, and answers the question beside them', async () => {
    expect(await say('My name is Ana Souza, ana@example.com')).toBe(
      'Thank you, Ana Souza! I have noted ana@example.com.',
    );
    const both = await say('My name is Ana Souza, ana@example.com. Can I return items on sale?');
    expect(both).toMatch(/^Thank you, Ana Souza!.*\n\n.*“Items on sale cannot be returned\.” \[1\]$/);
  });

  test('an agent for leads asks once who it speaks with', async () => {
    const leads = { passages, agent: { purpose: 'leads' }, stage: 'identify' } as const;
    const first = await say('How many days do I have to return?', leads);
    expect(first).toContain('May I have your name');
    const history = [
      { role: 'user', content: 'How many days do I have to return?' },
      { role: 'assistant', content: first },
      { role: 'user', content: 'And how long is delivery?' },
    ] as const;
    expect(await say('', { ...leads, history: [...history] })).not.toContain('May I have your name');
    const visitor = { known: ['email'], missing: [] };
    expect(await say('How long is delivery?', { ...leads, visitor })).not.toContain('May I have your name');
  });

  test('is honest about what it cannot read', async () => {
    const history = [{ role: 'user' as const, content: null, attachments: [{ type: 'image' as const, data: 'AAAA' }] }];
    expect(await say('', { history })).toContain("can't see images");
  });

  test('writes every format', async () => {
    const in_ = (format: 'text' | 'html' | 'json') =>
      say('How many days to return?', { passages: [passage('Return <b>it</b> in 30 days.')], format });
    expect(await in_('text')).toBe('According to Return policy: “Return <b>it</b> in 30 days.” [1]');
    expect(await in_('html')).toBe('<p>According to Return policy: “Return &lt;b&gt;it&lt;/b&gt; in 30 days.” [1]</p>');
    expect(JSON.parse((await in_('json')) ?? '')).toEqual({
      answer: 'According to Return policy: “Return <b>it</b> in 30 days.”',
      references: [1],
    });
  });

  test('puts no marks for an agent without references', async () => {
    const reply = await model.reply(request('Can I return items on sale?', { passages, agent: { references: false } }));
    expect(reply.content).toMatch(/returned\.”$/);
    expect(reply.references).toEqual([]);
  });

  test('streams what it would answer at once', async () => {
    const asked = request('Can I return items on sale?', { passages });
    const { textStream, finishReason, usage } = streamText({
      model: embeddedModel(asked),
      prompt: 'Can I return items on sale?',
    });
    const deltas: string[] = [];
    for await (const delta of textStream) deltas.push(delta);
    expect(deltas.length).toBeGreaterThan(5);
    expect(deltas.join('')).toContain('“Items on sale cannot be returned.” [1 "Items on sale cannot be returned."]');
    expect(await finishReason).toBe('stop');
    expect((await usage).outputTokens).toBeGreaterThan(0);
  });
});

describe('the embedded model calls a tool that is plainly asked for', () => {
  test.each([
    ['What is the weather in Paris in celsius?', { city: 'Paris', unit: 'celsius' }],
    ['call get_weather with city: São Paulo', { city: 'São Paulo' }],
    ['use `get_weather` {"city": "Rome", "unit": "fahrenheit"}', { city: 'Rome', unit: 'fahrenheit' }],
    ['get the weather for "New York"', { city: 'New York' }],
  ])('%s', async (said, values) => {
    const reply = await model.reply(request(said, { passages, tools: [weather] }));
    expect(reply).toMatchObject({ content: null, finish: 'tool-calls', references: [] });
    expect(reply.toolCalls).toEqual([{ id: expect.any(String), name: 'get_weather', arguments: values }]);
  });

  test.each([
    ["don't use get_weather for Rome", /know/],
    ['How do I return an item?', /“You may return/],
    ['Is the weather good?', /know/],
  ])('not when it is not asked for: %s', async (said, words) => {
    const reply = await model.reply(request(said, { passages, tools: [weather] }));
    expect(reply.toolCalls).toBeNull();
    expect(reply.content).toMatch(words);
  });

  test('asks for what a named tool requires', async () => {
    expect(await say('use get_weather', { tools: [weather] })).toBe('To use get_weather I need: city.');
  });

  test('goes on with the result, and says when there was none', async () => {
    const call = { id: 'c1', name: 'get_weather', arguments: { city: 'Paris' } };
    const history = [
      { role: 'user' as const, content: 'weather in Paris' },
      { role: 'assistant' as const, content: null, toolCalls: [call] },
      { role: 'tool' as const, toolCallId: 'c1', content: '{"temperature":21,"sky":"clear"}' },
    ];
    expect(await say('', { history, tools: [weather] })).toBe('get_weather answered: temperature: 21, sky: clear');
    const unanswered = [...history.slice(0, 2), { role: 'tool' as const, toolCallId: 'c1', content: 'not executed' }];
    expect(await say('', { history: unanswered })).toContain('was not executed');
  });
});

describe('whatever is said', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          'return',
          'items',
          '[1]',
          '“30 days”',
          'get_weather',
          'city:',
          '{"city":',
          '?',
          '.',
          '\n',
          'Ana',
        ),
        { maxLength: 20 },
      )
      .map((words) => words.join(' ')),
  );

  test('there is an answer or a call, and each quote stands in its passage', async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(text, { maxLength: 3 }),
        fc.constantFrom('markdown', 'text', 'html', 'json'),
        async (said, texts, format) => {
          const found = texts.map((own, index) => passage(own, { id: String(index) }));
          const reply = await model.reply(request(said, { passages: found, format, tools: [weather] }));
          expect(reply.content === null).toBe(reply.toolCalls !== null);
          for (const { passageId, quote } of reply.references)
            expect(collapseSpaces(texts[Number(passageId)] ?? '')).toContain(quote);
          if (format === 'json' && reply.content) JSON.parse(reply.content);
        },
      ),
      { numRuns: casesOf(300) },
    );
  });

  test.each(['{', 'city: ', ' in ', '“', 'are you a '])(
    'twice as long a message that was made to be slow takes twice as long: %j',
    async (part) => {
      const tools = Array.from({ length: 64 }, (_, index) => ({ ...weather, name: `get_weather_${index}` }));
      expect(
        await growth(32_000, (length) => model.reply(request(part.repeat(length / part.length), { passages, tools }))),
      ).toBeLessThan(5);
    },
  );
});
