import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mutation, openWidgets, shop, type Widget } from '../support/browser/widget.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent } from '../support/gateway/factories.ts';

let world: Awaited<ReturnType<typeof openWidgets>>;
let widget: Widget;
beforeAll(async () => {
  world = await openWidgets();
  widget = await world.make();
});
afterAll(() => world.gateway.close());

describe('the origins of a channel', () => {
  const create = (input: object) =>
    world.gateway.graphql(world.home.editor, mutation('createChannel', 'channel { id origins publishableToken }'), {
      input: { agentId: widget.agentId, platform: 'widget', ...input },
    });

  test.each([
    ['https://Shop.example/', 'https://shop.example'],
    ['https://shop.example:443', 'https://shop.example'],
    ['http://shop.example:80/', 'http://shop.example'],
    ['http://shop.example:443', 'http://shop.example:443'],
    ['https://*.shop.example', 'https://*.shop.example'],
    ['HTTPS://*.Shop.example:8443', 'https://*.shop.example:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://*.BÜCHER.example', 'https://*.xn--bcher-kva.example'],
    ['http://localhost:*', 'http://localhost:*'],
    ['http://[::1]:*/', 'http://[::1]:*'],
    ['http://[0:0:0:0:0:0:0:1]:80', 'http://[::1]'],
    ['http://127.1:3000', 'http://127.0.0.1:3000'],
  ])('are written as browsers send them: %s is %s', async (given, origin) => {
    const { data } = await create({ origins: [given] });
    expect(data.createChannel.channel.origins).toEqual([origin]);
    if (origin.includes('*')) return;
    const own = data.createChannel.channel.publishableToken;
    const entering = world.call('POST', '/widget/session', { origin, body: { channel: own } });
    expect((await entering).status).toBe(200);
  });

  test.each([
    '*',
    'shop.example',
    'https://shop.example/path',
    'https://*',
    'https://*.com',
    'ftp://a.b',
    'https://a.b:*',
    'https://*.localhost:*',
    'https://*.10.0.0.1',
    'https://*.*.shop.example',
    'https://me@shop.example',
    'https://shop.example?x',
    'https://shop.example:99999',
    'http://localhost:80:*',
    'https://shop .example',
    'null',
  ])('are not %s', async (origin) => {
    expectFailure(await create({ origins: [origin] }), 'invalid_request', /^origins\.0: must be an origin/);
  });

  test('let in the names below a name, and any port of one’s own machine', async () => {
    const own = await world.make({ origins: ['https://*.shop.example', 'http://localhost:*', 'http://[::1]:*'] });
    const status = async (origin: string) =>
      (await world.call('POST', '/widget/session', { origin, body: { channel: own.token } })).status;
    for (const origin of [
      'https://www.shop.example',
      'https://a.b.shop.example',
      'http://localhost:5173',
      'http://localhost',
      'http://[::1]:5173',
    ])
      expect([origin, await status(origin)]).toEqual([origin, 200]);
    for (const origin of [
      'https://shop.example',
      'https://evilshop.example',
      'https://localhost',
      'https://*.shop.example',
    ])
      expect([origin, await status(origin)]).toEqual([origin, 403]);
  });

  test('let in no other name that ends alike', async () => {
    const own = await world.make({ origins: [shop] });
    const origin = shop.replace('://', '://evil');
    expect((await world.call('POST', '/widget/session', { origin, body: { channel: own.token } })).status).toBe(403);
  });

  test('are changed alone, and belong to widgets', async () => {
    const { id } = (await create({ origins: [shop] })).data.createChannel.channel;
    const update = (input: object) =>
      world.gateway.graphql(world.home.editor, mutation('updateChannel', 'channel { origins credentials }'), { input });
    await update({ id, credentials: { page: 'kept' } });
    const { data } = await update({ id, origins: ['https://other.example'] });
    expect(data.updateChannel.channel).toEqual({ origins: ['https://other.example'], credentials: { page: 'kept' } });
    expectFailure(
      await create({ platform: 'email', origins: [shop] }),
      'invalid_request',
      /^origins: can only be set for channels/,
    );
    const { id: agentId } = await makeAgent(world.gateway, world.home.editor);
    const api = (await create({ agentId, platform: 'api' })).data.createChannel.channel;
    expect(api).toMatchObject({ origins: [], publishableToken: null });
    expectFailure(
      await update({ id: api.id, origins: [shop] }),
      'invalid_request',
      /^origins: can only be set for channels/,
    );
    const rotate = mutation('rotatePublishableToken', 'channel { id }');
    expectFailure(await world.gateway.graphql(world.home.editor, rotate, { input: { id: api.id } }), 'conflict');
  });
});
