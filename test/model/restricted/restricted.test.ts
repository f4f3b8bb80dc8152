import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { createModelService, type HistoryMessage } from '../../../src/model/service.ts';
import { delivery, request, returns } from '../../support/model/model-requests.ts';
import { type Scripted, startOpenAiServer } from '../../support/model/openai-server.ts';

const apiKey = 'sk-restricted';
let server: Awaited<ReturnType<typeof startOpenAiServer>>;
beforeAll(async () => {
  server = await startOpenAiServer(apiKey);
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

type Changes = Parameters<typeof request>[1];
const unknown = "I don't know: I found nothing about that in my knowledge base.";
const thirtyDays = 'You may return an item within 30 days of delivery [1].';

/** The delivered reply of a restricted agent, and its pieces; streamed and whole must be the same. */
async function answer(said: string, scripted: Scripted | string | null, { agent, ...changes }: Changes = {}) {
  const { models } = readConfig({ MODEL_BASE_URL: server.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: apiKey });
  const model = createModelService({ models, timeoutMs: 10_000, retries: 0 });
  const asked = request(said, {
    passages: [returns, delivery],
    ...changes,
    agent: { freedom: 'restricted', ...agent },
  });
  const once = typeof scripted === 'string' ? [{ content: scripted }] : scripted ? [scripted] : [];
  const pieces: string[] = [];
  server.next(...once, ...once);
  const streamed = await model.stream(asked, (piece) => pieces.push(piece));
  const { content, references, withheld } = await model.reply(asked);
  expect({ content, references, withheld }).toEqual({
    content: streamed.content,
    references: streamed.references,
    withheld: streamed.withheld,
  });
  if (streamed.toolCalls === null) expect(pieces.join('')).toBe(streamed.content);
  return { ...streamed, pieces, asked: server.requests.length };
}

describe('a restricted agent tells what rests on its knowledge', () => {
  test.each([
    ['it quotes', 'You have 30 days [1 "within 30 days of delivery"].', thirtyDays],
    ['it quotes behind the full stop', 'You have 30 days. [1 "within 30 days of delivery"]', thirtyDays],
    [
      'it tells in the words of a passage',
      'Items on sale cannot be returned.',
      'Items on sale cannot be returned [1].',
    ],
    ['it translates', 'Você tem 30 dias [1 "within 30 days of delivery"].', thirtyDays],
    ['it gets wrong', 'You may return an item within 90 days of delivery [1].', thirtyDays],
    ['it says twice', 'You have 30 days [1]. That is, you may return an item within 30 days [1].', thirtyDays],
    [
      'answers a question',
      'Delivery takes 3 to 5 working days [2].',
      'How long does delivery take? Three to five working days [1].',
    ],
    ['its instructions say', 'Write to us at the harbour office.', 'Write to us at the harbour office.'],
    [
      'it quotes its instructions',
      'O escritório fica no porto [0 "at the harbour office"].',
      'People may write to us at the harbour office.',
    ],
  ])('what %s', async (_, said, told) => {
    const { content, withheld } = await answer('And returns?', said, {
      agent: { instructions: 'People may write to us at the harbour office.' },
    });
    expect([content, withheld]).toEqual([told, 0]);
  });

  test('and gives references only where the agent shall', async () => {
    const said = 'You have 30 days [1 "within 30 days of delivery"].';
    expect((await answer('Returns?', said)).references).toHaveLength(1);
    const { content, references } = await answer('Returns?', said, { agent: { references: false } });
    expect([content, references]).toEqual(['You may return an item within 30 days of delivery.', []]);
  });

  test('the result of a tool, also in other words and rounded', async () => {
    const history: HistoryMessage[] = [
      { role: 'user', content: 'Como está o tempo?' },
      { role: 'assistant', content: null, toolCalls: [{ id: 'c1', name: 'weather', arguments: {} }] },
      { role: 'tool', toolCallId: 'c1', content: '{"temp":18.4,"sky":"clear"}' },
    ];
    const { content } = await answer('', 'O céu está limpo, com 18 graus. Amanhã são 25 graus.', { history });
    expect(content).toBe('O céu está limpo, com 18 graus.');
  });

  test('what it said before', async () => {
    const history: HistoryMessage[] = [
      { role: 'user', content: 'Sunday?' },
      { role: 'assistant', content: 'The ferry sails on Sunday at 9.' },
      { role: 'user', content: 'Really?' },
    ];
    expect((await answer('', 'The ferry sails on Sunday at 9.', { history })).content).toContain('ferry');
  });
});

describe('a restricted agent says that it does not know', () => {
  test.each([
    ['states without a citation', 'Paris is the capital of France.'],
    ['makes a quote up', 'You have 90 days [1 "within 90 days of delivery"].'],
    ['cites a passage that is not there', 'Paris is the capital of France [7].'],
    ['puts a true quote under a number that is not there', 'You have 90 days [1 "within 30 days of delivery"].'],
    ['puts a true quote under something else', 'Paris is the capital of France [1 "within 30 days of delivery"].'],
    ['quotes a letter', 'Elephants are the largest animals [1 "a"].'],
    ['says yes', 'Yes.'],
    ['says sure', 'Sure, absolutely!'],
    ['admits first, then fills the gap', "I don't know, but Paris is the capital of France."],
    ['says what the visitor said', 'The heated pool belongs to you.'],
    ['writes code', '```\nprint("Paris is the capital of France")\n```'],
  ])('when the model %s', async (_, said) => {
    const { content, references, withheld } = await answer('Is there a heated pool?', said);
    expect([content, references, withheld > 0]).toEqual([unknown, [], true]);
  });

  test('in the language of the conversation', async () => {
    expect((await answer('Qual é a capital da França?', 'É Paris, a cidade luz.')).content).toMatch(/^Não sei:/);
    expect((await answer('¿Cuál es la capital de Francia?', 'Es París, ciudad de la luz.')).content).toMatch(
      /^No lo sé:/,
    );
  });

  test('without asking a model, where there is nothing at all to answer from', async () => {
    const agent = { instructions: null };
    const { content, asked, model } = await answer('What is a quark?', null, { passages: [], agent });
    expect([content, asked, model]).toEqual([unknown, 0, 'embedded']);
    const lead = { instructions: null, purpose: 'leads' as const };
    const asks = await answer('What is a quark?', null, { passages: [], agent: lead, stage: 'identify' });
    expect(asks.content).toContain('May I have your name');
  });

  test('after a tool that failed', async () => {
    const history: HistoryMessage[] = [
      { role: 'user', content: 'How is the weather?' },
      { role: 'assistant', content: null, toolCalls: [{ id: 'c1', name: 'weather', arguments: {} }] },
      { role: 'tool', toolCallId: 'c1', content: 'The tool gave no result: it could not be reached or failed.' },
    ];
    expect((await answer('', 'It rains in Lisbon.', { history })).content).toBe(unknown);
  });
});

test('what is false is left out of what is true, and nothing that was told is unsaid', async () => {
  const said =
    'Hello! Paris is in France. You have 30 days [1 "within 30 days of delivery"]. That is long.\n\n- It costs 99 euros.\n- Items on sale cannot be returned [1 "cannot be returned"].\n\nIs there anything else?';
  const { content, pieces, withheld } = await answer('Returns?', said);
  expect(content).toBe(
    'Hello! You may return an item within 30 days of delivery [1].\n\n- Items on sale cannot be returned [1].\n\nIs there anything else?',
  );
  expect(withheld).toBe(3);
  expect(pieces.length).toBeGreaterThan(2);
});

test.each([
  ['a greeting', 'Hi', 'Hello! I am Bia. How can I help you?'],
  ['thanks', 'Obrigada!', 'De nada! Posso ajudar em algo mais?'],
  [
    'what was noted of the visitor',
    'I am Ana Souza, ana@example.com',
    'Thank you, Ana Souza! I have noted ana@example.com.',
  ],
  [
    'a question for the lead',
    'My order is late',
    'May I have your name and e-mail, so that a colleague can write to you?',
  ],
])('%s is told as the model says it', async (_, said, content) => {
  expect(await answer(said, content, { passages: [] })).toMatchObject({ content, withheld: 0 });
});

describe('other formats obey too', () => {
  const json = (value: unknown) => ({ content: JSON.stringify(value) });

  test('HTML, block by block', async () => {
    const said =
      '<p>Paris is in France.</p><ul><li>You have <strong>30 days</strong> [1 "within 30 days of delivery"].</li><li>It costs 99 euros.</li></ul>';
    const { content } = await answer('Returns?', said, { format: 'html' });
    expect(content).toBe(`<ul><li>${thirtyDays}</li></ul>`);
    const { content: nothing } = await answer('Returns?', '<p>Paris is in France.</p>', { format: 'html' });
    expect(nothing).toBe("<p>I don't know: I found nothing about that in my knowledge base.</p>");
  });

  test('the answer in JSON', async () => {
    const true1 = await answer(
      'Returns?',
      json({ answer: 'You may return an item within 30 days.', references: [1] }),
      {
        format: 'json',
      },
    );
    expect(JSON.parse(true1.content ?? '')).toMatchObject({ references: [1] });
    const lie = await answer('Capital?', json({ answer: 'It is Paris, in France.', references: [1] }), {
      format: 'json',
    });
    expect(JSON.parse(lie.content ?? '')).toEqual({ answer: unknown, references: [] });
  });

  test('JSON by a schema: the model is told once what is made up, then the reply fails', async () => {
    const jsonSchema = {
      type: 'object',
      properties: { days: { type: ['number', 'null'] }, mood: { enum: ['calm', 'angry'] } },
      required: ['days', 'mood'],
    };
    const { models } = readConfig({ MODEL_BASE_URL: server.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: apiKey });
    const model = createModelService({ models, timeoutMs: 10_000, retries: 0 });
    const changes = {
      format: 'json' as const,
      jsonSchema,
      passages: [returns],
      agent: { freedom: 'restricted' as const },
    };
    server.next(json({ days: 45, mood: 'calm' }), json({ days: 30, mood: 'calm' }));
    expect((await model.reply(request('How many days?', changes))).content).toBe('{"days":30,"mood":"calm"}');
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain('/days: rests on no passage');
    server.next(json({ days: 45, mood: 'calm' }), json({ days: 45, mood: 'calm' }));
    await expect(model.reply(request('How many days?', changes))).rejects.toMatchObject({
      code: 'model_error',
      issues: [{ message: expect.stringContaining('/days') }],
    });
  });
});

test('agents that are not restricted say what the model says', async () => {
  for (const freedom of ['balanced', 'free'] as const) {
    const { content } = await answer('Capital?', 'Paris is the capital of France.', { agent: { freedom } });
    expect(content).toBe('Paris is the capital of France.');
  }
});
