import { describe, expect, test } from 'vitest';
import { keyScopes } from '../../src/core/permissions.ts';
import { WebhookEvent } from '../../src/database/generated/prisma/enums.ts';
import { newId } from '../../src/database/ids.ts';
import { makeKey } from '../support/auth/keys.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { schema } from '../support/graphql/shape.ts';
import { useReceiver } from '../support/webhooks/webhook-receiver.ts';

const gateway = useGateway();
const hooks = useReceiver(gateway);

/** The events of rows and what takes reading their type, as the graph has it. */
const events = Object.values(WebhookEvent)
  .filter((event) => event !== 'ping')
  .map((event) => {
    const subject = event.split('_')[0] ?? '';
    // An alert is of a tile of a board.
    const type = schema.getType(subject === 'alert' ? 'Dashboard' : `${subject[0]?.toUpperCase()}${subject.slice(1)}`);
    return [event, String(type?.extensions.parleyRead)] as const;
  });

const keyWith = (scopes: readonly string[]) => makeKey(gateway, hooks.workspace.owner, { scopes });
const without = (scope: string) => keyScopes.filter((one) => one !== scope);
const save = (bearer: never, name: 'create' | 'update', input: object) =>
  gateway.graphql(
    bearer,
    `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}WebhookInput!) { ${name}Webhook(input: $input) { webhook { id } } }`,
    { input },
  );
const make = async (bearer: unknown, path: string, given: object = {}): Promise<string> => {
  const answer = await save(bearer as never, 'create', { url: `${hooks.origin}${path}`, ...given });
  expect(answer.errors).toBeUndefined();
  return answer.data.createWebhook.webhook.id;
};

/** Records an event, and delivers what is due. */
async function occurs(event: string): Promise<void> {
  const { id: workspaceId } = hooks.workspace;
  const type = event.replace('_', '.');
  await gateway.database.outboxEvent.create({ data: { id: newId('event'), workspaceId, type, data: { of: 'a row' } } });
  await hooks.deliver();
}
const webhookOf = async (id: string) =>
  (
    await gateway.data(
      hooks.workspace.owner,
      `query ($id: ID!) { webhook(id: $id) { enabled disabledReason runsAs deliveries { nodes { status error responseStatus } } } }`,
      { id },
    )
  ).webhook;
const keyIdOf = async () =>
  (await gateway.database.key.findFirstOrThrow({ orderBy: { createdAt: 'desc' }, select: { id: true } })).id;

describe('a key', () => {
  test.each(events)('makes no webhook for %s without %s', async (event, scope) => {
    expect(keyScopes).toContain(scope);
    const key = await keyWith(without(scope));
    for (const named of [[event], [], Object.values(WebhookEvent)]) {
      const refused = await save(key as never, 'create', { url: `${hooks.origin}/`, events: named });
      expectFailure(refused, 'forbidden', new RegExp(scope));
    }
    const others = events.filter(([, needed]) => needed !== scope).map(([name]) => name);
    expect(await make(key, '/', { events: others })).toEqual(expect.any(String));
  });

  test.each(events)('is not sent %s once it lacks %s', async (event, scope) => {
    const id = await make(await keyWith(['webhooks.write', scope]), '/', { events: [event] });
    await occurs(event);
    expect(hooks.received).toHaveLength(1);
    await gateway.database.key.updateMany({ where: { id: await keyIdOf() }, data: { scopes: ['webhooks.write'] } });
    await occurs(event);
    expect(hooks.received).toHaveLength(1);
    const [refused] = (await webhookOf(id)).deliveries.nodes;
    expect(refused).toMatchObject({ status: 'failed', responseStatus: null, error: expect.stringContaining(scope) });
  });

  test.each(events)('reads no body of %s without %s', async (event, scope) => {
    const webhookId = await make(hooks.workspace.owner, '/', { events: [event] });
    await occurs(event);
    const document = `query ($id: ID!) { webhook(id: $id) { deliveries { nodes { event body } } } }`;
    const list = `{ webhookDeliveries(filter: { webhookId: "${webhookId}" }) { nodes { event body } } }`;
    for (const query of [document, list]) {
      const closed = await gateway.graphql(await keyWith(without(scope)), query, { id: webhookId });
      const nodes = (data: typeof closed.data) => (data.webhook?.deliveries ?? data.webhookDeliveries).nodes;
      expect(nodes(closed.data)).toEqual([{ event, body: null }]);
      expectFailure(closed, 'forbidden', new RegExp(scope));
      const open = await gateway.graphql(await keyWith(['webhooks.read', scope]), query, { id: webhookId });
      expect(nodes(open.data)).toEqual([{ event, body: expect.stringContaining(event.replace('_', '.')) }]);
    }
  });

  test('redirects no webhook that is sent more than it may read, and ends what it redirects with itself', async () => {
    const id = await make(hooks.workspace.owner, '/owner', { events: ['lead_created'] });
    const weak = (await keyWith(['webhooks.write', 'webhooks.read'])) as never;
    for (const change of [{ url: `${hooks.origin}/key` }, { events: [] }, { enabled: true }]) {
      expectFailure(await save(weak, 'update', { id, ...change }), 'forbidden', /leads\.read/);
    }
    expect((await save(weak, 'update', { id, description: 'Ours' })).errors).toBeUndefined();
    await occurs('lead_created');
    expect(hooks.received.map(({ path }) => path)).toEqual(['/owner']);
    expect((await webhookOf(id)).runsAs).toBe(hooks.workspace.owner.userId);

    const strong = (await keyWith(['webhooks.write', 'webhooks.read', 'leads.read'])) as never;
    expect((await save(strong, 'update', { id, url: `${hooks.origin}/key` })).errors).toBeUndefined();
    expect((await webhookOf(id)).runsAs).toBe(await keyIdOf());
    await gateway.database.key.updateMany({ where: { id: await keyIdOf() }, data: { revokedAt: new Date() } });
    await occurs('lead_created');
    expect(hooks.received.map(({ path }) => path)).toEqual(['/owner']);
  });
});

