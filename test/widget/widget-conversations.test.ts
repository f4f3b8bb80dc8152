import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { mutation, openWidgets, type Widget } from '../support/browser/widget.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { statementsOf } from '../support/database/database.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

let world: Awaited<ReturnType<typeof openWidgets>>;
let widget: Widget;
beforeAll(async () => {
  world = await openWidgets();
  widget = await world.make();
});
afterAll(() => world.gateway.close());

async function chat(bearer: string, content: string, conversationId?: string): Promise<string> {
  const events = await readEvents(await world.ask(bearer, { content, conversationId })).rest();
  const turn = events.at(-2)?.data.data as { id: string } | undefined;
  return turn?.id ?? '';
}
type Summary = { id: string; excerpt: string; role: string; lastAt: string; status: string };
async function list(bearer: string): Promise<Summary[]> {
  const response = await world.call('GET', '/widget/conversations', { bearer });
  expect(response.status).toBe(200);
  return ((await response.json()) as { conversations: Summary[] }).conversations;
}

describe('the earlier conversations of a visitor', () => {
  test('are listed in the order of their last messages, with the beginning of these', async () => {
    const { token } = await world.enter(widget);
    expect(await list(token)).toEqual([]);
    const first = await chat(token, 'Um');
    const second = await chat(token, `Dois ${'x'.repeat(200)}`);
    await chat(token, 'Três', first);
    const conversations = await list(token);
    expect(conversations).toEqual([
      { id: first, status: 'active', role: 'assistant', excerpt: 'Answer to Três.', lastAt: expect.any(String) },
      { id: second, status: 'active', role: 'assistant', excerpt: expect.any(String), lastAt: expect.any(String) },
    ]);
    expect(conversations[1]?.excerpt).toMatch(/^Answer to Dois x{104}…$/);
  });

  test('leave out archived ones, those of other visitors, and those of other channels', async () => {
    const { token, secret } = await world.enter(widget);
    const kept = await chat(token, 'Kept');
    const id = await chat(token, 'Archived');
    const input = { id, status: 'archived' };
    await world.gateway.data(world.home.editor, mutation('updateConversation', 'conversation { id }'), { input });
    expect((await list(token)).map((one) => one.id)).toEqual([kept]);
    const others = [
      await world.enter(widget),
      await world.enter(await world.make(), secret),
      await world.enter(await world.make({}, await makeWorkspace(world.gateway)), secret),
    ];
    for (const { token: other } of others) expect(await list(other)).toEqual([]);
  });

  test('need a visitor token', async () => {
    expect((await world.call('GET', '/widget/conversations')).status).toBe(401);
    expect((await world.call('POST', '/widget/conversations')).headers.get('allow')).toBe('GET, HEAD');
  });

  test('are thirty at most', async () => {
    const { token } = await world.enter(widget);
    const id = await chat(token, 'One of many');
    const { id: _, ...row } = await world.gateway.database.conversation.findFirstOrThrow({ where: { id } });
    for (let place = 0; place < 31; place++) {
      const copy = `cnv_${String(place).padStart(26, '0')}`;
      await world.gateway.database.conversation.create({ data: { ...row, id: copy } as never });
      const { workspaceId } = row;
      const message = { id: `msg_${String(place).padStart(26, '0')}`, workspaceId, conversationId: copy, position: 0 };
      await world.gateway.database.message.create({ data: { ...message, role: 'user', content: `${place}` } });
    }
    expect(await list(token)).toHaveLength(30);
  });

  test('are read in one statement, with one message of each, however many they have', async () => {
    const { token } = await world.enter(widget);
    for (const conversationId of [await chat(token, 'Um'), await chat(token, 'Dois')]) {
      const where = { id: conversationId };
      const { workspaceId } = await world.gateway.database.conversation.findFirstOrThrow({ where });
      const of = { workspaceId, conversationId, role: 'user' as const, content: 'More' };
      const rows = Array.from({ length: 200 }, (_, index) => ({ ...of, id: newId('message'), position: 10 + index }));
      await world.gateway.database.message.createMany({ data: rows });
    }
    const { result, recorded } = await statementsOf(() => list(token));
    expect(result.map(({ excerpt }) => excerpt)).toEqual(['More', 'More']);
    const [read, ...more] = recorded.filter(({ text }) => text.includes('"Message"'));
    expect(more).toEqual([]);
    const { rows } = await world.gateway.handle.pool.query(read?.text ?? '', read?.values);
    expect(JSON.stringify(rows).split('More')).toHaveLength(3);
  });
});

test('a visitor sees that a person has taken over and which messages the person wrote, but not who it is', async () => {
  const { token: bearer } = await world.enter(widget);
  const conversationId = await chat(bearer, 'A person, please');
  const read = async () =>
    ((await (await world.call('GET', '/widget/conversation', { bearer })).json()) as { conversation: any })
      .conversation;
  const as = (name: string, input: object, answer: string) =>
    world.gateway.data(world.home.editor, mutation(name, answer), { input });
  await as('updateConversation', { id: conversationId, status: 'waiting_human' }, 'conversation { id }');
  expect(await read()).toMatchObject({ status: 'waiting_human', person: false });
  await as('takeOverConversation', { conversationId }, 'conversation { id }');
  await as('sendAsPerson', { conversationId, content: 'Here I am.' }, 'message { id }');
  const taken = await read();
  expect(taken).toMatchObject({ status: 'waiting_human', person: true });
  expect(taken.messages.map(({ person }: { person: boolean }) => person)).toEqual([false, false, true]);
  expect(JSON.stringify(taken)).not.toMatch(/usr_|createdBy|takenOverBy/);
  await as('handBackConversation', { conversationId }, 'conversation { id }');
  expect(await read()).toMatchObject({ status: 'active', person: false });
});
