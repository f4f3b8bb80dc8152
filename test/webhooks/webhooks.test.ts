import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { startWebhooks } from '../../src/jobs/webhook-deliveries.ts';
import { say } from '../support/conversations/streaming.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';
import { day, deliveryFields, useReceiver } from '../support/webhooks/webhook-receiver.ts';

const gateway = useGateway();
const hooks = useReceiver(gateway);
const { answers, create, createLead, deliver, deliveries, mutate, received, told, wait } = hooks;

describe('a webhook', () => {
  test('is told what a turn made, signed so that the convention’s own library takes it', async () => {
    const { secret } = await create('/turn');
    const { id: agentId } = await makeAgent(gateway, hooks.workspace.editor);
    const message = say('I am Bia Reis, bia@hooks.example');
    const { body: reply } = await gateway.rest(hooks.workspace.app, 'POST', `/api/${agentId}`, message);
    await deliver();
    const verified = received.map(({ body, headers }) => new Verifier(secret).verify(body, headers)) as {
      type: string;
      workspaceId: string;
      data: Record<string, unknown>;
    }[];
    const types = [
      'conversation.created',
      'conversation.updated',
      'lead.created',
      'message.created',
      'message.created',
    ];
    expect(verified.map(({ type }) => type).toSorted()).toEqual(types);
    const of = (type: string) => verified.filter((event) => event.type === type);
    expect(of('lead.created')[0]).toMatchObject({
      workspaceId: hooks.workspace.id,
      data: { leadId: reply.lead.id, agentId, lead: { name: 'Bia Reis', email: 'bia@hooks.example' } },
    });
    expect(
      of('message.created')
        .map(({ data }) => data.role)
        .toSorted(),
    ).toEqual(['assistant', 'user']);
    expect(of('message.created')).toContainEqual(
      expect.objectContaining({
        data: expect.objectContaining({ message: expect.objectContaining({ content: reply.messages[0].content }) }),
      }),
    );
    expect(of('conversation.updated')[0]?.data).toMatchObject({ changed: ['stage', 'leadId'] });
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
  });

  test('is told of leads, whoever writes them, and of nothing that was rolled back or not asked for', async () => {
    const { id } = await create('/leads', { events: ['lead_created', 'lead_updated', 'lead_removed'] });
    await makeAgent(gateway, hooks.workspace.editor);
    const leadId = await createLead({ name: 'Ana' });
    const write = async (name: string, input: object) =>
      gateway.data(
        hooks.workspace.app,
        `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { lead { id } } }`,
        { input: { id: leadId, ...input } },
      );
    await write('updateLead', { name: 'Ana Souza' });
    await write('updateLead', { name: 'Ana Souza' });
    await write('deleteLead', {});
    await gateway.database
      .$transaction(async (tx) => {
        await tx.lead.create({ data: { id: 'led_rolled_back', workspaceId: hooks.workspace.id } });
        throw new Error('no');
      })
      .catch(() => {});
    await deliver();
    expect(
      told()
        .map(({ type, data }) => `${type} ${data.leadId}`)
        .toSorted(),
    ).toEqual(['created', 'removed', 'updated'].map((what) => `lead.${what} ${leadId}`));
    expect(told().find(({ type }) => type === 'lead.removed').data.lead).toBeNull();
    expect((await deliveries(id)).deliveries.totalCount).toBe(3);
  });

  test('is told of conversations that people change, of sources, and of how much of a month is used', async () => {
    await create('/more');
    const other = await makeWorkspace(gateway, 2);
    const { id: agentId } = await makeAgent(gateway, other.editor);
    await create(
      '/usage',
      { events: ['usage_threshold', 'conversation_updated', 'source_failed', 'source_succeeded'] },
      other.owner,
    );
    const sent = await gateway.rest(other.app, 'POST', `/api/${agentId}`, say('Hello'));
    for (const status of ['waiting_human', 'waiting_human'])
      await gateway.data(
        other.app,
        'mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) { conversation { id } } }',
        { input: { id: sent.body.id, status } },
      );
    const base = { id: 'bas_hooks', workspaceId: other.id, description: 'Base' };
    await gateway.database.base.create({ data: base });
    const source = { workspaceId: other.id, baseId: base.id, type: 'faq' as const };
    await gateway.database.source.createMany({ data: ['a', 'b'].map((id) => ({ id, ...source })) });
    await gateway.database.source.updateMany({ where: { id: 'a' }, data: { status: 'succeeded' } });
    await gateway.database.source.updateMany({ where: { id: 'b' }, data: { status: 'failed', reason: 'No.' } });
    await gateway.database.source.updateMany({ where: { id: 'b' }, data: { title: 'Other' } });
    await gateway.database.conversation.updateMany({ where: { id: sent.body.id }, data: { status: 'active' } });
    await gateway.rest(other.app, 'POST', `/api/${agentId}`, say('More', { id: sent.body.id }));
    await deliver();
    expect(received.map(({ path }) => path)).toEqual(Array(5).fill('/usage'));
    const found = told().map(({ type, data }) => ({ type, ...data }));
    expect(found).toContainEqual(
      expect.objectContaining({ type: 'usage.threshold', percent: 100, current: 2, max: 2 }),
    );
    expect(found.filter(({ type }) => type === 'conversation.updated').map(({ changed }) => changed)).toEqual([
      ['status'],
      ['status'],
    ]);
    expect(found).toContainEqual(expect.objectContaining({ type: 'source.succeeded', sourceId: 'a' }));
    expect(found).toContainEqual(
      expect.objectContaining({ type: 'source.failed', source: expect.objectContaining({ reason: 'No.' }) }),
    );
  });

  test('is told nothing of previews, and without one nothing is written', async () => {
    const { id: agentId } = await makeAgent(gateway, hooks.workspace.editor);
    await gateway.rest(hooks.workspace.app, 'POST', `/api/${agentId}`, say('Try', { preview: true }));
    const rows = () =>
      gateway.database.outboxEvent.count({
        where: { workspaceId: hooks.workspace.id, type: { not: 'usage.threshold' } },
      });
    const before = await rows();
    await createLead();
    expect(await rows()).toBe(before);
    const { id } = await create('/none', { enabled: false });
    await createLead();
    expect(await rows()).toBe(before);
    await create('/some');
    await gateway.rest(hooks.workspace.app, 'POST', `/api/${agentId}`, say('Try', { preview: true }));
    expect(await rows()).toBe(before);
    await mutate('deleteWebhook', id, 'webhook { id }');
  });
});

