import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../../src/config/config.ts';
import { createModelService } from '../../../src/model/service.ts';
import { delivery, request, returns } from '../../support/model/model-requests.ts';
import { startOpenAiServer } from '../../support/model/openai-server.ts';

const apiKey = 'sk-writer';
/** The verifier's answer to a statement: a word, an HTTP status, or none. */
let verdict: (statement: string) => string | number | null;
const asked: { statement: string; source: string; key: string | undefined; model: string }[] = [];

/** The OpenAI-compatible server of the verifier. */
const judge = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const text = String(body.messages.at(-1).content);
    const statement = /<statement>\n([^]*)\n<\/statement>/.exec(text)?.[1] ?? '';
    const source = /<passage>\n([^]*)\n<\/passage>/.exec(text)?.[1] ?? '';
    asked.push({ statement, source, key: incoming.headers.authorization, model: body.model });
    const said = verdict(statement);
    if (said === null) return;
    response.writeHead(typeof said === 'number' ? said : 200, { 'content-type': 'application/json' });
    const message = { role: 'assistant', content: String(said), refusal: null };
    const usage = { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 };
    const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }];
    const completion = { id: 'c', object: 'chat.completion', created: 1, model: body.model, choices, usage };
    response.end(
      JSON.stringify(typeof said === 'number' ? { error: { message: 'Not now', type: 'error' } } : completion),
    );
  });
});
let writer: Awaited<ReturnType<typeof startOpenAiServer>>;
beforeAll(async () => {
  writer = await startOpenAiServer(apiKey);
  await new Promise<void>((ready) => judge.listen(0, '127.0.0.1', ready));
});
afterAll(async () => {
  await writer.close();
  judge.closeAllConnections();
  judge.close();
});
beforeEach(() => {
  asked.length = 0;
  verdict = () => 'yes';
});

const settings = () => ({
  MODEL_BASE_URL: writer.baseUrl,
  MODEL_NAME: 'writer',
  MODEL_API_KEY: apiKey,
  MODELS: `judge=openai:judge-1?url=http://127.0.0.1:${(judge.address() as AddressInfo).port}/v1&key=JUDGE_KEY&input=1&output=1`,
  JUDGE_KEY: 'sk-judge',
  VERIFY_MODEL: 'judge',
});

/** The delivered reply to this model output, streamed and whole. */
async function reply(said: string, changes: Parameters<typeof request>[1] = {}) {
  const { models, verifier } = readConfig(settings());
  const warnings: object[] = [];
  const log = { warn: (what: object) => warnings.push(what) };
  const model = createModelService({ models, verifier, timeoutMs: 20_000, retries: 0, log });
  const { agent, ...more } = changes;
  const request_ = request('And returns?', {
    passages: [returns, delivery],
    ...more,
    agent: { freedom: 'restricted', ...agent },
  });
  writer.next({ content: said }, { content: said });
  const pieces: string[] = [];
  const streamed = await model.stream(request_, (piece) => pieces.push(piece));
  const whole = await model.reply(request_);
  expect(pieces.join('')).toBe(streamed.content);
  expect(whole.content).toBe(streamed.content);
  return { ...streamed, warnings };
}

const true1 = 'You have 30 days [1 "within 30 days of delivery"].';
/** In words of its own, which no rule compares. */
const true2 = 'Bargains stay with whoever took them [1 "Items on sale cannot be returned"].';
/** It shares a word with a sentence, which can be quoted for it. */
const true3 = 'Nothing that was bought on sale goes back [1].';
const told2 = 'Bargains stay with whoever took them [1].';

test('what it denies is withheld, what it affirms is told, in order', async () => {
  verdict = (statement) => (statement.includes('30 days') ? 'No.' : 'Yes');
  const { content, withheld } = await reply(`${true1} ${true2}`);
  expect([content, withheld]).toEqual([told2, 1]);
  expect(asked[0]).toMatchObject({
    statement: 'You have 30 days.',
    source: expect.stringContaining('within 30 days of delivery'),
    key: 'Bearer sk-judge',
    model: 'judge-1',
  });
});

