import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mutation, openWidgets, type Widget } from '../support/browser/widget.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

type Session = { token: string; secret: string; form: { name: string; required: boolean }[]; greetings: object[] };

let world: Awaited<ReturnType<typeof openWidgets>>;
let widget: Widget;
beforeAll(async () => {
  world = await openWidgets();
  const fields = [
    { name: 'Plano', type: 'choice', options: ['Pro', 'Free'] },
    { name: 'Temas', type: 'multi_choice', options: ['a', 'b'] },
    { name: 'Pessoas', type: 'number' },
  ];
  for (const input of fields) {
    await world.gateway.data(world.home.editor, mutation('createField', 'field { id }'), { input });
  }
  widget = await world.make();
});
afterAll(() => world.gateway.close());

const shown = 'channel { form { field required } greetings { text seconds path onExit } }';
const update = (input: object, id = widget.channelId, at = world.home) =>
  world.gateway.graphql(at.editor, mutation('updateChannel', shown), { input: { id, ...input } });
const set = async (input: object) => (await update(input)).data.updateChannel.channel;
const enter = async (body: object = {}) =>
  (await (await world.call('POST', '/widget/session', { body: { channel: widget.token, ...body } })).json()) as Session;
const failure = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) });
async function ask(bearer: string, body: object) {
  const events = await readEvents(await world.ask(bearer, body)).rest();
  const id = (events.at(-2)?.data.data as { id: string } | undefined)?.id ?? '';
  const include = { lead: true, messages: { orderBy: { position: 'asc' as const } } };
  return world.gateway.database.conversation.findFirstOrThrow({ where: { id }, include });
}

