import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WidgetConversation } from '../../src/domain/widget/conversations.ts';
import { mutation, openWidgets, type Widget } from '../support/browser/widget.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

let world: Awaited<ReturnType<typeof openWidgets>>;
let widget: Widget;
beforeAll(async () => {
  world = await openWidgets({}, { readsFiles: true });
  widget = await world.make();
});
afterAll(() => world.gateway.close());

/** What an upload answers: the handle and its file, or why it was refused. */
type Uploaded = { handle: string; type: string; name: string; size: number; message?: string };
type Sent = { name?: string; conversationId?: string; bytes?: string | Uint8Array };
async function upload(bearer: string, { name = 'notes.txt', bytes = 'The tent is red.', ...more }: Sent = {}) {
  const query = new URLSearchParams({ name, ...more });
  const headers = { authorization: `Bearer ${bearer}`, origin: 'https://shop.example', 'content-type': 'text/plain' };
  const response = await world.gateway.app.request(`/widget/attachments?${query}`, {
    method: 'POST',
    headers,
    body: bytes as BodyInit,
  });
  return { status: response.status, body: (await response.json()) as Uploaded };
}
const failure = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) });
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('a file of a visitor', () => {
  test('is uploaded, sent with a message, and shown with it by a link that works', async () => {
    const { token: bearer } = await world.enter(widget);
    const { status, body } = await upload(bearer);
    expect([status, body]).toEqual([201, { handle: expect.any(String), type: 'file', name: 'notes.txt', size: 16 }]);
    const { handle } = body;
    const events = await readEvents(await world.ask(bearer, { content: '', attachments: [handle] })).rest();
    expect(events.at(-2)?.data.type).toBe('data-turn');
    const shown = await world.call('GET', '/widget/conversation', { bearer });
    const { conversation } = (await shown.json()) as { conversation: WidgetConversation };
    const [attachment] = conversation.messages[0]?.attachments ?? [];
    expect(attachment).toEqual({
      type: 'file',
      name: 'notes.txt',
      url: expect.stringMatching(/^\/files\//),
    });
    expect(await (await world.gateway.app.request(attachment?.url ?? '')).text()).toBe('The tent is red.');
  });

  test('is sent once, however often its question is repeated', async () => {
    const { token: bearer } = await world.enter(widget);
    const { handle } = (await upload(bearer, { bytes: 'Repeated.' })).body;
    const send = async () => {
      const body = { content: 'Again', attachments: [handle] };
      const [first] = await readEvents(await world.ask(bearer, body, { 'idempotency-key': 'one' })).rest();
      return first?.data.messageId;
    };
    const id = await send();
    expect(await send()).toBe(id);
  });

  test('cannot be sent by another visitor, or with a handle that was changed', async () => {
    const [one, two] = [await world.enter(widget), await world.enter(widget)];
    const { handle } = (await upload(one.token, { bytes: 'Mine.' })).body;
    const elsewhere = await world.enter(await world.make({}, await makeWorkspace(world.gateway)), one.secret);
    const refused = { status: 400, message: expect.stringMatching(/attachments\.0: must be a handle/) };
    for (const { token } of [two, elsewhere])
      expect(await failure(await world.ask(token, { content: 'x', attachments: [handle] }))).toMatchObject(refused);
    const changed = `x${handle}`;
    expect(await failure(await world.ask(one.token, { content: 'x', attachments: [changed] }))).toMatchObject(refused);
  });

  test('that no longer exists has to be attached again', async () => {
    const { token } = await world.enter(widget);
    const { handle } = (await upload(token, { bytes: 'Short-lived.' })).body;
    await world.gateway.database.storedFile.deleteMany({ where: { size: 12 } });
    const answer = await failure(await world.ask(token, { content: 'x', attachments: [handle] }));
    expect(answer).toMatchObject({ status: 400, message: expect.stringMatching(/attach the file again/) });
  });

  test('that the agent cannot read is refused at once, unless a person answers', async () => {
    const { token: bearer } = await world.enter(widget);
    const refused = { message: expect.stringMatching(/^The file cannot be attached: the file cannot be read/) };
    const broken = { name: 'broken.pdf', bytes: '%PDF-1.7 and nothing else' };
    expect(await upload(bearer, broken)).toMatchObject({ status: 400, body: refused });
    const events = await readEvents(await world.ask(bearer, { content: 'A person, please' })).rest();
    const turn = events.at(-2)?.data.data as { id: string } | undefined;
    const conversationId = turn?.id ?? '';
    await world.gateway.data(world.home.editor, mutation('takeOverConversation', 'conversation { id }'), {
      input: { conversationId },
    });
    expect(await upload(bearer, { ...broken, conversationId })).toMatchObject({ status: 201 });
    const { token: other } = await world.enter(widget);
    expect(await upload(other, { ...broken, conversationId })).toMatchObject({ status: 404 });
  });

  test('is refused if it is empty, nameless, too large, or sent without a token', async () => {
    const { token } = await world.enter(widget);
    expect(await upload(token, { bytes: '' })).toMatchObject({
      status: 400,
      body: { message: 'The file is empty: attach one with content.' },
    });
    expect(await upload(token, { name: ' ' })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^name/) },
    });
    expect(await upload(token, { bytes: new Uint8Array(10_000_001) })).toMatchObject({ status: 413 });
    expect(await upload('nobody')).toMatchObject({ status: 401 });
  });

  test('counts with the others of its message', async () => {
    const { token } = await world.enter(widget);
    const big = async (letter: string) =>
      (await upload(token, { name: 'a.png', bytes: Buffer.concat([png, Buffer.alloc(6_000_000, letter)]) })).body
        .handle;
    const two = [await big('a'), await big('b')];
    const answer = await failure(await world.ask(token, { content: 'Both', attachments: two }));
    expect(answer).toMatchObject({ status: 400, message: expect.stringMatching(/more than 10 MB/) });
    const six = await failure(await world.ask(token, { content: 'x', attachments: Array(6).fill(two[0]) }));
    expect(six).toMatchObject({ status: 400, message: expect.stringMatching(/at most 5 items/) });
  });

  test('is one of fifteen a minute', async () => {
    const { token } = await world.enter(widget);
    const statuses = new Set<number>();
    for (let count = 0; count < 16; count++) statuses.add((await upload(token)).status);
    expect([...statuses]).toEqual([201, 429]);
  });
});

test('a message without text and files is refused', async () => {
  const { token } = await world.enter(widget);
  expect(await failure(await world.ask(token, { content: ' ' }))).toMatchObject({
    status: 400,
    message: expect.stringMatching(/content: must not be empty without attachments/),
  });
});
