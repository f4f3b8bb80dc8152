import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Services } from '../../src/context.ts';
import { newId } from '../../src/database/ids.ts';
import { sendDelivery } from '../../src/domain/webhooks/send.ts';
import { schedules, startSchedule } from '../../src/jobs/schedule.ts';
import { image } from '../support/attachments/attachments.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { type Hang, hangs, startHangingServer } from '../support/net/hanging-server.ts';
import { stopDeadlines } from '../support/net/stopped-deadlines.ts';

type Hanging = Awaited<ReturnType<typeof startHangingServer>>;

describe.each<Hang>(['silent', 'head'])('a bucket that keeps its caller waiting (%s)', (hang) => {
  let bucket: Hanging;
  let gateway: Gateway;
  let home: TestWorkspace;
  beforeAll(async () => {
    bucket = await startHangingServer(hang);
    gateway = await openGateway({
      STORAGE_URL: `s3://files?endpoint=${bucket.origin}&region=r`,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    });
    home = await makeWorkspace(gateway);
  });
  afterAll(async () => {
    await gateway.close();
    await bucket.close();
  });

  test('is told to all who sent attachments, and others wait for none of it', async () => {
    const deadlines = stopDeadlines();
    const { id } = await makeAgent(gateway, home.editor);
    const message = { content: 'Look', attachments: [image] };
    const began: string[] = [];
    const sent = Array.from({ length: 10 }, async () => {
      const { status } = await gateway.rest(home.app, 'POST', `/api/${id}`, { message });
      began.push('attachment');
      return status;
    });
    await bucket.asked(1);
    for (let count = 0; count < 3; count++) {
      await gateway.data(home.viewer, '{ agents { nodes { id } } }');
      const plain = await gateway.rest(home.app, 'POST', `/api/${id}`, { message: { content: 'Hello' } });
      expect(plain.status).toBe(200);
      began.push('plain');
    }
    expect(began).toEqual(['plain', 'plain', 'plain']);
    const { ms, ...outcome } = await deadlines.passUntil(Promise.all(sent), 10_000, bucket.drip);
    expect(outcome).toEqual({ value: Array.from({ length: 10 }, () => 503) });
    expect(ms).toBeLessThanOrEqual(60_000);
    await deadlines.passUntil(bucket.left(), 1_000, bucket.drip);
  });

  test('delays the tasks behind it for no longer than its deadline', async () => {
    const deadlines = stopDeadlines();
    await gateway.database.storedFile.create({
      data: { id: newId('file'), workspaceId: home.id, hash: null, size: 1, stored: true },
    });
    const tasks = Object.entries(schedules.jobs.tasks);
    const ended: string[] = [];
    const noted = Object.fromEntries(
      tasks.map(([name, run]): [string, (services: Services) => Promise<void>] => [
        name,
        async (services) => {
          await run(services).catch(() => {});
          ended.push(name);
        },
      ]),
    );
    const schedule = startSchedule(gateway.services, { everyMs: 3_600_000, tasks: noted });
    onTestFinished(() => schedule.close());
    const { ms } = await deadlines.passUntil(schedule.first, 10_000, bucket.drip);
    expect(ended).toEqual(tasks.map(([name]) => name));
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(30_000);
    await gateway.database.storedFile.deleteMany({ where: { workspaceId: home.id } });
  });
});

describe('the receiver of a webhook', () => {
  let gateway: Gateway;
  let home: TestWorkspace;
  beforeAll(async () => {
    gateway = await openGateway();
    home = await makeWorkspace(gateway);
  });
  afterAll(() => gateway.close());

  test.each(hangs)('that keeps its caller waiting (%s) has failed after 15 seconds', async (hang) => {
    const server = await startHangingServer(hang);
    onTestFinished(() => server.close());
    const creating = 'mutation ($i: CreateWebhookInput!) { createWebhook(input: $i) { webhook { id } } }';
    const { createWebhook } = await gateway.data(home.owner, creating, { i: { url: server.origin } });
    const { id } = createWebhook.webhook;
    const leading = 'mutation { createLead(input: { name: "Ana" }) { lead { id } } }';
    await gateway.data(home.app, leading);
    const claimed = await gateway.database.webhookDelivery.findFirstOrThrow({ where: { webhookId: id } });
    const deadlines = stopDeadlines();
    const sending = sendDelivery(gateway.services, { ...claimed, traceparent: null });
    await server.asked();
    const { ms } = await deadlines.passUntil(sending, 4_000, server.drip);
    expect(ms).toBeLessThanOrEqual(15_000);
    const told = await gateway.database.webhookDelivery.findFirstOrThrow({ where: { webhookId: id } });
    // A receiver that has answered with its status has taken the event, whatever follows.
    expect(told.error === null ? told.status : told.error).toMatch(/did not answer within 15 seconds|succeeded/);
    await deadlines.passUntil(server.left(), 1_000, server.drip);
    await gateway.database.webhook.deleteMany();
  });
});
