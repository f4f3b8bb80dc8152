import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { startOpenAiServer, type WireRequest } from '../support/model/openai-server.ts';

const key = 'sk-leads';
const soon = { interval: 20, timeout: 60_000 };
let server: Awaited<ReturnType<typeof startOpenAiServer>>;
let gateway: Gateway;
let home: TestWorkspace;
let agent: { id: string };
/** Pending lead extractions: a late one would consume the answer meant for the next. */
const readings: Promise<unknown>[] = [];
const allRead = () => Promise.allSettled(readings);

beforeAll(async () => {
  server = await startOpenAiServer(key);
  const env = { MODEL_BASE_URL: server.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key, MODEL_TIMEOUT_MS: '60000' };
  gateway = await openGateway(env);
  const { model } = gateway.services;
  const { extract } = model;
  model.extract = (request) => {
    const reading = extract(request);
    readings.push(reading);
    return reading;
  };
  ({ home, agent } = await makeLeadsWorkspace());
});
afterAll(async () => {
  await gateway.close();
  await server.close();
});
beforeEach(() => void server.requests.splice(0));
afterEach(allRead);

/** A workspace with custom fields and an agent that collects leads. */
async function makeLeadsWorkspace(model = 'default') {
  const workspace = await makeWorkspace(gateway);
  const create = 'mutation ($input: CreateFieldInput!) { createField(input: $input) { field { id } } }';
  const field = (input: object) => gateway.data(workspace.editor, create, { input });
  await field({ name: 'Budget', type: 'number', description: 'In dollars a month' });
  await field({ name: 'Plan', type: 'choice', options: ['Gold', 'Silver'] });
  await field({ name: 'CNPJ', type: 'cnpj' });
  const input = { purpose: 'leads', ...(model === 'embedded' && { model }) };
  return { home: workspace, agent: await makeAgent(gateway, workspace.editor, input) };
}

type Options = { id?: string; viewer?: Viewer; agentId?: string; headers?: object; leadId?: string };
async function say(
  content: string | string[],
  { viewer = home.app, agentId = agent.id, headers, ...body }: Options = {},
) {
  const messages = [content].flat().map((text) => ({ content: text }));
  const answer = await gateway.rest(viewer, 'POST', `/api/${agentId}`, { ...body, messages }, headers);
  expect(answer.status).toBe(200);
  return answer.body;
}

const captured = 'captured { field value message { id content } }';
async function leadOf(conversationId: string, viewer = home.viewer) {
  const document = `query ($id: ID!) { conversation(id: $id) { stage lead { id name email phone company custom capture ${captured} } } }`;
  const { conversation } = await gateway.data(viewer, document, { id: conversationId });
  return { stage: conversation.stage, ...conversation.lead };
}
const origins = (lead: { captured: { field: string; value: unknown; message: { content: string } }[] }) =>
  lead.captured.map(({ field, value, message }) => [field, value, message.content]);
const answers = (values: object) => server.nextStructured({ content: JSON.stringify(values) });
const reads = () => server.requests.filter(({ response_format }) => response_format?.json_schema?.name === 'visitor');
const replies = () => server.requests.filter(({ response_format }) => !response_format);
const systemOf = (request?: WireRequest) => String(request?.messages[0]?.content);
const traceOf = async (id: string) => {
  const query =
    'query ($id: ID!) { message(id: $id) { usage { promptTokens } trace { capture { model fields usage { promptTokens completionTokens } attempts { outcome } } } } }';
  return (await gateway.data(home.editor, query, { id })).message;
};

