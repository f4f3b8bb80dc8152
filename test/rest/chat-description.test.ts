import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { casesOf } from '../support/random/cases.ts';
import { options } from '../support/random/seed.ts';
import { description } from '../support/rest/operations.ts';
import { checkerOf, valuesFor } from '../support/rest/schema-values.ts';

const gateway = useGateway();
let [home, other] = [] as unknown as [TestWorkspace, TestWorkspace];
let agentId = '';
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  other = await makeWorkspace(gateway);
  agentId = (await makeAgent(gateway, home.editor)).id;
});

const schema = { $ref: '#/components/schemas/SendChatMessageRequest' };
const isDescribed = checkerOf(schema);
const text = { type: 'text', text: 'Hello' };
const said = (id: string, more: object = {}, ...parts: object[]) => ({
  id,
  trigger: 'submit-message',
  messages: [{ id: 'm1', role: 'user', parts: [text, ...parts] }],
  ...more,
});

async function ask(method: string, path: string, body?: unknown, viewer = home.app): Promise<Response> {
  const headers = { authorization: `Bearer ${await gateway.bearer(viewer)}`, 'content-type': 'application/json' };
  return gateway.app.request(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}
const send = (body: unknown) => ask('POST', `/api/${agentId}`, body);
/** Whether the description of an operation names the status of this response. */
const isNamed = ({ status }: Response, path: string, method: string) =>
  String(status) in (description.paths[path]?.[method]?.responses ?? {});

describe('the body of a chat of the AI SDK, as described,', () => {
  const file = { type: 'file', mediaType: 'image/png', filename: 'a.png', url: 'data:image/png;base64,iVBORw0KGgo=' };
  const before = { id: 'm1', role: 'user', parts: [text, file], metadata: { seat: 7 } };
  const reply = { id: 'm2', role: 'assistant', parts: [{ type: 'step-start' }, text] };
  test.each([
    ['with words', said('words')],
    [
      'behind messages that were answered',
      said('behind', { messages: [before, reply, { role: 'user', parts: [text] }] }),
    ],
    ['with keys of the operation beside', said('beside', { format: 'text', preview: true, messageId: null })],
    ['with parts that are not read', said('parts', {}, { type: 'data-seat', data: { row: 7 } })],
  ])('%s is taken, and answered by a stream', async (_, body) => {
    expect(isDescribed(body)).toBe(true);
    const response = await send(body);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    expect(await response.text()).toMatch(/"type":"data-turn"/);
  });

  test.each([
    ['no id', { ...said('x'), id: undefined }],
    ['an id of 256 characters', said('x'.repeat(256))],
    ['an empty id', said('')],
    ['another trigger', said('x', { trigger: 'edit-message' })],
    ['no trigger', said('x', { trigger: undefined })],
    ['no messages', said('x', { messages: [] })],
    ['a message without a role', said('x', { messages: [{ parts: [text] }] })],
    ['a message without parts', said('x', { messages: [{ role: 'user' }] })],
    ['a part without a type', said('x', { messages: [{ role: 'user', parts: [{ text: 'Hi' }] }] })],
    ['another format', said('x', { format: 'pdf' })],
    ['65 tools', said('x', { tools: Array.from({ length: 65 }, (_, index) => ({ name: `t${index}` })) })],
  ])('forbids %s, which is refused', async (_, body) => {
    expect(isDescribed(body)).toBe(false);
    const response = await send(body);
    expect([response.status, isNamed(response, '/api/{agentId}', 'post')]).toEqual([400, true]);
  });

  test('answers whatever is sent in it as is described', async () => {
    await fc.assert(
      fc.asyncProperty(valuesFor(schema), async (body) => {
        const response = await send(body);
        await response.text();
        expect([response.status < 500, isNamed(response, '/api/{agentId}', 'post')]).toEqual([true, true]);
      }),
      options(casesOf(30), 'chat') as object,
    );
  });
});

describe('the reply of a chat that is under way', () => {
  const path = '/api/{agentId}/{chatId}/stream';
  test.each([
    ['of nobody', 401, null],
    ['of whom may not ask', 403, 'viewer'],
    ['of another workspace', 404, 'other'],
    ['that there is none of', 204, 'app'],
  ] as const)('%s is answered %i, as described', async (_, status, who) => {
    const address = path.replace('{agentId}', agentId).replace('{chatId}', 'nothing');
    const viewer = who === 'other' ? other.app : home[who ?? 'app'];
    const response = who === null ? await gateway.app.request(address) : await ask('GET', address, undefined, viewer);
    expect([response.status, isNamed(response, path, 'get')]).toEqual([status, true]);
  });
});
