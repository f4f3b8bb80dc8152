import { beforeAll, describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { openGateway, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let other: TestWorkspace;
let agent: { id: string };
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  other = await makeWorkspace(gateway);
  agent = await makeAgent(gateway, home.editor, { name: 'Ana', welcome: 'Hi there' });
});

type Body = Record<string, unknown>;
const send = (
  body: Body,
  { viewer = home.app, agentId = agent.id, key }: { viewer?: Viewer; agentId?: string; key?: string } = {},
) => gateway.rest(viewer, 'POST', `/api/${agentId}`, body, key ? { 'idempotency-key': key } : {});
const say = (content: string, more: Body = {}) => ({ message: { content }, ...more });
const usage = async (viewer: Viewer) =>
  (await gateway.rest(viewer, 'GET', '/rest/interactions')).body.current as number;
const stored = (conversationId: string) =>
  gateway.database.message.findMany({ where: { conversationId }, orderBy: { position: 'asc' } });

describe('a message to an agent', () => {
  test('starts a conversation and is answered in one body', async () => {
    const { status, body } = await send(say('Hello'));
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['id', 'lead', 'messages', 'status']);
    expect(body).toMatchObject({ id: expect.stringMatching(/^cnv_/), status: 'active', lead: null });
    expect(body.messages).toHaveLength(1);
    expect(body.messages[0]).toMatchObject({
      role: 'assistant',
      conversationId: body.id,
      content: expect.any(String),
      toolCalls: null,
    });
    expect((await stored(body.id)).map(({ role, position }) => [role, position])).toEqual([
      ['user', 0],
      ['assistant', 1],
    ]);
  });

  test('goes on with the conversation whose id it names', async () => {
    const first = await send(say('Hello'));
    const second = await send(say('And again', { id: first.body.id }));
    expect(second.body.id).toBe(first.body.id);
    expect((await stored(first.body.id)).map(({ position }) => position)).toEqual([0, 1, 2, 3]);
  });

  test('to an unknown conversation, or one of another agent, is never a new one', async () => {
    const sibling = await makeAgent(gateway, home.editor);
    const { body } = await send(say('Hello'));
    const before = await gateway.database.conversation.count();
    expect((await send(say('x', { id: 'cnv_00000000000000000000000000' }))).body).toEqual({
      message: 'Conversation not found.',
      code: 'not_found',
    });
    expect((await send(say('x', { id: body.id }), { agentId: sibling.id })).status).toBe(404);
    expect((await send(say('x', { leadId: 'led_00000000000000000000000000' }))).body.message).toBe('Lead not found.');
    expect(await gateway.database.conversation.count()).toBe(before);
  });

  test('to an agent of another workspace finds none', async () => {
    expect((await send(say('x'), { viewer: other.app })).body).toEqual({
      message: 'Agent not found.',
      code: 'not_found',
    });
  });

  test.each([
    [{}, /^message: /],
    [{ messages: [] }, /^message: /],
    [{ id: '', message: { content: 'x' } }, /^id: must not be empty/],
    [{ message: { content: 'x' }, tools: [{}] }, /^tools\.0\.name: is required$/],
    [{ message: { content: '' } }, /content/],
    [{ message: { content: 'x'.repeat(32_001) } }, /32,000/],
    [{ message: { content: 'x', role: 'system' } }, /role/],
    [{ message: { content: 'x', attachments: [{ type: 'image' }] } }, /exactly one of url and data/],
    [{ message: { content: 'x' }, format: 'rtf' }, /format/],
    [{ message: { content: 'x' }, tools: [{ name: 'not a name' }] }, /tools/],
  ])('is refused when it is %j', async (body, issue) => {
    const { status, body: answer } = await send(body);
    expect([status, answer.code]).toEqual([400, 'invalid_request']);
    expect(answer.issues.map(({ message }: { message: string }) => message).join('\n')).toMatch(issue);
  });

  test('reopens a resolved conversation, and not an archived one', async () => {
    const { body } = await send(say('Hello'));
    const set = (status: string) =>
      gateway.data(
        home.editor,
        `mutation { updateConversation(input: { id: "${body.id}", status: ${status} }) { conversation { status } } }`,
      );
    await set('resolved');
    expect((await send(say('One more thing', { id: body.id }))).body.status).toBe('active');
    await set('archived');
    expect((await send(say('And another', { id: body.id }))).body.code).toBe('conflict');
  });

  test('is kept without an answer while a person is awaited', async () => {
    const { body } = await send(say('Hello'));
    await gateway.data(
      home.editor,
      `mutation { updateConversation(input: { id: "${body.id}", status: waiting_human }) { conversation { status } } }`,
    );
    const silent = await send(say('Anybody?', { id: body.id }));
    expect(silent.body).toMatchObject({ status: 'waiting_human', messages: [] });
    expect(await stored(body.id)).toHaveLength(3);
  });

  test('to a paused agent is answered by what it says when off, free of charge', async () => {
    const paused = await makeAgent(gateway, home.editor, { off: 'Back on Monday.' });
    for (const verb of ['publish', 'pause'])
      await gateway.data(home.editor, `mutation { ${verb}Agent(input: { id: "${paused.id}" }) { agent { id } } }`);
    const before = await usage(home.viewer);
    expect((await send(say('Hello'), { agentId: paused.id })).body.messages[0].content).toBe('Back on Monday.');
    expect(await usage(home.viewer)).toBe(before);
  });

  test('is refused to a viewer', async () => {
    expect((await send(say('Hello'), { viewer: home.viewer })).body.code).toBe('forbidden');
  });
});

