import { describe, expect, test } from 'vitest';
import { clearTurns } from '../../src/domain/turns/sweep.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import { heldBy, send, sendWithKey } from '../support/gateway/with-key.ts';
import { makeWorld, type WorldIds } from '../support/world/world.ts';

const gateway = useGateway();

const createLead = 'mutation ($name: String) { createLead(input: { name: $name }) { lead { name } } }';
const lead = (name: string) => ({ query: createLead, variables: { name } });
const post = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });
const leadsOf = (workspaceId: string) => gateway.database.lead.count({ where: { workspaceId } });
const codeIn = (text: string) => /"code":"(\w+)"/.exec(text)?.[1];

describe('an Idempotency-Key', () => {
  test('is of no use without a bearer', async () => {
    for (const path of ['/graphql', '/rest/leads']) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
      const response = await gateway.app.request(path, { ...post(lead('Ada')), headers });
      expect(response.status).toBe(401);
    }
  });

  test.each([
    ['empty', ''],
    ['of spaces', '  '],
    ['longer than 255 characters', 'x'.repeat(256)],
  ])('is refused when it is %s', async (_, key) => {
    const { owner, id } = await makeWorkspace(gateway);
    for (const told of [
      await sendWithKey(gateway, owner, key, lead('Ada')),
      await send(gateway, owner, key, '/rest/leads', post({ name: 'Ada' })),
    ]) {
      expect(told.status).toBe(400);
      expect(told.text).toContain('"issues":[{"message":"Idempotency-Key: must have 1 to 255 characters"}]');
    }
    expect(await leadsOf(id)).toBe(0);
  });

  test('is its caller’s own: another member, an app or another workspace has others', async () => {
    const [one, other] = [await makeWorkspace(gateway), await makeWorkspace(gateway)];
    for (const viewer of [one.owner, one.editor, one.app, other.owner]) {
      expect((await sendWithKey(gateway, viewer, 'same', lead('Ada'))).status).toBe(200);
      expect((await send(gateway, viewer, 'of-rest', '/rest/leads', post({ name: 'Ada' }))).status).toBe(200);
    }
    expect([await leadsOf(one.id), await leadsOf(other.id)]).toEqual([6, 2]);
  });

  test('is one for both surfaces and for turns: what it was used with on one is another request on the others', async () => {
    const { owner, ids } = await makeWorld(gateway);
    const message = post({ message: { content: 'Hello' } });
    expect((await send(gateway, owner, 'k', '/rest/leads', post({ name: 'Ada' }))).status).toBe(200);
    expect(codeIn((await sendWithKey(gateway, owner, 'k', lead('Ada'))).text)).toBe('idempotency_key_reused');
    expect((await send(gateway, owner, 'k', `/api/${ids.agentId}`, message)).status).toBe(422);
    expect((await send(gateway, owner, 'turn', `/api/${ids.agentId}`, message)).status).toBe(200);
    expect((await send(gateway, owner, 'turn', '/rest/leads', post({ name: 'Ada' }))).status).toBe(422);
  });

  test('takes the same body in whichever order of its keys, and no other operation name, variables or document', async () => {
    const { owner } = await makeWorkspace(gateway);
    const first = await send(gateway, owner, 'k', '/rest/leads', post({ name: 'Ada', company: 'Analytical' }));
    expect(await send(gateway, owner, 'k', '/rest/leads', post({ company: 'Analytical', name: 'Ada' }))).toEqual(first);
    const query = `mutation A { createLead(input: { name: "Ada" }) { lead { id } } } mutation B { createLead(input: { name: "Ada" }) { lead { id } } }`;
    expect((await sendWithKey(gateway, owner, 'g', { query, operationName: 'A' })).status).toBe(200);
    expect((await sendWithKey(gateway, owner, 'g', { query, operationName: 'B' })).status).toBe(422);
    expect((await sendWithKey(gateway, owner, 'g', lead('Ada'))).status).toBe(422);
  });

  test('means nothing to a read', async () => {
    const { owner } = await makeWorkspace(gateway);
    const count = () => sendWithKey(gateway, owner, 'k', { query: '{ leads { totalCount } }' });
    expect((await count()).text).toContain('"totalCount":0');
    await sendWithKey(gateway, owner, 'k', lead('Ada'));
    expect((await count()).text).toContain('"totalCount":1');
    expect((await send(gateway, owner, 'k', '/rest/fields', { method: 'GET' })).status).toBe(200);
  });

  test('is free again after a failure', async () => {
    const { owner, id } = await makeWorkspace(gateway);
    const refused = await send(gateway, owner, 'k', '/rest/leads', post({ email: 'nobody' }));
    expect(refused.status).toBe(400);
    expect((await send(gateway, owner, 'k', '/rest/leads', post({ email: 'ada@example.com' }))).status).toBe(200);
    const missing = { query: 'mutation { updateLead(input: { id: "led_1", name: "Ada" }) { lead { id } } }' };
    expect(codeIn((await sendWithKey(gateway, owner, 'g', missing)).text)).toBe('not_found');
    expect((await sendWithKey(gateway, owner, 'g', lead('Ada'))).text).toContain('Ada');
    expect(await leadsOf(id)).toBe(2);
  });

  test('makes an operation one whole: where one field fails, none is kept and none is answered', async () => {
    const { owner, id } = await makeWorkspace(gateway);
    const fields = (email: string) => ({
      query: `mutation { one: createLead(input: { name: "Ada" }) { lead { name } }
        two: createLead(input: { email: "${email}" }) { lead { email } } }`,
    });
    const failed = JSON.parse((await sendWithKey(gateway, owner, 'k', fields('nobody'))).text);
    expect(failed.data).toEqual({ one: null, two: null });
    expect(failed.errors.map(({ path, extensions }: any) => [...path, extensions.code])).toEqual([
      ['two', 'invalid_request'],
      ['one', 'invalid_request'],
    ]);
    expect(await leadsOf(id)).toBe(0);
    const whole = await sendWithKey(gateway, owner, 'k', fields('ada@example.com'));
    expect(JSON.parse(whole.text).data).toEqual({
      one: { lead: { name: 'Ada' } },
      two: { lead: { email: 'ada@example.com' } },
    });
    expect(await sendWithKey(gateway, owner, 'k', fields('ada@example.com'))).toEqual(whole);
    expect(await leadsOf(id)).toBe(2);
  });

  test.each([
    ['updateLead', 'not_found', ({ leadId, baseId }: WorldIds) => `id: "${leadId}", agentId: "${baseId}"`],
    ['setRole', 'not_found', ({ appId, baseId }: WorldIds) => `appId: "${appId}", membershipId: "${baseId}"`],
    ['attachBase', 'not_found', ({ agentId }: WorldIds) => `agentId: "${agentId}", baseId: "${agentId}"`],
    ['deleteApp', 'conflict', ({ appId }: WorldIds) => `id: "${appId}"`],
  ])('makes it one whole also where the database refuses a field: %s', async (name, code, inputOf) => {
    const { owner, ids, id } = await makeWorld(gateway);
    const query = `mutation { one: ${name}(input: { ${inputOf(ids)} }) { __typename }
      two: createLead(input: { name: "Ada" }) { lead { id } } }`;
    const before = await leadsOf(id);
    const { errors } = JSON.parse((await sendWithKey(gateway, owner, 'k', { query })).text);
    expect(errors.map(({ path, extensions }: any) => [...path, extensions.code])).toEqual([
      ['one', code],
      ['two', code],
    ]);
    expect(await leadsOf(id)).toBe(before);
  });

  test('comes with one field alone where that waits for something outside', async () => {
    const { owner, ids, id } = await makeWorld(gateway);
    const before = await leadsOf(id);
    const query = `mutation ($id: ID!) { ...Two testWebhook(input: { id: $id }) { delivery { id } } }
      fragment Two on Mutation { createLead(input: { name: "Ada" }) { lead { id } } }`;
    const told = await sendWithKey(gateway, owner, 'k', { query, variables: { id: ids.webhookId } });
    expect(told.status).toBe(400);
    expect(told.text).toContain('Idempotency-Key: testWebhook calls another service');
    expect(await leadsOf(id)).toBe(before);
  });

  test('counts no field that is skipped', async () => {
    const { owner, ids, id } = await makeWorld(gateway);
    const before = await leadsOf(id);
    const make = 'createLead(input: { name: "Ada" }) { lead { name } }';
    const call = 'testWebhook(input: { id: $id }) { delivery { status } }';
    const query = (selections: string) => `mutation ($id: ID!, $no: Boolean! = true) { ${selections} }`;
    const send = async (key: string, selections: string) => {
      const asked = { query: query(selections), variables: { id: ids.webhookId } };
      return JSON.parse((await sendWithKey(gateway, owner, key, asked)).text);
    };
    const one = await send('one', `${make} ... @skip(if: $no) { ${call} }`);
    expect(one).toEqual({ data: { createLead: { lead: { name: 'Ada' } } } });
    const other = await send('other', `... @skip(if: $no) { ${make} } ${call}`);
    expect(other).toEqual({ data: { testWebhook: { delivery: { status: expect.any(String) } } } });
    expect(await leadsOf(id)).toBe(before + 1);
  });

  test('is asked for by pages of other origins', async () => {
    const headers = { origin: 'https://page.example', 'access-control-request-headers': 'idempotency-key' };
    for (const path of ['/graphql', '/rest/leads']) {
      const response = await gateway.app.request(path, {
        method: 'OPTIONS',
        headers: { ...headers, 'access-control-request-method': 'POST' },
      });
      expect(response.headers.get('access-control-allow-headers')).toBe('idempotency-key');
    }
  });

  test('is known for 24 hours, and then names another request', async () => {
    const { owner, id } = await makeWorkspace(gateway);
    await sendWithKey(gateway, owner, 'k', lead('Ada'));
    const { database, services } = gateway;
    const { createdAt, expiresAt } = await database.idempotency.findFirstOrThrow({ where: { workspaceId: id } });
    expect(Math.round((expiresAt.getTime() - createdAt.getTime()) / 3_600_000)).toBe(24);
    await database.idempotency.updateMany({ where: { workspaceId: id }, data: { expiresAt: services.now() } });
    expect((await sendWithKey(gateway, owner, 'k', lead('Grace'))).text).toContain('Grace');
    expect(await leadsOf(id)).toBe(2);
    await database.idempotency.updateMany({ where: { workspaceId: id }, data: { expiresAt: services.now() } });
    await clearTurns(services);
    expect(await database.idempotency.count({ where: { workspaceId: id } })).toBe(0);
  });

  test('of a try whose process has died is taken over, and of one that lives is 409', async () => {
    const world = await makeWorld(gateway);
    const { database } = gateway;
    const query = 'mutation ($id: ID!) { testWebhook(input: { id: $id }) { delivery { id } } }';
    const ask = () => sendWithKey(gateway, world.owner, 'k', { query, variables: { id: world.ids.webhookId } });
    const first = await ask();
    const where = { workspaceId: world.id, key: 'k' };
    const alive = { answerCipher: null, holder: 'another', aliveUntil: new Date(Date.now() + 3_600_000) };
    await database.idempotency.updateMany({ where, data: alive });
    expect(codeIn((await ask()).text)).toBe('request_in_progress');
    await database.idempotency.updateMany({ where, data: { aliveUntil: new Date(0) } });
    const again = await ask();
    expect(codeIn(again.text)).toBeUndefined();
    expect(again.text).not.toBe(first.text);
    expect(await ask()).toEqual(again);
  });
});