describe('the form of a widget', () => {
  const required = [{ field: 'NAME', required: true }, { field: 'email', required: true }, { field: 'plano' }];

  test('asks for fields of the workspace, by their names, and its answers are the lead of the first message', async () => {
    const more = [...required, { field: 'Temas' }, { field: 'Pessoas' }];
    expect((await set({ form: more })).form).toEqual([
      { field: 'name', required: true },
      { field: 'email', required: true },
      { field: 'Plano', required: false },
      { field: 'Temas', required: false },
      { field: 'Pessoas', required: false },
    ]);
    const { token, secret, form } = await enter();
    // Nothing else: descriptions of fields are for models.
    expect(form).toEqual([
      { name: 'name', type: 'text', options: [], required: true },
      { name: 'email', type: 'email', options: [], required: true },
      { name: 'Plano', type: 'choice', options: ['Pro', 'Free'], required: false },
      { name: 'Temas', type: 'multi_choice', options: ['a', 'b'], required: false },
      { name: 'Pessoas', type: 'number', options: [], required: false },
    ]);
    const lead = { name: 'Ana', email: ' ANA@example.com ', Plano: 'Pro', Temas: [], Pessoas: 3 };
    expect((await world.call('POST', '/widget/form', { bearer: token, body: { lead } })).status).toBe(204);
    const conversation = await ask(token, { content: 'Hi', lead });
    expect(conversation.lead).toMatchObject({
      name: 'Ana',
      email: 'ana@example.com',
      custom: { Plano: 'Pro', Pessoas: 3 },
      capture: 'completed',
    });
    expect((await enter({ secret })).form).toEqual([]);
    expect(await ask(token, { content: 'Again' })).toMatchObject({ messages: [{}, {}] });
  });

  test.each([
    [{ email: 'ana@example.com' }, /^lead\.name: is required/],
    [{ name: 'Ana', email: '  ' }, /^lead\.email: is required/],
    [{ name: 'Ana', email: 'nobody' }, /^lead\.email: must be an email address/],
    [{ name: 'Ana', email: 'ana@example.com', Plano: 'Gold' }, /^lead\.Plano: /],
    [{ name: 'x'.repeat(201), email: 'ana@example.com' }, /^lead\.name: must have at most 200 characters/],
    [{ name: ['Ana'], email: 'ana@example.com' }, /^lead\.name: /],
    [[], /^lead: /],
    ['Ana', /^lead: /],
  ])('refuses %j, before and with the first message', async (lead, message) => {
    await set({ form: required });
    const { token: bearer } = await enter();
    const refused = { status: 400, message: expect.stringMatching(message) };
    expect(await failure(await world.call('POST', '/widget/form', { bearer, body: { lead } }))).toMatchObject(refused);
    expect(await failure(await world.ask(bearer, { content: 'Hi', lead }))).toMatchObject(refused);
  });

  test('keeps no answer that it does not ask for', async () => {
    await set({ form: [{ field: 'name' }] });
    const { token } = await enter();
    const { lead } = await ask(token, { content: 'Hello', lead: { name: 'Eva', email: 'other@example.com', x: 1 } });
    expect(lead).toMatchObject({ name: 'Eva', email: null, custom: {} });
  });

  test('does not ask what the site has signed, nor once a field was disabled', async () => {
    const { id } = (
      await world.gateway.data(world.home.editor, mutation('createField', 'field { id }'), {
        input: { name: 'Gone', type: 'text' },
      })
    ).createField.field;
    await set({ form: [...required, { field: 'Gone' }] });
    await world.gateway.data(world.home.editor, mutation('disableField', 'field { id }'), { input: { id } });
    const input = { id: widget.channelId };
    const { secret } = (
      await world.gateway.data(world.home.editor, mutation('rotateIdentitySecret', 'secret'), { input })
    ).rotateIdentitySecret;
    const identity = await new SignJWT({ sub: '1', name: 'Signed', email: 'signed@example.com' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('5m')
      .sign(Buffer.from(secret));
    const { token, form } = await enter({ identity });
    expect(form.map(({ name }) => name)).toEqual(['Plano']);
    const { lead } = await ask(token, { content: 'Hi', lead: { Plano: 'Free' } });
    expect(lead).toMatchObject({ name: 'Signed', custom: { Plano: 'Free' } });
  });

  test.each([
    [{ form: [{ field: 'Unknown' }] }, /^form\.0\.field: must be name, email, phone/],
    [{ form: [{ field: 'name' }, { field: 'Name' }] }, /^form\.1\.field: is already in the form: list each field once/],
    [{ form: [{ field: ' ' }] }, /^form\.0\.field: must not be empty/],
    [{ form: Array.from({ length: 11 }, () => ({ field: 'name' })) }, /^form: must have at most 10 items/],
    [{ greetings: [{ text: 'Hi' }] }, /^greetings\.0: must have seconds, or onExit/],
    [{ greetings: [{ text: '', seconds: 1 }] }, /^greetings\.0\.text: must not be empty/],
    [{ greetings: [{ text: 'x'.repeat(501), seconds: 1 }] }, /^greetings\.0\.text: must have at most 500/],
    [{ greetings: [{ text: 'Hi', seconds: -1 }] }, /^greetings\.0\.seconds: must be 0 or more/],
    [{ greetings: [{ text: 'Hi', seconds: 1, path: 'pricing' }] }, /^greetings\.0\.path: must begin with a slash/],
  ])('and greetings refuse %j', async (input, message) => {
    expectFailure(await update(input), 'invalid_request', message);
  });

  test('and greetings belong to widgets, and to the workspace', async () => {
    const { id: agentId } = await makeAgent(world.gateway, world.home.editor);
    const input = { agentId, platform: 'api', form: [{ field: 'name' }] };
    const create = mutation('createChannel', 'channel { id }');
    const made = await world.gateway.graphql(world.home.editor, create, { input });
    expectFailure(made, 'invalid_request', /^form: can only be set for channels of the platform widget/);
    const foreign = await makeWorkspace(world.gateway);
    expectFailure(await update({ greetings: [] }, widget.channelId, foreign), 'not_found');
    expect((await world.call('POST', '/widget/form', { body: { lead: {} } })).status).toBe(401);
    expect((await world.call('GET', '/widget/form')).status).toBe(405);
  });
});

test('a greeting begins the conversation in which the visitor replies to it; others are not said', async () => {
  const greeting = { text: 'May I help?', seconds: 5, path: '/pricing', onExit: false };
  await set({ form: [], greetings: [{ text: 'May I help?', seconds: 5, path: '/pricing' }] });
  const { token, greetings } = await enter();
  expect(greetings).toEqual([greeting]);
  const replied = await ask(token, { content: 'Yes', greeting: 'May I help?' });
  expect(replied.messages.map(({ role, content }) => [role, content])).toEqual([
    ['assistant', 'May I help?'],
    ['user', 'Yes'],
    ['assistant', 'Answer to Yes.'],
  ]);
  const invented = await ask((await enter()).token, { content: 'Yes', greeting: 'Everything is free.' });
  expect(invented.messages).toHaveLength(2);
  expect((await set({ greetings: [] })).greetings).toEqual([]);
});
