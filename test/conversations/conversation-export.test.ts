import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let agentId: string;
let conversationId: string;

const document = `query ($id: ID!, $format: ExportFormat!) { conversation(id: $id) { export(format: $format) } }`;
const exported = async (format: string, id = conversationId) =>
  (await gateway.data(home.viewer, document, { id, format })).conversation.export as string;
const channelOf = async () => (await gateway.database.channel.findFirstOrThrow({ where: { agentId } })).id;

/** A conversation with the given messages. */
async function make(messages: object[], title = 'Opening hours'): Promise<string> {
  const made = { id: newId('conversation'), workspaceId: home.id, agentId, channelId: await channelOf(), title };
  await gateway.database.conversation.create({ data: { ...made, messageCount: messages.length } });
  await gateway.database.message.createMany({
    data: messages.map((message, position) => ({
      id: newId('message'),
      workspaceId: home.id,
      conversationId: made.id,
      position,
      createdAt: new Date(Date.UTC(2026, 0, 2, 3, 4, position)),
      ...message,
    })) as never,
  });
  return made.id;
}

beforeAll(async () => {
  home = await makeWorkspace(gateway);
  agentId = (await makeAgent(gateway, home.editor, { name: 'Camp host' })).id;
  await gateway.rest(home.app, 'POST', `/api/${agentId}`, { message: { content: 'Hello' } });
  const picture = { type: 'image', name: 'map.png', data: 'AAAA' };
  conversationId = await make([
    { role: 'user', content: 'When are you open?\n## Agent · forged', name: 'Ana', attachments: [picture] },
    {
      role: 'assistant',
      content: 'From April. [1]',
      metadata: { model: 'm', references: [{ title: 'Handbook', quote: 'opens in April', place: { page: 2 } }] },
      feedback: { rating: 'dislike', comment: 'Which day?' },
    },
    { role: 'assistant', toolCalls: [{ id: 'c1', name: 'look_up', arguments: { day: 4 } }] },
    { role: 'tool', toolCallId: 'c1', name: 'look_up', content: '4 April' },
    { role: 'assistant', content: 'On the 4th.', createdBy: 'usr_1', metadata: { person: true } },
  ]);
});

describe('the export of a conversation', () => {
  test('in Markdown tells who said what and when, and nobody can forge a speaker', async () => {
    const written = (await exported('markdown')).replace(/http\S+\/files\/\S+/, 'LINK');
    expect(written).toBe(`# Opening hours

- Conversation: ${conversationId}
- Agent: Camp host
- Began: ${await beganAt()}
- Status: active

## Visitor (Ana) · 2026-01-02T03:04:00.000Z

> When are you open?
> ## Agent · forged

- Attachment: image, map.png, LINK

## Agent · 2026-01-02T03:04:01.000Z

> From April. [1]

- [1] Handbook, page 2: “opens in April”
- Feedback: dislike, Which day?

## Agent · 2026-01-02T03:04:02.000Z

- Calls look_up({"day":4})

## Tool (look_up) · 2026-01-02T03:04:03.000Z

> 4 April


## Person usr_1 · 2026-01-02T03:04:04.000Z

> On the 4th.

`);
  });

  test('in plain text has the same', async () => {
    const text = await exported('text');
    expect(text).toContain(`Conversation ${conversationId} with Camp host, began ${await beganAt()}, active`);
    expect(text).toContain(
      '[2026-01-02T03:04:01.000Z] Agent\n    From April. [1]\n  - [1] Handbook, page 2: “opens in April”\n',
    );
  });

  test('in JSON is complete, with links to attachments', async () => {
    const json = JSON.parse(await exported('json'));
    expect(json).toMatchObject({
      id: conversationId,
      title: 'Opening hours',
      agent: { id: agentId, name: 'Camp host' },
      stages: [{ stage: 'identify', reachedAt: await beganAt() }],
    });
    expect(json.messages.map(({ position }: { position: number }) => position)).toEqual([0, 1, 2, 3, 4]);
    expect(json.messages[0].attachments).toEqual([
      {
        type: 'image',
        url: expect.stringMatching(/\/files\/msg_\w+\/0\?workspace=wsp_\w+&expires=/),
        mimeType: null,
        name: 'map.png',
        size: null,
      },
    ]);
    expect(json.messages[1]).toEqual({
      id: expect.stringMatching(/^msg_/),
      position: 1,
      role: 'assistant',
      name: null,
      createdBy: null,
      content: 'From April. [1]',
      toolCallId: null,
      toolCalls: [],
      metadata: { model: 'm' },
      references: [{ title: 'Handbook', quote: 'opens in April', place: { page: 2 } }],
      feedback: { rating: 'dislike', comment: 'Which day?' },
      attachments: [],
      createdAt: '2026-01-02T03:04:01.000Z',
    });
  });

  test('has every message of a long one, in order, and of an empty one none', async () => {
    const long = await make(Array.from({ length: 200 }, (_, index) => ({ role: 'user', content: `Word ${index}` })));
    const { messages } = JSON.parse(await exported('json', long));
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(
      Array.from({ length: 200 }, (_, index) => `Word ${index}`),
    );
    expect(JSON.parse(await exported('json', await make([]))).messages).toEqual([]);
  });

  test('is refused beyond 5 MB, several in one operation together', async () => {
    const id = await make(Array.from({ length: 90 }, () => ({ role: 'user', content: 'x'.repeat(32_000) })));
    expect((await exported('text', id)).length).toBeGreaterThan(2_880_000);
    const twice = `query ($id: ID!) { conversation(id: $id) { markdown: export text: export(format: text) } }`;
    expectFailure(await gateway.graphql(home.viewer, twice, { id }), 'payload_too_large', /at most 5 MB/);
  });

  test('takes a bearer, and a conversation of the own workspace', async () => {
    const variables = { id: conversationId, format: 'text' };
    expectFailure(await gateway.graphql(null, document, variables), 'unauthorized');
    const other = await makeWorkspace(gateway);
    expectFailure(await gateway.graphql(other.owner, document, variables), 'not_found');
    expectFailure(await gateway.graphql(home.viewer, document, { ...variables, format: 'pdf' }), 'invalid_request');
  });
});

const beganAt = async () =>
  (await gateway.database.conversation.findFirstOrThrow({ where: { id: conversationId } })).createdAt.toISOString();
