import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mutation, openWidgets, type Widget } from '../support/browser/widget.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

type Session = { token: string; secret: string | null; conversation: { id: string } | null };

let world: Awaited<ReturnType<typeof openWidgets>>;
let widget: Widget;
let secret: string;
beforeAll(async () => {
  world = await openWidgets();
  widget = await world.make();
  secret = await rotate(widget);
});
afterAll(() => world.gateway.close());

const document = mutation('rotateIdentitySecret', 'secret channel { verifiesUsers }');
async function rotate({ channelId: id }: Widget, at: TestWorkspace = world.home): Promise<string> {
  const { secret } = (await world.gateway.data(at.editor, document, { input: { id } })).rotateIdentitySecret;
  return secret as string;
}
/** As a site signs it, with any library for JWTs. */
const sign = (claims: object, key = secret, expiry: string | number | null = '5m') => {
  const token = new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' });
  return (expiry === null ? token : token.setExpirationTime(expiry)).sign(Buffer.from(key));
};
const enter = (body: object, to = widget) =>
  world.call('POST', '/widget/session', { body: { channel: to.token, ...body } });
const session = async (body: object, to = widget) => (await (await enter(body, to)).json()) as Session;
const failure = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) });
/** Sends a message and waits for its answer; returns the conversation as it is stored. */
async function chat(bearer: string, content: string, conversationId?: string) {
  const events = await readEvents(await world.ask(bearer, { content, conversationId })).rest();
  const id = (events.at(-2)?.data.data as { id: string } | undefined)?.id ?? '';
  return world.gateway.database.conversation.findFirstOrThrow({ where: { id }, include: { lead: true } });
}

describe('a user whom the site has signed in', () => {
  test('is the same visitor in every browser, and the lead that the site says', async () => {
    const claims = { sub: '42', email: 'Ana@Example.com', name: 'Ana Lima', phone: '+5511987654321', plan: 'pro' };
    const [one, two] = [
      await session({ identity: await sign(claims) }),
      await session({ identity: await sign(claims) }),
    ];
    expect(one.secret).toBeNull();
    const first = await chat(one.token, 'Hi, you may write to other@example.com');
    expect(first.context).toEqual({ user: '42' });
    expect(first.lead).toMatchObject({ name: 'Ana Lima', email: 'ana@example.com', phone: '+5511987654321' });
    expect((await session({ identity: await sign(claims) })).conversation).toMatchObject({ id: first.id });
    const second = await chat(two.token, 'Another thing');
    expect(second.id).not.toBe(first.id);
    expect([second.platformUserIdentifier, second.leadId]).toEqual([first.platformUserIdentifier, first.leadId]);
    expect(await world.gateway.database.leadValue.count({ where: { leadId: first.leadId ?? '' } })).toBe(0);
  });

  test('is known by Intercom’s name of the claim too; values that a lead cannot have are left out', async () => {
    const input = { name: 'Plan', type: 'choice', options: ['pro', 'free'] };
    await world.gateway.data(world.home.editor, mutation('createField', 'field { id }'), { input });
    const claims = {
      user_id: 'i-7',
      email: 'no address',
      name: 'Eva',
      custom: { Plan: 'PRO', Unknown: 'x' },
      role: 'x',
    };
    const { token } = await session({ identity: await sign(claims) });
    const { lead, context } = await chat(token, 'Hi');
    expect(context).toEqual({ user: 'i-7' });
    expect(lead).toMatchObject({ name: 'Eva', email: null, custom: { Plan: 'pro' } });
  });

  test('takes over what this browser said before, once; nobody else sees it', async () => {
    const { token, secret: known } = await session({});
    const before = await chat(token, 'Who am I?');
    const identity = await sign({ sub: 'late', name: 'Late', email: 'late@example.com' });
    const user = await session({ secret: known, identity });
    expect(user.conversation).toMatchObject({ id: before.id });
    const after = await chat(user.token, 'It is me', before.id);
    expect(after).toMatchObject({ id: before.id, context: { user: 'late' }, lead: { name: 'Late' } });
    expect((await session({ secret: known })).conversation).toBeNull();
    expect((await session({ identity: await sign({ sub: 'else' }) })).conversation).toBeNull();
  });

  test('changes at the next message what the site says otherwise by then', async () => {
    const signed = async (name: string) =>
      (await session({ identity: await sign({ sub: 'renamed', name, email: 'renamed@example.com' }) })).token;
    const { leadId } = await chat(await signed('Old'), 'One');
    expect(await chat(await signed('New'), 'Two')).toMatchObject({ leadId, lead: { name: 'New' } });
  });
});

