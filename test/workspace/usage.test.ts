import { beforeAll, describe, expect, test, vi } from 'vitest';
import { setQuota } from '../../src/auth/quota.ts';
import type { Context } from '../../src/context.ts';
import type { ParleyError } from '../../src/core/errors.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import { transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { releaseInteraction, reserveInteraction } from '../../src/domain/workspace/usage.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const settings = 'workspaceId merge createdAt updatedAt';
const save = `mutation ($input: SaveSettingsInput!) { saveSettings(input: $input) { settings { ${settings} } } }`;

describe('the settings', () => {
  let home: TestWorkspace;
  beforeAll(async () => {
    home = await makeWorkspace(gateway);
  });
  const read = async (viewer: Viewer) => (await gateway.data(viewer, `{ settings { ${settings} } }`)).settings;

  test('are there before they were saved, and stay the same ones', async () => {
    const first = await Promise.all([read(home.viewer), read(home.viewer), read(home.app)]);
    expect(first[0]).toEqual({
      workspaceId: home.id,
      merge: 'never',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(new Set([...first, await read(home.owner)].map((row) => JSON.stringify(row))).size).toBe(1);
  });

  test.each(['email', 'phone', 'any', 'never'])('may say merge: %s', async (merge) => {
    const { saveSettings } = await gateway.data(home.admin, save, { input: { merge } });
    expect(saveSettings.settings).toMatchObject({ workspaceId: home.id, merge });
    expect(await read(home.viewer)).toMatchObject({ merge });
  });

  test('may be saved before they were read', async () => {
    const workspace = await makeWorkspace(gateway);
    const { saveSettings } = await gateway.data(workspace.owner, save, { input: { merge: 'any' } });
    expect(saveSettings.settings).toMatchObject({ merge: 'any' });
  });

  test.each([{}, { merge: 'sometimes' }, { merge: null }])('are refused with %j', async (input) => {
    expectFailure(await gateway.graphql(home.admin, save, { input }), 'invalid_request', /merge/);
  });

  test('are saved by owner and admin alone', async () => {
    for (const role of ['editor', 'viewer', 'app'] as const) {
      expectFailure(
        await gateway.graphql(home[role], save, { input: { merge: 'any' } }),
        'forbidden',
        /settings: write/,
      );
    }
  });

  test('of another workspace stay as they are', async () => {
    const other = await makeWorkspace(gateway);
    await gateway.data(other.admin, save, { input: { merge: 'phone' } });
    expect(await read(home.viewer)).not.toMatchObject({ merge: 'phone' });
  });
});

describe('the usage of a month', () => {
  const moment = new Date('2026-07-31T23:59:50.500Z');
  const contextOf = (viewer: Viewer, now = moment): Context => ({ ...gateway.services, now: () => now, viewer });
  const reserve = (context: Context) => transact(context.database, (tx) => reserveInteraction(context, tx));
  const currentOf = async (workspaceId: string, month = '2026-07') =>
    (await gateway.database.usage.findUnique({ where: { workspaceId_month: { workspaceId, month } } }))?.current ?? 0;
  const read = async (viewer: Viewer) =>
    (await gateway.data(viewer, '{ usage { month current max subscriptionId subscription { id } } }')).usage;
  const subscribe = (workspaceId: string, data: object) =>
    gateway.database.subscription.create({
      data: { id: newId('subscription'), workspaceId, appId: 'portal', priceId: 'p', ...data },
    });

  test('is that of the current month in UTC, with the plan in force', async () => {
    const home = await makeWorkspace(gateway, 5);
    vi.spyOn(gateway.services, 'now').mockReturnValue(moment);
    const month = '2026-07';
    const plan = await gateway.database.subscription.findFirstOrThrow({ where: { workspaceId: home.id } });
    const subscription = { id: plan.id };
    expect(await read(home.viewer)).toEqual({ month, current: 0, max: 5, subscriptionId: plan.id, subscription });
    await reserve(contextOf(home.app));
    expect(await read(home.viewer)).toMatchObject({ month, current: 1 });
  });

  test('is bounded by the newest subscription that is active or on trial', async () => {
    const home = await makeWorkspace(gateway, 5);
    const newer = await subscribe(home.id, {
      status: 'trial',
      maxInteractions: 7,
      createdAt: new Date(Date.now() + 1_000),
    });
    await subscribe(home.id, { status: 'ended', maxInteractions: 9, createdAt: new Date(Date.now() + 2_000) });
    expect(await read(home.viewer)).toMatchObject({ max: 7, subscriptionId: newer.id });
  });

  test('is counted by each turn up to the limit, the largest one included', async () => {
    const sending =
      'mutation ($a: ID!) { sendMessage(input: {agentId: $a, message: {content: "Hi"}}) { conversation { id } } }';
    for (const [max, counted] of [
      [1, 1],
      [2, 2],
      [2 ** 31 - 1, 3],
    ] as const) {
      const home = await makeWorkspace(gateway, max);
      const { id } = await makeAgent(gateway, home.editor);
      for (let turn = 0; turn < 3; turn++) {
        const answer = await gateway.graphql(home.app, sending, { a: id });
        if (turn < max) expect(answer.errors).toBeUndefined();
        else expectFailure(answer, 'usage_limit_exceeded');
      }
      expect(await read(home.viewer)).toMatchObject({ current: counted, max });
    }
  });

  test('is bounded by what the operator set before any subscription, and by no role of the workspace', async () => {
    const home = await makeWorkspace(gateway, 5);
    await setQuota(gateway.services, { workspaceId: home.id, max: 2 });
    await subscribe(home.id, { status: 'active', maxInteractions: 9, createdAt: new Date(Date.now() + 1_000) });
    expect(await read(home.viewer)).toMatchObject({ max: 2 });
    await reserve(contextOf(home.app));
    await reserve(contextOf(home.app));
    await expect(reserve(contextOf(home.app))).rejects.toMatchObject({ code: 'usage_limit_exceeded' });
    const takes = (input: string) => `mutation { ${input} { subscription { id } } }`;
    for (const [name, given] of [
      ['createSubscription', 'appId: "portal", priceId: "x", maxInteractions: 100'],
      ['updateSubscription', 'id: "sub_1", maxInteractions: 100'],
    ])
      for (const role of ['owner', 'admin', 'app'] as const)
        expectFailure(
          await gateway.graphql(home[role], takes(`${name}(input: { ${given} })`)),
          'invalid_request',
          /maxInteractions/,
        );
    await setQuota(gateway.services, { workspaceId: home.id, max: null });
    expect(await read(home.viewer)).toMatchObject({ max: 9 });
  });

  test('has no room without a subscription in force', async () => {
    const home = await makeWorkspace(gateway);
    await gateway.database.subscription.updateMany({ where: { workspaceId: home.id }, data: { status: 'canceled' } });
    expect(await read(home.viewer)).toMatchObject({ current: 0, max: 0, subscriptionId: '', subscription: null });
    await expect(reserve(contextOf(home.app))).rejects.toMatchObject({ code: 'subscription_inactive', status: 402 });
  });

  test('is full at its maximum, and says how many seconds are left', async () => {
    const home = await makeWorkspace(gateway, 1);
    expect(await reserve(contextOf(home.app))).toMatchObject({ month: '2026-07' });
    const error: ParleyError = await reserve(contextOf(home.app)).catch((error) => error);
    expect(error).toMatchObject({ code: 'usage_limit_exceeded', status: 429, headers: { 'retry-after': '10' } });
    expect(await currentOf(home.id)).toBe(1);
    const later = await reserve(contextOf(home.app, new Date('2026-08-01T00:00:00Z')));
    expect(later).toMatchObject({ month: '2026-08' });
  });

  test('is full at once with a maximum of 0', async () => {
    const home = await makeWorkspace(gateway, 0);
    await expect(reserve(contextOf(home.app))).rejects.toMatchObject({ code: 'usage_limit_exceeded' });
  });

  test('never goes past its maximum when 64 come at once', async () => {
    const home = await makeWorkspace(gateway, 20);
    const outcomes = await Promise.allSettled(Array.from({ length: 64 }, () => reserve(contextOf(home.app))));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(refused).toEqual(Array.from({ length: 44 }, () => 'usage_limit_exceeded'));
    expect(await currentOf(home.id)).toBe(20);
  });

  test('counts nothing for what is undone or given back', async () => {
    const home = await makeWorkspace(gateway, 2);
    const context = contextOf(home.app);
    const undone = transact(context.database, async (tx) => {
      await reserveInteraction(context, tx);
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    const { month } = await reserve(context);
    await releaseInteraction(contextOf(home.app, new Date('2026-08-01T00:00:00Z')), month);
    await releaseInteraction(context, month);
    expect(await currentOf(home.id)).toBe(0);
  });

  test('of another workspace is counted apart', async () => {
    const [home, other] = [await makeWorkspace(gateway, 2), await makeWorkspace(gateway, 2)];
    await reserve(contextOf(home.app));
    await releaseInteraction(contextOf(other.app), '2026-07');
    expect([await currentOf(home.id), await currentOf(other.id)]).toEqual([1, 0]);
    expect(await read(other.viewer)).toMatchObject({ current: 0, max: 2 });
  });
});