describe('a tool of the caller', () => {
  const tools = [
    {
      name: 'get_order',
      description: 'Looks an order up',
      parameters: { type: 'object', properties: { number: { type: 'string' } } },
    },
  ];
  const ask = () => send(say('Please call get_order with number 42', { tools }));

  test('is called when the message plainly asks for it, and its result is answered', async () => {
    const { body } = await ask();
    expect(body.messages[0]).toMatchObject({
      content: null,
      toolCalls: [{ id: expect.any(String), name: 'get_order' }],
    });
    const toolCallId = body.messages[0].toolCalls[0].id;
    const before = await usage(home.viewer);
    const answer = await send({ id: body.id, tools, message: { role: 'tool', toolCallId, content: 'It ships today' } });
    expect(answer.body.messages[0].content).toContain('It ships today');
    expect(await usage(home.viewer)).toBe(before);
  });

  test('takes no result that it was not asked for', async () => {
    const { body } = await ask();
    const wrong = await send({ id: body.id, message: { role: 'tool', toolCallId: 'call_x', content: 'x' } });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'unknown_tool_call']);
  });

  test('that is never answered is closed by the next message', async () => {
    const { body } = await ask();
    const next = await send(say('Forget it', { id: body.id }));
    expect(next.status).toBe(200);
    const rows = await stored(body.id);
    expect(rows.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
    expect(rows[2]).toMatchObject({ content: 'not executed', toolCallId: body.messages[0].toolCalls[0].id });
  });
});

describe('an Idempotency-Key', () => {
  test('answers a repetition with the same reply, stored and counted once', async () => {
    const first = await send(say('Once'), { key: 'k1' });
    const before = await usage(home.viewer);
    expect((await send(say('Once'), { key: 'k1' })).body).toEqual(first.body);
    expect(await usage(home.viewer)).toBe(before);
    expect(await stored(first.body.id)).toHaveLength(2);
  });

  test('of another body is refused', async () => {
    await send(say('One'), { key: 'k2' });
    const { status, body } = await send(say('Two'), { key: 'k2' });
    expect([status, body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('of a request that was refused may come back with a corrected body', async () => {
    expect((await send(say('x', { leadId: 'led_00000000000000000000000000' }), { key: 'k4' })).status).toBe(404);
    expect((await send(say('x'), { key: 'k4' })).status).toBe(200);
  });

  test('sent twice at once makes one conversation', async () => {
    const before = await gateway.database.conversation.count();
    const answers = await Promise.all([1, 2, 3].map(() => send(say('At once'), { key: 'k3' })));
    for (const { status, body } of answers) expect(status === 200 || body.code === 'request_in_progress').toBe(true);
    expect(await gateway.database.conversation.count()).toBe(before + 1);
  });
});

describe('turns', () => {
  test('of one conversation run one after another, in a gapless order', async () => {
    const { body } = await send(say('Start'));
    await Promise.all(Array.from({ length: 8 }, (_, i) => send(say(`Message ${i}`, { id: body.id }))));
    const rows = await stored(body.id);
    expect(rows.map(({ position }) => position)).toEqual(Array.from({ length: 18 }, (_, i) => i));
    expect(rows.map(({ role }) => role)).toEqual(Array.from({ length: 18 }, (_, i) => (i % 2 ? 'assistant' : 'user')));
  });

  test('never pass the ceiling of the month, and keep the message that was too much', async () => {
    const small = await makeWorkspace(gateway, 3);
    const { id: agentId } = await makeAgent(gateway, small.editor);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => send(say(`Message ${i}`), { viewer: small.app, agentId })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.code).toBe('usage_limit_exceeded');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await usage(small.viewer)).toBe(3);
    expect(await gateway.database.message.count({ where: { workspaceId: small.id, role: 'user' } })).toBe(8);
  });

  test('of a preview are not counted', async () => {
    const before = await usage(home.viewer);
    expect((await send(say('Try', { preview: true }))).status).toBe(200);
    expect(await usage(home.viewer)).toBe(before);
  });
});

describe('a visitor who leaves a name and an email', () => {
  test('is kept as a lead of the agent', async () => {
    const first = await send(say('Hello', { utm: { source: 'newsletter' } }));
    const { body } = await send(say('My name is Ana Souza, write to ana.souza@example.com', { id: first.body.id }));
    expect(body.lead).toMatchObject({
      name: 'Ana Souza',
      email: 'ana.souza@example.com',
      agentId: agent.id,
      capture: 'completed',
    });
    const again = await send(say('And my phone is +55 11 91234-5678', { id: first.body.id }));
    expect(again.body.lead).toMatchObject({ id: body.lead.id, phone: '+5511912345678' });
  });
});

describe('a model that fails', () => {
  test('loses nothing: the message is kept, nothing is counted, and the same key goes on', async () => {
    const broken = await openGateway({ MODEL_BASE_URL: 'http://127.0.0.1:9', MODEL_NAME: 'none' });
    try {
      const workspace = await makeWorkspace(broken);
      const { id } = await makeAgent(broken, workspace.editor);
      const post = () => broken.rest(workspace.app, 'POST', `/api/${id}`, say('Hello'), { 'idempotency-key': 'k' });
      const failed = await post();
      expect([failed.status, failed.body.code]).toEqual([502, 'model_error']);
      expect((await broken.rest(workspace.viewer, 'GET', '/rest/interactions')).body.current).toBe(0);
      await post();
      expect(await broken.database.message.count({ where: { workspaceId: workspace.id } })).toBe(1);
      expect(await broken.database.conversation.count({ where: { workspaceId: workspace.id } })).toBe(1);
    } finally {
      await broken.close();
    }
  });
});
