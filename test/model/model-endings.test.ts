import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createThoughtFilter, startOfAnswer, withoutThoughts } from '../../src/model/reply/thoughts.ts';
import { readEvents, textOf } from '../support/conversations/event-stream.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { anthropicProtocol } from '../support/model/anthropic.ts';
import { googleProtocol } from '../support/model/google.ts';
import { type Scripted, startModelServer } from '../support/model/model-server.ts';
import { openAiProtocol } from '../support/model/openai.ts';
import { casesOf } from '../support/random/cases.ts';

const key = 'k1';
const told = { usage: null as unknown };
const protocols = {
  openai: openAiProtocol(key, () => told.usage),
  anthropic: anthropicProtocol(key),
  google: googleProtocol(key),
};
type Name = keyof typeof protocols;
const names = Object.keys(protocols) as Name[];
const servers = {} as Record<Name, Awaited<ReturnType<typeof startModelServer>>>;
const agents = {} as Record<Name, { id: string }>;
let gateway: Gateway;
let home: TestWorkspace;

beforeAll(async () => {
  for (const name of names) servers[name] = await startModelServer(protocols[name]);
  const path = { openai: '/v1', anthropic: '/v1', google: '/v1beta' };
  const MODELS = names.map((name) => `${name}=${name}:m?url=${servers[name].address}${path[name]}&key=K1`).join(',');
  gateway = await openGateway({ MODELS, K1: key });
  home = await makeWorkspace(gateway);
  for (const name of names) agents[name] = await makeAgent(gateway, home.editor, { model: name });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all(names.map((name) => servers[name].close()));
});

const subscription =
  'subscription ($input: SendMessageInput!) { streamMessage(input: $input) { id part turn { messages { content metadata } } } }';

/** The turn in each form: one body, server-sent events, and a subscription. */
async function everyForm(name: Name, scripted: Scripted) {
  const agentId = agents[name].id;
  const message = { content: 'Hello' };
  const authorization = `Bearer ${await gateway.bearer(home.app)}`;
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json', authorization };
  const post = (path: string, body: object) =>
    gateway.app.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
  servers[name].next(scripted, scripted, scripted);
  const whole = (await gateway.rest(home.app, 'POST', `/api/${agentId}`, { message })).body;
  const events = await readEvents(await post(`/api/${agentId}`, { message })).rest();
  const text = await (
    await post('/graphql', { query: subscription, variables: { input: { agentId, message } } })
  ).text();
  const parts = [...text.matchAll(/^data: (\{.*)$/gm)].map(
    ([, json]) => JSON.parse(json ?? '').data.streamMessage.part,
  );
  return { whole, events, parts, raw: JSON.stringify([whole, events, parts]) };
}

test.each(names)('a reply of %s that was cut off says so, as a body and in each stream', async (name) => {
  const { whole, events, parts } = await everyForm(name, { say: ['Once', ' upon'], after: 'length' });
  expect(Object.keys(whole)).toEqual(['id', 'messages', 'status', 'lead']);
  expect(whole.messages[0]).toMatchObject({ content: 'Once upon', metadata: { model: name, finishReason: 'length' } });
  const finish = { type: 'finish', finishReason: 'length', messageMetadata: { finishReason: 'length' } };
  expect(events.map(({ data }) => data).find(({ type }) => type === 'finish')).toMatchObject(finish);
  expect(parts.find(({ type }) => type === 'finish')).toMatchObject(finish);
  const ended = await everyForm(name, { say: ['All', ' of it'] });
  expect(ended.whole.messages[0].metadata.finishReason).toBe('stop');
  expect(ended.parts.find(({ type }) => type === 'finish')).toMatchObject({ finishReason: 'stop' });
});

test.each(names)('what a model of %s thinks is told in no form, and not to the model again', async (name) => {
  const say = [
    '\n<th',
    'ink>The visitor is',
    ' a secret fool</thi',
    'nk>\n\nHello',
    ' there',
    '. <think>never clo',
    'sed secret',
  ];
  const { whole, events, parts, raw } = await everyForm(name, { say });
  expect(whole.messages[0].content).toBe('Hello there.');
  expect(textOf(events).trim()).toBe('Hello there.');
  expect(
    parts
      .map(({ delta }) => delta ?? '')
      .join('')
      .trim(),
  ).toBe('Hello there.');
  expect(raw).not.toMatch(/secret|think/);
  servers[name].next({ say: ['Yes'] });
  await gateway.rest(home.app, 'POST', `/api/${agents[name].id}`, { id: whole.id, message: { content: 'More' } });
  const asked = JSON.stringify(servers[name].requests.at(-1)?.body);
  expect(asked).toContain('Hello there.');
  expect(asked).not.toMatch(/secret fool|never clo/);
});

test.each(names)('what a model of %s thinks is told in no form where its template opened the thought', async (name) => {
  const say = ['A secret plan\nof three steps.\n</thi', 'nk>\n\nHello', ' there.', ' It ends with </think> here.'];
  const { whole, events, parts, raw } = await everyForm(name, { say });
  const said = 'Hello there. It ends with </think> here.';
  expect(whole.messages[0].content).toBe(said);
  expect(textOf(events).trim()).toBe(said);
  const told = parts.map(({ delta }) => delta ?? '').join('');
  expect(told.trim()).toBe(said);
  expect(raw).not.toMatch(/secret|three steps/);
});

test('a model that thinks no more is heard at once again', async () => {
  const { events } = await everyForm('openai', { say: ['Hello', ' there.'] });
  const pieces = events.filter(({ data }) => data.type === 'text-delta');
  expect(pieces.length).toBeGreaterThan(1);
});

test.each<[string, number | null, number]>([
  ['', null, 0],
  ['Plain.', null, 0],
  ['A plan.\n</think>\nYes.', 16, 16],
  ['</think>Yes.', 8, 8],
  ['A plan.</thinking>\nYes.', 18, 18],
  ['A plan.</think>', null, 15],
  ['A plan.</think> and so on', null, 0],
  ['It ends with `</think>`\nYes.', null, 0],
  ['```html\n</think>\n```\nYes.', null, 0],
  ['```\n</think>\n```\nA plan.\n</think>\nYes.', 33, 33],
  ['<think>A plan.\n</think>\nYes.', 0, 0],
  ['First <think>more</think>\nYes.', 0, 0],
])('the answer in %j begins at %s while it may go on, and at %s when it is whole', (text, open, whole) => {
  expect([startOfAnswer(text, false), startOfAnswer(text, true)]).toEqual([open, whole]);
});

test('a reply in pieces is told as it is whole, wherever they end', () => {
  const bits = ['<think>', '</think>', '</thinking>', '```', '`', ' ', '\n', '\r\n', 'a', 'Yes.', '<', '</th', 'ink>'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...bits), { maxLength: 12 }), (pieces) => {
      const filter = createThoughtFilter({ begun: true });
      const told = pieces.map((piece) => filter.push(piece)).join('') + filter.end();
      expect(told).toBe(withoutThoughts(pieces.join('')));
    }),
    { numRuns: casesOf(2_000) },
  );
});

