import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createApp } from '../../src/app.ts';
import type { HttpVariables } from '../../src/http/log/request-log.ts';
import { endWithBearer } from '../../src/http/stream-bearer.ts';
import { createServices } from '../../src/services.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeMember, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const removing = 'mutation ($id: ID!) { removeMember(input: { id: $id }) { membership { deleted } } }';
const changing = 'mutation ($id: ID!) { updateMember(input: { id: $id, role: viewer }) { membership { role } } }';
const rotating = 'mutation { rotateAppSecret(input: { id: "portal" }) { app { id } } }';

let home: TestWorkspace;
let conversationId: string;
const replicas: Record<string, (path: string, init: RequestInit) => Response | Promise<Response>> = {};
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  const agent = await makeAgent(gateway, home.editor);
  const sent = await gateway.rest(home.editor, 'POST', `/api/${agent.id}`, { message: { content: 'Hello' } });
  conversationId = sent.body.id;
  const { config, secrets, log } = gateway.services;
  const services = createServices({ config, secrets, log, handle: gateway.handle });
  const replica = createApp(services, async () => null);
  Object.assign(replicas, { here: gateway.app.request, elsewhere: replica.request });
  watches.push(services.messageWatch);
});
const watches: { close(): unknown }[] = [];
afterAll(() => Promise.all(watches.map((watch) => watch.close())));

async function open(bearer: string, on: string) {
  const query = 'subscription ($id: ID!) { newMessages(conversationId: $id) { id } }';
  const response = await replicas[on]?.('/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { id: conversationId } }),
  });
  expect(response?.headers.get('content-type')).toMatch(/^text\/event-stream/);
  return readEvents(response as Response);
}

describe.each(['here', 'elsewhere'])('a stream that is open %s', (on) => {
  test('ends when its member is removed or demoted, its app has a new secret, or its token expires', async () => {
    const [removed, demoted] = [
      await makeMember(gateway, home.id, 'editor'),
      await makeMember(gateway, home.id, 'editor'),
    ];
    const { userId, membershipId } = home.owner;
    const short = {
      ...home.owner,
      userId: userId ?? '',
      membershipId: membershipId ?? '',
      role: 'owner',
      credential: 'person',
      appId: undefined,
    } as const;
    const app = gateway.services.secrets.decrypt(
      (await gateway.database.app.findFirstOrThrow({ where: { workspaceId: home.id, id: 'portal' } })).secretCipher,
    );
    const bearers = [await gateway.bearer(removed), await gateway.bearer(demoted), app];
    const streams = await Promise.all(bearers.map((bearer) => open(bearer, on)));
    const staying = await open(await gateway.bearer(home.viewer), on);
    const ends = Promise.all(streams.map((stream) => stream.rest()));
    const expiring = (await open(await gateway.services.tokens.sign(short, 2), on)).rest();
    await gateway.data(home.owner, removing, { id: removed.membershipId });
    await gateway.data(home.owner, changing, { id: demoted.membershipId });
    await gateway.data(home.owner, rotating);
    expect(await ends).toHaveLength(3);
    await expiring;
    // A caller whose bearer is still valid keeps its stream.
    const told = staying.next();
    const take = 'mutation ($id: ID!) { takeOverConversation(input: { conversationId: $id }) { conversation { id } } }';
    await gateway.data(home.editor, take, { id: conversationId });
    const send =
      'mutation ($id: ID!) { sendAsPerson(input: { conversationId: $id, content: "Hi" }) { message { id } } }';
    await gateway.data(home.editor, send, { id: conversationId });
    expect((await told)?.data.data.newMessages.id).toMatch(/^msg_/);
    await staying.leave();
  });
});

test.each([
  ['while it is read', true],
  ['before', false],
])('a caller that leaves a stream of Yoga %s ends it at its source', async (_, isRead) => {
  const left = Promise.withResolvers<void>();
  const app = new Hono<{ Variables: HttpVariables }>();
  app.use(async (c, next) => {
    c.set('requestNotes', { viewer: home.viewer as never });
    return next();
  });
  app.use(endWithBearer({ verify: async () => home.viewer as never }));
  app.get('/', () => {
    const body = new ReadableStream<Uint8Array>({ pull: () => left.promise, cancel: () => left.resolve() });
    return new Response(body, { headers: { 'content-type': 'multipart/mixed' } });
  });
  const response = await app.request('/', { headers: { authorization: 'Bearer x' } });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const reading = isRead ? reader.read() : Promise.resolve({ done: true });
  await reader.cancel();
  await left.promise;
  expect(await reading).toMatchObject({ done: true });
});

test('a HEAD request opens no stream that goes on', async () => {
  const bearer = await gateway.bearer(home.viewer);
  const looked = vi.spyOn(gateway.services.tokens, 'verify');
  const query = 'subscription ($id: ID!) { newMessages(conversationId: $id) { id } }';
  const address = new URLSearchParams({ query, variables: JSON.stringify({ id: conversationId }) });
  const headers = { authorization: `Bearer ${bearer}`, accept: 'text/event-stream' };
  const response = await gateway.app.request(`/graphql?${address}`, { method: 'HEAD', headers });
  expect([response.status, response.body]).toEqual([200, null]);
  const before = looked.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(looked.mock.calls.length).toBe(before);
});