test('it may affirm other words than the rules know, but no number, name or link that does not stand there', async () => {
  const { content } = await reply(
    'Bargains stay with whoever took them [1 "Items on sale cannot be returned"]. You have 90 days [1 "within 30 days of delivery"]. See https://x.test/y [1 "within 30 days of delivery"].',
  );
  expect(content).toBe('Bargains stay with whoever took them [1].');
  expect(asked.map(({ statement }) => statement)).not.toContainEqual(expect.stringMatching(/90|x\.test/));
});

test('what repeats a sentence of a passage is told in its words, and what a rule shows to be wrong too, without asking', async () => {
  const { content } = await reply(
    'One may return items within 30 days of the delivery [1]. Items on sale can be returned [1].',
  );
  expect([content, asked]).toEqual([
    'You may return an item within 30 days of delivery [1]. Items on sale cannot be returned [1].',
    [],
  ]);
});

test('what was judged, quoted or withheld is told, with its passage and what decided', async () => {
  verdict = (statement) => (statement.includes('30 days') ? 'no' : 'yes');
  const { checks } = await reply(
    `${true1} ${true2} Items on sale can be returned [1]. You have 90 days to return items [1]. I do not know the price.`,
  );
  expect(checks.map(({ outcome, by, passageIds }) => [outcome, by, passageIds.length])).toEqual([
    ['withheld', 'judge', 1],
    ['delivered', 'judge', 1],
    ['quoted', 'negation', 1],
    ['quoted', 'fact', 1],
    ['admitted', null, 0],
  ]);
  expect(checks[3]?.statement).toBe('You have 90 days to return items.');
});

test('greetings, questions and admissions are not sent to it', async () => {
  const { content } = await reply('Hello! I do not know that. Is there anything else?');
  const unknown = "I don't know: I found nothing about that in my knowledge base.";
  expect([content, asked]).toEqual([`Hello! ${unknown} Is there anything else?`, []]);
});

test('the answer in JSON is judged too', async () => {
  verdict = () => 'no';
  const { content } = await reply(JSON.stringify({ answer: 'You have 30 days.', references: [1] }), {
    format: 'json',
  });
  expect(JSON.parse(content ?? '')).toMatchObject({ answer: expect.stringMatching(/^I don't know/), references: [] });
});

test('its tokens and their price are part of the reply', async () => {
  const { usage } = await reply(true2);
  expect(usage).toMatchObject({ promptTokens: 111, completionTokens: 8 });
});

describe('passages are quoted where it', () => {
  test.each([
    ['fails', () => 500],
    ['does not exist', () => 404],
    ['says neither yes nor no', () => 'Perhaps.'],
  ])('%s, which is logged, and it is not asked again for this reply', async (_, says) => {
    verdict = says;
    const { content, warnings } = await reply(`${true3} Paris is the capital of France.`);
    expect(content).toBe('Items on sale cannot be returned [1].');
    expect(warnings).toContainEqual(expect.objectContaining({ model: 'judge' }));
    expect(JSON.stringify(warnings)).not.toMatch(/sk-judge|on sale/);
  });

  test('takes longer than five seconds', async () => {
    verdict = () => null;
    const started = performance.now();
    const { content } = await reply(true3);
    expect(content).toBe('Items on sale cannot be returned [1].');
    expect(performance.now() - started).toBeGreaterThan(4_900);
  });
});

test('other agents are not judged', async () => {
  verdict = () => 'no';
  const { content } = await reply('Paris is the capital of France.', { agent: { freedom: 'balanced' } });
  expect([content, asked]).toEqual(['Paris is the capital of France.', []]);
});

test('VERIFY_MODEL names a configured model', () => {
  expect(readConfig({}).verifier).toBeNull();
  expect(readConfig(settings()).verifier).toMatchObject({ name: 'judge', model: 'judge-1' });
  expect(() => readConfig({ ...settings(), VERIFY_MODEL: 'other' })).toThrow(ConfigError);
  expect(() => readConfig({ VERIFY_MODEL: 'embedded' })).toThrow(/^VERIFY_MODEL: must be the name of a model/);
});
