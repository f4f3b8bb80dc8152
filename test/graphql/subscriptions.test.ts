import { describe, expect, test } from 'vitest';
import { expectFailure } from '../support/gateway/app.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();

const create =
  'mutation ($input: CreateSubscriptionInput!) { createSubscription(input: $input) { subscription { id status priceId coupon source maxInteractions app { id } } } }';
const update =
  'mutation ($input: UpdateSubscriptionInput!) { updateSubscription(input: $input) { subscription { status priceId coupon maxInteractions } } }';
const remove =
  'mutation ($input: DeleteSubscriptionInput!) { deleteSubscription(input: $input) { subscription { id deleted } } }';

async function subscribe(workspace = home, input: object = {}): Promise<string> {
  const data = await gateway.data(workspace.admin, create, {
    input: { appId: 'portal', priceId: 'price_1', ...input },
  });
  return data.createSubscription.subscription.id;
}

describe('a subscription', () => {
  test('begins on trial, with 1000 interactions a month', async () => {
    const { createSubscription } = await gateway.data(home.admin, create, {
      input: { appId: 'portal', priceId: 'price_9' },
    });
    expect(createSubscription.subscription).toEqual({
      id: expect.stringMatching(/^sub_/),
      status: 'trial',
      priceId: 'price_9',
      coupon: null,
      source: 'self_service',
      maxInteractions: 1000,
      app: { id: 'portal' },
    });
  });

  test.each([
    [
      ['active', 'canceled', 'ended'],
      ['active', 'trial'],
    ],
    [['ended'], ['trial', 'active', 'canceled']],
  ])('goes through %j, and then not to %j', async (path, closed) => {
    const id = await subscribe();
    for (const status of path) {
      const { updateSubscription } = await gateway.data(home.admin, update, { input: { id, status } });
      expect(updateSubscription.subscription.status).toBe(status);
    }
    for (const status of closed) {
      expectFailure(
        await gateway.graphql(home.admin, update, { input: { id, status } }),
        'conflict',
        /status: a subscription that is ended/,
      );
    }
  });

  test.each([
    ['trial', 'canceled'],
    ['active', 'ended'],
    ['active', 'trial'],
  ])('does not go from %s to %s', async (status, next) => {
    const id = await subscribe(home, { status });
    expectFailure(
      await gateway.graphql(home.admin, update, { input: { id, status: next } }),
      'conflict',
      new RegExp(`${status} cannot become ${next}`),
    );
  });

  test('changes what is given, and keeps its status', async () => {
    const id = await subscribe(home, { status: 'active', coupon: 'HALF' });
    const { updateSubscription } = await gateway.data(home.admin, update, {
      input: { id, status: 'active', coupon: null },
    });
    expect(updateSubscription.subscription).toEqual({
      status: 'active',
      priceId: 'price_1',
      coupon: null,
      maxInteractions: 1000,
    });
  });

  test.each([
    [{ priceId: ' ' }, /priceId/],
    [{ maxInteractions: 5 }, /maxInteractions/],
    [{ status: 'ended' }, /^status: must be trial or active for a new subscription$/],
    [{ source: 'gift' }, /source/],
  ])('is refused with %j', async (wrong, message) => {
    const input = { appId: 'portal', priceId: 'price_1', ...wrong };
    expectFailure(await gateway.graphql(home.admin, create, { input }), 'invalid_request', message);
  });

  test('is for an app of the workspace', async () => {
    await gateway.data(other.admin, 'mutation { createApp(input: { id: "theirs", name: "x" }) { app { id } } }');
    const input = { appId: 'theirs', priceId: 'price_1' };
    expectFailure(await gateway.graphql(home.admin, create, { input }), 'not_found', /App not found/);
  });

  test('is changed by admins alone', async () => {
    const id = await subscribe();
    for (const viewer of [home.editor, home.viewer, home.app]) {
      expectFailure(await gateway.graphql(viewer, create, { input: { appId: 'portal', priceId: 'p' } }), 'forbidden');
      expectFailure(await gateway.graphql(viewer, update, { input: { id, priceId: 'p' } }), 'forbidden');
      expectFailure(await gateway.graphql(viewer, remove, { input: { id } }), 'forbidden');
    }
  });

  test('is removed once it has ended', async () => {
    const id = await subscribe();
    expectFailure(await gateway.graphql(home.admin, remove, { input: { id } }), 'conflict', /trial cannot be deleted/);
    await gateway.data(home.admin, update, { input: { id, status: 'ended' } });
    expect(await gateway.data(home.admin, remove, { input: { id } })).toEqual({
      deleteSubscription: { subscription: { id, deleted: true } },
    });
    expectFailure(await gateway.graphql(home.admin, remove, { input: { id } }), 'not_found');
  });

  test('of another workspace is not found', async () => {
    const id = await subscribe(other);
    expectFailure(
      await gateway.graphql(home.owner, `{ subscription(id: "${id}") { id } }`),
      'not_found',
      /Subscription not found/,
    );
    expectFailure(await gateway.graphql(home.owner, update, { input: { id, priceId: 'x' } }), 'not_found');
    expectFailure(await gateway.graphql(home.owner, remove, { input: { id } }), 'not_found');
    expect(await gateway.data(home.owner, `{ node(id: "${id}") { id } }`)).toEqual({ node: null });
  });

  test('is listed by status and by app', async () => {
    const { subscriptions, app } = await gateway.data(
      other.viewer,
      '{ subscriptions(filter: { status: [active], appId: "portal" }) { nodes { status } } app(id: "portal") { subscriptions(filter: { status: [active] }) { totalCount } } }',
    );
    expect(subscriptions.nodes).toEqual([{ status: 'active' }]);
    expect(app.subscriptions.totalCount).toBe(1);
  });
});