describe('nobody is a user of the site', () => {
  const other = '0'.repeat(47);
  test.each([
    ['by an id alone', () => ({ identity: '42' }), 401, /must be a JWT that is signed by HS256/],
    ['by another secret', async () => ({ identity: await sign({ sub: '42' }, other) }), 401, /must be a JWT/],
    [
      'by an unsigned token',
      () => ({ identity: `${btoa('{"alg":"none"}')}.${btoa('{"sub":"42"}')}.` }),
      401,
      /must be/,
    ],
    ['by an expired token', async () => ({ identity: await sign({ sub: '42' }, secret, 1) }), 401, /has expired/],
    ['for ever', async () => ({ identity: await sign({ sub: '42' }, secret, null) }), 401, /needs a time of expiry/],
    [
      'for ten years',
      async () => ({ identity: await sign({ sub: '42' }, secret, '10y') }),
      401,
      /valid for more than 2592000 seconds: sign one/,
    ],
    ['without an id', async () => ({ identity: await sign({ name: 'Ana' }) }), 400, /^sub: is required/],
    [
      'by a long token',
      async () => ({ identity: await sign({ sub: 'x'.repeat(4_000) }) }),
      400,
      /at most 4,000 characters/,
    ],
    [
      'by a long id',
      async () => ({ identity: await sign({ sub: 'x'.repeat(201) }) }),
      400,
      /^sub: must have at most 200/,
    ],
    [
      'by an id that cannot be stored',
      async () => ({ identity: await sign({ sub: '4\u00002' }) }),
      400,
      /^sub contains a NUL character/,
    ],
    ['by a number', () => ({ identity: 42 }), 400, /^identity: /],
  ])('%s', async (_, given, status, message) => {
    expect(await failure(await enter(await given()))).toMatchObject({
      status,
      message: expect.stringMatching(message),
    });
  });

  test('of a widget without a secret, or by that of another one', async () => {
    const [without, foreign] = [await world.make(), await world.make({}, await makeWorkspace(world.gateway))];
    const identity = await sign({ sub: '42' });
    const message = expect.stringMatching(/no identity secret/);
    expect(await failure(await enter({ identity }, without))).toMatchObject({ status: 400, message });
    await rotate(without);
    expect((await enter({ identity }, without)).status).toBe(401);
    expect((await enter({ identity }, foreign)).status).toBe(400);
  });

  test('once the secret was replaced, also not until their token ends', async () => {
    const own = await world.make();
    const old = await rotate(own);
    const { token: bearer } = await session({ identity: await sign({ sub: '42' }, old) }, own);
    const read = () => world.call('GET', '/widget/conversation', { bearer });
    expect((await read()).status).toBe(200);
    const fresh = await rotate(own);
    expect((await read()).status).toBe(401);
    expect((await enter({ identity: await sign({ sub: '42' }, old) }, own)).status).toBe(401);
    expect((await enter({ identity: await sign({ sub: '42' }, fresh) }, own)).status).toBe(200);
  });
});

describe('the identity secret', () => {
  test('is shown once, when it is made, and stored encrypted', async () => {
    expect(secret).toMatch(/^idn_[\w-]{43}$/);
    const { channelId: id } = widget;
    const query = 'query ($id: ID!) { channel(id: $id) { verifiesUsers credentials } }';
    const { channel } = await world.gateway.data(world.home.editor, query, { id });
    expect(channel).toEqual({ verifiesUsers: true, credentials: {} });
    const row = await world.gateway.database.channel.findFirstOrThrow({ where: { id } });
    expect(row.identitySecretCipher).not.toContain(secret);
    const none = await world.make();
    expect((await world.gateway.data(world.home.editor, query, { id: none.channelId })).channel.verifiesUsers).toBe(
      false,
    );
  });

  test('is made for widgets of the workspace alone, by who may write channels', async () => {
    const rotated = (of: TestWorkspace['editor'], id: string) => world.gateway.graphql(of, document, { input: { id } });
    const foreign = await makeWorkspace(world.gateway);
    expectFailure(await rotated(foreign.editor, widget.channelId), 'not_found');
    expectFailure(await rotated(world.home.viewer, widget.channelId), 'forbidden');
    const { id: agentId } = await makeAgent(world.gateway, world.home.editor);
    const api = (
      await world.gateway.data(world.home.editor, mutation('createChannel', 'channel { id }'), {
        input: { agentId, platform: 'api' },
      })
    ).createChannel.channel;
    expectFailure(await rotated(world.home.editor, api.id), 'conflict', /Only channels of the platform widget/);
  });
});