describe('an agent that collects leads', () => {
  test('has its model read what the patterns do not see, and notes the message of each value', async () => {
    answers({
      name: { value: 'Ana', message: 1 },
      email: null,
      field_6: { value: 1500, message: 2 },
      field_7: { value: 'gold', message: 2 },
    });
    const { id } = await say(['Ana here', 'fifteen hundred a month for the golden one, ana at home: ana@example.com']);
    await vi.waitFor(async () => expect((await leadOf(id)).name).toBe('Ana'), soon);
    const lead = await leadOf(id);
    expect(lead).toMatchObject({
      name: 'Ana',
      email: 'ana@example.com',
      custom: { Budget: 1500, Plan: 'Gold' },
      capture: 'completed',
      stage: 'completed',
    });
    expect(origins(lead).map(([field, value, text]) => [field, value, String(text).slice(0, 8)])).toEqual([
      ['Budget', 1500, 'fifteen '],
      ['Plan', 'Gold', 'fifteen '],
      ['email', 'ana@example.com', 'fifteen '],
      ['name', 'Ana', 'Ana here'],
    ]);
    const [read] = reads();
    expect(read?.response_format?.json_schema).toMatchObject({
      strict: true,
      schema: { required: ['name', 'email', 'phone', 'company', 'site', 'field_6', 'field_7', 'field_8'] },
    });
    expect(systemOf(read)).toContain('field_6 (number): Budget: In dollars a month');
  });

  test('asks for what is missing, one thing after the other, and shows no value that it knows', async () => {
    const { id } = await say('Hello');
    expect(systemOf(replies()[0])).toMatch(
      /visitor for next, unless the conversation shows it: name,.* e-mail or phone,.*Budget/,
    );
    await say('My name is Ana Souza', { id });
    expect(systemOf(replies()[1])).toMatch(/Noted of the visitor already: name\. .*shows it: e-mail or phone/);
    await say('ana@example.com', { id });
    expect(systemOf(replies()[2])).toMatch(/name, email\. .*shows it: Budget, In dollars a month\./);
    await say('Budget: 100, Plan: Gold', { id });
    expect(systemOf(replies()[3])).toContain('shows it: CNPJ.');
    expect(systemOf(replies()[3])).not.toContain('Ana Souza');
    await allRead();
    server.requests.length = 0;
    await say('CNPJ 12.ABC.345/01DE-35', { id });
    expect(systemOf(replies()[0])).toContain('ask the visitor for no more data');
    // The lead is complete, so no model is asked.
    expect(reads()).toHaveLength(0);
    expect((await leadOf(id)).custom).toEqual({ Budget: 100, Plan: 'Gold', CNPJ: '12ABC34501DE35' });
  });

  test('keeps nothing that breaks the rules, that nobody said, or that has the wrong type', async () => {
    answers({
      name: { value: 'Eve Invented', message: 1 },
      email: { value: 'not an email', message: 1 },
      phone: { value: '+5511987654321', message: 1 },
      company: { value: 'Acme', message: 99 },
      site: 'acme.com',
      field_6: { value: '1500', message: 1 },
      field_7: { value: 'Bronze', message: 1 },
      field_8: { value: '12.ABC.345/01DE-36', message: 1 },
      unknown: { value: 1, message: 1 },
    });
    const { id } = await say('We are Acme, 12.ABC.345/01DE-36, and pay 1500');
    await vi.waitFor(async () => expect((await leadOf(id)).company).toBe('Acme'), soon);
    expect(await leadOf(id)).toMatchObject({ name: null, email: null, phone: null, custom: {}, capture: 'partial' });
  });

  test('keeps no address or name that is made of a part of what was said', async () => {
    answers({
      name: { value: 'Ana', message: 1 },
      email: { value: 'acme@gmail.com', message: 1 },
      company: { value: 'Acme Ltda', message: 1 },
      site: null,
    });
    const { id } = await say('We at acme sell bananas, and pay 1500');
    await vi.waitFor(async () => expect((await leadOf(id)).company).toBe('Acme Ltda'), soon);
    expect(await leadOf(id)).toMatchObject({ name: null, email: null });
    answers({ email: { value: 'ana@acme.com', message: 3 } });
    await say('write to ana at acme dot com', { id });
    await vi.waitFor(async () => expect((await leadOf(id)).email).toBe('ana@acme.com'), soon);
  });

  test('lets what a slow reader finds change nothing that was said since', async () => {
    const { extract } = gateway.services.model;
    const gate = Promise.withResolvers<void>();
    const slow = vi.spyOn(gateway.services.model, 'extract').mockImplementationOnce(async (request) => {
      await gate.promise;
      return extract(request);
    });
    const { id, messages } = await say('I am Bia Lima, bia@example.com, seven hundred');
    await say('Budget: 900', { id });
    await allRead();
    answers({ field_6: { value: 700, message: 1 }, field_7: { value: 'gold', message: 1 } });
    gate.resolve();
    await vi.waitFor(async () => expect((await leadOf(id)).custom).toHaveProperty('Plan'), soon);
    slow.mockRestore();
    expect((await leadOf(id)).custom).toEqual({ Budget: 900, Plan: 'Gold' });
    expect((await traceOf(messages[0].id)).trace.capture.fields).toContain('Plan');
  });

  test.each([
    ['words', { content: 'I would rather chat.' }],
    ['half of a JSON', { content: '{"name": {"value": "Ana"' }],
    ['another shape', { content: '[1, 2]' }],
    ['a failure', { status: 401, error: 'no' }],
    ['a broken body', { raw: 'garbage' }],
  ])('answers and keeps what is plain when the reader gives %s', async (_what, broken) => {
    server.nextStructured(broken);
    server.next({ content: 'Fine.' });
    const { id, messages } = await say('I am Rui Costa, rui@example.com');
    expect(messages[0].content).toBe('Fine.');
    expect(await leadOf(id)).toMatchObject({ name: 'Rui Costa', email: 'rui@example.com', capture: 'completed' });
    const done = async () => (await traceOf(messages[0].id)).trace.capture;
    await vi.waitFor(async () => expect(await done()).toMatchObject({ model: null, fields: [] }), soon);
  });

  test('does not wait for a reader that stalls, and keeps later what a slow one finds', async () => {
    const { extract } = gateway.services.model;
    const gate = Promise.withResolvers<void>();
    const slow = vi.spyOn(gateway.services.model, 'extract').mockImplementationOnce(async (request) => {
      await gate.promise;
      return extract(request);
    });
    answers({ field_6: { value: 700, message: 1 } });
    const { id, messages, lead } = await say('I am Bia Lima, bia@example.com, and seven hundred is what I have');
    expect(lead).toMatchObject({ name: 'Bia Lima', custom: {} });
    expect((await traceOf(messages[0].id)).trace.capture).toBeNull();
    gate.resolve();
    await vi.waitFor(async () => expect((await leadOf(id)).custom).toEqual({ Budget: 700 }), soon);
    slow.mockRestore();
    expect(await traceOf(messages[0].id)).toEqual({
      usage: { promptTokens: 11 },
      trace: {
        capture: {
          model: 'm',
          fields: ['Budget'],
          usage: { promptTokens: 11, completionTokens: 7 },
          attempts: [{ outcome: 'answered' }],
        },
      },
    });
  });

  test('has fields that are called like what every object of JavaScript has', async () => {
    const { home: odd, agent: host } = await makeLeadsWorkspace();
    const create = 'mutation ($input: CreateFieldInput!) { createField(input: $input) { field { id } } }';
    await gateway.data(odd.editor, create, { input: { name: 'constructor', type: 'text' } });
    await gateway.data(odd.editor, create, { input: { name: 'toString', type: 'choice', options: ['Left', 'Right'] } });
    const from = { viewer: odd.app, agentId: host.id };
    const { id, lead } = await say('I am Rui Costa, rui@example.com. Constructor: Renault', from);
    expect(lead).toMatchObject({ name: 'Rui Costa', custom: { constructor: 'Renault' } });
    await allRead();
    answers({ field_10: { value: 'right', message: 3 } });
    await say('The other one of the two', { ...from, id });
    expect(systemOf(replies()[1])).toContain('toString (one of: Left, Right)');
    await vi.waitFor(
      async () => expect((await leadOf(id, odd.viewer)).custom).toHaveProperty('toString', 'Right'),
      soon,
    );
  });

  test('asks an endpoint that takes no schema in words alone', async () => {
    server.nextStructured({ status: 400, error: 'response_format is not supported' });
    server.next(
      { content: '{"field_6": {"value": 90, "message": 1}}' },
      { content: '{"field_6": {"value": 90, "message": 1}}' },
    );
    const { id } = await say('ninety is what I would pay');
    await vi.waitFor(async () => expect((await leadOf(id)).custom).toEqual({ Budget: 90 }), soon);
  });
});