describe('a stored answer', () => {
  test('cannot be read in the database', async () => {
    const { owner, id } = await makeWorkspace(gateway);
    const told = await sendWithKey(gateway, owner, 'k', lead('Zenobia'));
    const { answerCipher } = await gateway.database.idempotency.findFirstOrThrow({ where: { workspaceId: id } });
    expect(gateway.services.secrets.isCurrent(answerCipher ?? '')).toBe(true);
    expect(JSON.parse(gateway.services.secrets.decrypt(answerCipher ?? '')).answer.body).toBe(told.text);
  });

  const about: [what: string, query: string, remove: string][] = [
    [
      'a lead',
      'updateConversation(input: { id: $conversationId, title: "T" }) { conversation { lead { name } } }',
      'lead',
    ],
    ['a lead itself', 'updateLead(input: { id: $leadId, name: "New" }) { lead { name } }', 'lead'],
    [
      'a conversation',
      'updateConversation(input: { id: $conversationId, title: "T" }) { conversation { title } }',
      'conversation',
    ],
    [
      'a message',
      'setFeedback(input: { id: $messageId, feedback: { rating: like } }) { message { content } }',
      'conversation',
    ],
    [
      'a member',
      'updateMember(input: { id: $membershipId, role: viewer }) { membership { user { name } } }',
      'membership',
    ],
  ];

  test.each(about)('goes with whom it tells of, though it has no id of theirs: %s', async (_, field, kind) => {
    const world = await makeWorld(gateway);
    const { ids, owner } = world;
    const names = ['leadId', 'conversationId', 'messageId', 'membershipId'] as const;
    const used = names.filter((name) => field.includes(`$${name}`));
    const query = `mutation (${used.map((name) => `$${name}: ID!`).join()}) { ${field} }`;
    const variables = Object.fromEntries(used.map((name) => [name, ids[name]]));
    const ask = () => sendWithKey(gateway, owner, 'k', { query, variables });
    const told = await ask();
    expect(codeIn(told.text)).toBeUndefined();
    expect(told.text).not.toContain('_0');
    expect(await ask()).toEqual(told);
    const remove = kind === 'membership' ? 'removeMember' : `delete${kind === 'lead' ? 'Lead' : 'Conversation'}`;
    await gateway.data(
      owner,
      `mutation { ${remove}(input: { id: "${ids[`${kind}Id` as 'leadId']}" }) { clientMutationId } }`,
    );
    const row = await gateway.database.idempotency.findFirstOrThrow({ where: { workspaceId: world.id, key: 'k' } });
    expect(row).toMatchObject({ answerCipher: null, fingerprint: '', about: [] });
    const { held } = await heldBy(gateway, world);
    expect(await ask()).toMatchObject({ text: expect.stringContaining('"conflict"') });
    expect((await heldBy(gateway, world)).held).toEqual(held);
  });

  test('is not shown to its caller in another role, or by another kind of token', async () => {
    const { owner } = await makeWorkspace(gateway);
    const query = 'mutation { createApp(input: { id: "a", name: "A" }) { app { secret } } }';
    expect((await sendWithKey(gateway, owner, 'k', { query })).text).toContain('"secret":"pas_');
    for (const other of [{ role: 'admin' }, { credential: 'minted' }] as const) {
      const told = await sendWithKey(gateway, { ...owner, ...other }, 'k', { query });
      expect(codeIn(told.text)).toBe('idempotency_key_reused');
    }
  });

  test('is there for whoever has become a member by what was asked', async () => {
    const { ids } = await makeWorld(gateway);
    const where = { id: ids.pendingMembershipId };
    const { user } = await gateway.database.membership.findFirstOrThrow({ where, include: { user: true } });
    const bearer = await gateway.services.tokens.signPerson(user.email);
    const query = `mutation { acceptInvitation(input: { id: "${where.id}" }) { invitation { acceptedAt } } }`;
    const ask = async () => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'idempotency-key': 'k' };
      return (await gateway.app.request('/graphql', { ...post({ query }), headers })).text();
    };
    const told = await ask();
    expect(told).toContain('"acceptedAt":"20');
    expect(await ask()).toBe(told);
  });

  test('goes with the member who got it', async () => {
    const { owner, editor, id } = await makeWorkspace(gateway);
    await sendWithKey(gateway, editor, 'k', {
      query: 'mutation { createAgent(input: { name: "A" }) { agent { name } } }',
    });
    await gateway.data(
      owner,
      `mutation { removeMember(input: { id: "${editor.membershipId}" }) { clientMutationId } }`,
    );
    const row = await gateway.database.idempotency.findFirstOrThrow({ where: { workspaceId: id } });
    expect(row.answerCipher).toBeNull();
  });
});