test('nothing but thoughts is no answer', async () => {
  servers.openai.next({ say: ['<think>Hm'], after: 'length' });
  const { status, body } = await gateway.rest(home.app, 'POST', `/api/${agents.openai.id}`, {
    message: { content: 'Hi' },
  });
  expect([status, body.code]).toEqual([502, 'model_error']);
});

test('thoughts are taken out alike however a text is cut into pieces, and nothing else is', () => {
  const piece = fc.constantFrom(
    '<think>',
    '</think>',
    '\n',
    '```',
    '<thinking>',
    '</Thinking>',
    '<',
    'a <b> c',
    '`<think>`',
    '<thi',
    'x',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(20), { maxLength: 30 }), (pieces, cuts) => {
      const text = pieces.join('');
      const filter = createThoughtFilter({ begun: true });
      let said = '';
      let at = 0;
      for (const length of cuts) {
        said += filter.push(text.slice(at, at + length));
        at += length;
      }
      said += filter.push(text.slice(at)) + filter.end();
      expect(said).toBe(withoutThoughts(text));
      if (!/think/i.test(text)) expect(said).toBe(text);
    }),
  );
  expect(withoutThoughts('Write `<think>` so.')).toBe('Write `<think>` so.');
});

const usageOf = async (usage: unknown) => {
  told.usage = usage;
  const { whole } = await everyForm('openai', { say: ['Hello', ' there'] });
  const { id } = whole.messages[0];
  const document =
    'query ($id: ID!) { message(id: $id) { usage { promptTokens completionTokens cachedTokens } trace { cost } } }';
  const { message } = await gateway.data(home.owner, document, { id });
  return { rest: whole.messages[0].usage, graph: message.usage };
};
const zero = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };
const none = { promptTokens: null, completionTokens: null, cachedTokens: null };

test.each<[string, unknown, object, object]>([
  ['that is not told', null, none, zero],
  ['that is empty', {}, none, zero],
  [
    'that is negative',
    { prompt_tokens: -5, completion_tokens: -1, prompt_tokens_details: { cached_tokens: -2 } },
    none,
    zero,
  ],
  [
    'that is written in words',
    { prompt_tokens: 'many', completion_tokens: '7', total_tokens: [], prompt_tokens_details: 'none' },
    none,
    zero,
  ],
  ['that is a text', 'much', none, zero],
  ['that is a list', [1, 2], none, zero],
  ['that is true', true, none, zero],
  [
    'that holds no number where one is told',
    { prompt_tokens: {}, completion_tokens: 7 },
    { ...none, completionTokens: 7 },
    { ...zero, completionTokens: 7 },
  ],
  [
    'of which a part is told',
    { completion_tokens: 7 },
    { ...none, completionTokens: 7 },
    { ...zero, completionTokens: 7 },
  ],
  [
    'that is told',
    { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
    { promptTokens: 11, completionTokens: 7, cachedTokens: 4 },
    { promptTokens: 11, completionTokens: 7, cachedTokens: 4 },
  ],
])('usage %s is null in the graph where it is unknown, and a number in REST', async (_, usage, graph, rest) => {
  expect(await usageOf(usage)).toEqual({ graph, rest });
});