test('a token that was made by POST /apps/auth lends no webhook rights that would outlive it', async () => {
  const minted = { ...hooks.workspace.owner, credential: 'minted' } as never;
  const id = await make(hooks.workspace.owner, '/owner', { events: ['lead_created'] });
  const refused = /would outlive it/;
  expectFailure(await save(minted, 'create', { url: `${hooks.origin}/` }), 'forbidden', refused);
  for (const change of [{ url: `${hooks.origin}/other` }, { enabled: true }])
    expectFailure(await save(minted, 'update', { id, ...change }), 'forbidden', refused);
  expect((await save(minted, 'update', { id, enabled: false })).errors).toBeUndefined();
  expect((await webhookOf(id)).runsAs).toBe(hooks.workspace.owner.userId);
});

describe('a webhook ends', () => {
  const ends: [string, (ids: { keyId: string; membershipId: string }) => Promise<unknown>][] = [
    [
      'is revoked',
      ({ keyId: id }) => gateway.database.key.updateMany({ where: { id }, data: { revokedAt: new Date() } }),
    ],
    [
      'expires',
      ({ keyId: id }) => gateway.database.key.updateMany({ where: { id }, data: { expiresAt: new Date(0) } }),
    ],
    [
      'belongs to a member who may have no webhook any more',
      ({ membershipId: id }) => gateway.database.membership.updateMany({ where: { id }, data: { role: 'editor' } }),
    ],
    [
      'belongs to a member who leaves',
      ({ membershipId: id }) => gateway.database.membership.deleteMany({ where: { id } }),
    ],
  ];

  test.each(ends)('when its key %s', async (_name, end) => {
    const { userId, viewer } = await admin();
    const key = await makeKey(gateway, viewer, { scopes: ['webhooks.write', 'leads.read'] });
    const ids = { keyId: await keyIdOf(), membershipId: viewer.membershipId ?? '' };
    const byKey = await make(key, '/key', { events: ['lead_created'] });
    const byMember = await make(viewer, '/member', { events: ['lead_created'] });
    expect((await webhookOf(byMember)).runsAs).toBe(userId);
    await end(ids);
    await occurs('lead_created');
    const paths = hooks.received.map(({ path }) => path);
    expect(paths).not.toContain('/key');
    expect(await webhookOf(byKey)).toMatchObject({
      enabled: false,
      disabledReason: expect.stringContaining(ids.keyId),
    });
    if (/member/.test(_name)) {
      expect(paths).toEqual([]);
      expect(await webhookOf(byMember)).toMatchObject({
        enabled: false,
        disabledReason: expect.stringContaining(userId),
      });
    }
    // Enabled by somebody else, it goes on with their rights.
    expect((await save(hooks.workspace.owner as never, 'update', { id: byKey, enabled: true })).errors).toBeUndefined();
    await occurs('lead_created');
    expect(hooks.received.map(({ path }) => path)).toContain('/key');
  });
});

/** A further admin of the workspace. */
async function admin() {
  const { id: workspaceId } = hooks.workspace;
  const [userId, membershipId] = [newId('user'), newId('membership')];
  await gateway.database.user.create({ data: { id: userId, name: 'Admin', email: `${userId}@example.com` } });
  await gateway.database.membership.create({ data: { id: membershipId, workspaceId, userId, role: 'admin' } });
  return { userId, viewer: { ...hooks.workspace.admin, userId, membershipId } };
}