describe('the owner of a webhook', () => {
  test('tries it out by a ping, whether it is enabled or not', async () => {
    const { id } = await create('/ping', { enabled: false });
    const { testWebhook } = await mutate('testWebhook', id, `delivery { ${deliveryFields} }`);
    expect(testWebhook.delivery).toMatchObject({ event: 'ping', status: 'succeeded', responseStatus: 204 });
    expect(told()).toEqual([expect.objectContaining({ type: 'ping', data: { webhookId: id } })]);
    answers.set('/ping', (response) => response.writeHead(404).end());
    const again = await mutate('testWebhook', id, `delivery { ${deliveryFields} }`);
    expect(again.testWebhook.delivery).toMatchObject({ status: 'failed', error: 'The receiver responded with 404.' });
  });

  test('rotates its secret, and the old one signs for another day', async () => {
    const { id, secret: old } = await create('/rotated');
    const { rotateWebhookSecret } = await mutate('rotateWebhookSecret', id, 'webhook { secret previousSecretUntil }');
    const { secret } = rotateWebhookSecret.webhook;
    const seen = await gateway.data(hooks.workspace.editor, 'query ($id: ID!) { webhook(id: $id) { secret } }', { id });
    expect(seen.webhook.secret).toBe(`whsec_••••${secret.slice(-4)}`);
    await createLead();
    await deliver();
    const [first] = received;
    for (const key of [old, secret]) new Verifier(key).verify(first?.body ?? '', first?.headers ?? {});
    wait(day + 1_000);
    await createLead();
    await deliver();
    expect(String(received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  test('finds it disabled, with the reason, when it is gone or has failed for days', async () => {
    answers.set('/gone', (response) => response.writeHead(410).end());
    answers.set('/dead', (response) => response.writeHead(500).end());
    const [gone, dead] = [await create('/gone'), await create('/dead')];
    await createLead();
    await deliver();
    expect(await deliveries(gone.id)).toMatchObject({ enabled: false, disabledReason: expect.stringMatching(/410/) });
    expect(await deliveries(dead.id)).toMatchObject({ enabled: true, disabledReason: null });
    wait(5 * day + 1_000);
    await deliver();
    expect(await deliveries(dead.id)).toMatchObject({
      enabled: false,
      disabledReason: expect.stringMatching(/^No delivery has succeeded since .* responded with 500/),
    });
    answers.clear();
    const update =
      'mutation ($id: ID!) { updateWebhook(input: { id: $id, enabled: true }) { webhook { enabled disabledReason failingSince } } }';
    expect((await gateway.data(hooks.workspace.owner, update, { id: dead.id })).updateWebhook.webhook).toEqual({
      enabled: true,
      disabledReason: null,
      failingSince: null,
    });
  });

  test('gets an answer to a ping whoever else delivers at that moment', async () => {
    const worker = startWebhooks(gateway.services, { pollIntervalMs: 1 });
    try {
      const { id } = await create('/busy');
      for (let count = 0; count < 8; count++) {
        const { testWebhook } = await mutate('testWebhook', id, 'delivery { status attempts }');
        expect(testWebhook.delivery).toEqual({ status: 'succeeded', attempts: 1 });
      }
      expect(received).toHaveLength(8);
    } finally {
      await worker.close();
    }
  });

  describe('does not find it disabled by what an older try has heard', () => {
    const found = (id: string) => gateway.database.webhook.findFirstOrThrow({ where: { id } });
    const update = (input: object) =>
      gateway.data(
        hooks.workspace.owner,
        'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }',
        { input },
      );
    /** Waits for a request to arrive; returns it with a function that answers it. */
    async function arriving(path: string) {
      const arrived = Promise.withResolvers<(status: number) => void>();
      answers.set(path, (response) => {
        answers.delete(path);
        arrived.resolve((status) => response.writeHead(status).end());
      });
      const delivering = deliver();
      const answer = await arrived.promise;
      return async (status: number) => {
        answer(status);
        await delivering;
      };
    }

    test('at an address that it has no more', async () => {
      const { id } = await create('/old');
      await gateway.database.webhook.updateMany({ where: { id }, data: { failingSince: new Date(0) } });
      await createLead();
      const answer = await arriving('/old');
      await update({ id, url: `${hooks.origin}/new` });
      await answer(410);
      expect(await found(id)).toMatchObject({ enabled: true, failingSince: null });
      await gateway.database.webhook.updateMany({ where: { id }, data: { failingSince: new Date(0) } });
      await update({ id, url: `${hooks.origin}/new`, description: 'The same' });
      expect((await found(id)).failingSince).not.toBeNull();
    });

    test('before something was delivered', async () => {
      const { id } = await create('/both');
      await gateway.database.webhook.updateMany({ where: { id }, data: { failingSince: new Date(0) } });
      await createLead();
      const answer = await arriving('/both');
      await createLead();
      await deliver();
      expect((await found(id)).failingSince).toBeNull();
      await answer(500);
      expect(await found(id)).toMatchObject({ enabled: true, disabledReason: null });
    });
  });

  test.each([
    ['http://hooks.example/in', 'url: must be an https address.'],
    [
      'https://ana:secret@hooks.example/in',
      'url: must not contain a user name or password: deliveries there would fail.',
    ],
  ])('has no address such as %s', async (url, message) => {
    const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
    const { errors } = await gateway.graphql(hooks.workspace.owner, create, { input: { url } });
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'invalid_request' } });
  });

  test('has at most 20, however many are made at once', async () => {
    const document = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
    const input = { url: `${hooks.origin}/many` };
    const made = await Promise.all(
      Array.from({ length: 23 }, () => gateway.graphql(hooks.workspace.owner, document, { input })),
    );
    const refused = made.filter(({ errors }) => errors);
    expect(refused).toHaveLength(3);
    for (const answer of refused) expectFailure(answer, 'conflict', /20 webhooks/);
  });
});
