import { describe, expect, test } from 'vitest';
import { clearEvents } from '../../src/domain/webhooks/retention.ts';
import { startWebhooks } from '../../src/jobs/webhook-deliveries.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { day, deliveryFields, useReceiver } from '../support/webhooks/webhook-receiver.ts';

const gateway = useGateway();
const hooks = useReceiver(gateway);
const { answers, create, createLead, deliver, deliveries, deliveryOf, mutate, received, wait } = hooks;

const deleteLead = (id: string) =>
  gateway.data(
    hooks.workspace.app,
    'mutation ($input: DeleteLeadInput!) { deleteLead(input: $input) { lead { id } } }',
    { input: { id } },
  );

describe('a delivery', () => {
  test('that fails is tried again, the same by id and body, each pause longer, until it is given up', async () => {
    let failures = 2;
    answers.set('/flaky', (response) => response.writeHead(failures-- > 0 ? 500 : 200).end('Oh'));
    const { id } = await create('/flaky');
    await createLead();
    await deliver();
    expect(await deliveryOf(id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      responseStatus: 500,
      error: 'The receiver responded with 500.',
      event: 'lead_created',
    });
    await deliver();
    expect(received).toHaveLength(1);
    wait(5_100);
    await deliver();
    wait(299_000);
    await deliver();
    expect(received).toHaveLength(2);
    wait(2_000);
    await deliver();
    const delivery = await deliveryOf(id);
    expect(delivery).toMatchObject({
      status: 'succeeded',
      attempts: 3,
      responseStatus: 200,
      error: null,
      nextAttemptAt: null,
    });
    expect(received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).toEqual(
      Array(3).fill(`${delivery.eventId} ${delivery.body}`),
    );
    answers.set('/flaky', (response) => response.writeHead(503).end());
    // A delivery is abandoned after three days, before the webhook is disabled.
    await createLead();
    for (const minutes of [0, 0.1, 5, 30, 120, 300, 600, 840, 1_200, 1_440, 1_440]) {
      wait(minutes * 60_000);
      await deliver();
    }
    expect(received).toHaveLength(13);
    expect((await deliveries(id)).deliveries.nodes[0]).toMatchObject({
      status: 'failed',
      attempts: 10,
      nextAttemptAt: null,
    });
  });

  test('goes no way that it must not go, and waits for nobody for ever', async () => {
    answers.set('/away', (response) => response.writeHead(307, { location: 'http://10.0.0.1/' }).end());
    const away = await create('/away');
    const inside = await create('/inside');
    await gateway.database.webhook.updateMany({
      where: { id: inside.id },
      data: { url: 'https://169.254.169.254/latest' },
    });
    await createLead();
    await deliver();
    const failed = { status: 'pending', responseStatus: null };
    expect(await deliveryOf(away.id)).toMatchObject({ ...failed, error: expect.stringMatching(/redirects/) });
    expect(await deliveryOf(inside.id)).toMatchObject({
      ...failed,
      error: 'The address is private: only the operator can allow its host (FETCH_ALLOW_HOSTS).',
    });
    answers.set('/stalled', () => {});
    const stalled = await create('/stalled', { events: ['lead_removed'] });
    await deleteLead(await createLead());
    await gateway.database.webhookDelivery.deleteMany({ where: { webhookId: { not: stalled.id } } });
    await deliver(100);
    expect(await deliveryOf(stalled.id)).toMatchObject({ ...failed, error: expect.stringMatching(/did not answer/) });
    const input = { url: 'http://example.com/' };
    const answer = await gateway.graphql(
      hooks.workspace.owner,
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
      { input },
    );
    expectFailure(answer, 'invalid_request', /https/);
  });

  test('is made once by however many gateways, and again when one died with it in hand', async () => {
    const { id } = await create('/once');
    for (let count = 0; count < 12; count++) await createLead({ name: `Lead ${count}` });
    await Promise.all([deliver(), deliver(), deliver()]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(12);
    expect(received).toHaveLength(12);
    // As a process leaves it when killed while waiting for the response.
    const [one] = (await deliveries(id)).deliveries.nodes;
    const lease = new Date(gateway.services.now().getTime() + 60_000);
    const data = { status: 'pending' as const, nextAttemptAt: lease, attempts: 1, claims: 2 };
    await gateway.database.webhookDelivery.updateMany({ where: { id: one.id }, data });
    await deliver();
    expect(received).toHaveLength(12);
    wait(61_000);
    await deliver();
    expect(received).toHaveLength(13);
    expect(received[12]?.headers['webhook-id']).toBe(one.eventId);
  });

  test('that a gateway leaves with was no try, and is due again at once', async () => {
    const hanging = Promise.withResolvers<void>();
    answers.set('/hanging', () => hanging.resolve());
    const { id } = await create('/hanging');
    await createLead();
    const worker = startWebhooks(gateway.services, { pollIntervalMs: 5 });
    await hanging.promise;
    await worker.close();
    answers.clear();
    await deliver();
    expect(await deliveryOf(id)).toMatchObject({ status: 'succeeded', attempts: 1 });
  });

  test('that fails on our side is tried again later, like any other, and says nothing against the webhook', async () => {
    const { id } = await create('/ours');
    await createLead();
    const { guardedFetch } = gateway.services;
    gateway.services.guardedFetch = async () => {
      throw new Error('a flaw of ours');
    };
    await deliver().finally(() => {
      gateway.services.guardedFetch = guardedFetch;
    });
    const delivery = await deliveryOf(id);
    expect(delivery).toMatchObject({
      status: 'pending',
      attempts: 1,
      error: 'The gateway failed unexpectedly, and its log says why.',
    });
    expect(new Date(delivery.nextAttemptAt).getTime()).toBe(gateway.services.now().getTime() + 5_000);
    expect((await gateway.database.webhook.findFirstOrThrow({ where: { id } })).failingSince).toBeNull();
    wait(5_000);
    await deliver();
    expect(await deliveryOf(id)).toMatchObject({ status: 'succeeded', attempts: 2, error: null });
  });

  test('keeps no more than four requests to one webhook open, however slow it is', async () => {
    const open: (() => void)[] = [];
    let [most, done] = [0, 0];
    answers.set('/slow', (response) => {
      open.push(() => response.writeHead(204).end());
      most = Math.max(most, open.length);
    });
    await create('/slow');
    for (let count = 0; count < 11; count++) await createLead();
    const delivering = deliver();
    for (; done < 11; done++) {
      // The maximum number of requests is open before the first response.
      await expect.poll(() => open.length, { interval: 5 }).toBe(Math.min(4, 11 - done));
      open.shift()?.();
    }
    await delivering;
    expect([most, received.length]).toEqual([4, 11]);
  });

  test('is replayed when it is asked for, and is forgotten after 30 days', async () => {
    const { id } = await create('/again');
    await createLead();
    await deliver();
    const first = await deliveryOf(id);
    const { replayWebhookDelivery } = await mutate('replayWebhookDelivery', first.id, `delivery { ${deliveryFields} }`);
    expect(replayWebhookDelivery.delivery).toMatchObject({ status: 'pending', attempts: 0 });
    await deliver();
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([first.eventId, first.eventId]);
    expect(await deliveryOf(id)).toMatchObject({ status: 'succeeded', attempts: 1, body: first.body });
    wait(31 * day);
    await clearEvents(gateway.services);
    expect((await deliveries(id)).deliveries.totalCount).toBe(0);
  });
});
