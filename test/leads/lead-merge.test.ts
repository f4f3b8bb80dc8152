import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let other: TestWorkspace;
beforeAll(async () => {
  other = await makeWorkspace(gateway);
});

const fields = 'id workspaceId agentId name email phone company site custom utm capture createdAt updatedAt';
const create = `mutation ($input: CreateLeadInput!) { createLead(input: $input) { lead { ${fields} } } }`;

const add = async (viewer: Viewer, input: object) => (await gateway.data(viewer, create, { input })).createLead.lead;
const countLeads = (workspaceId: string) => gateway.database.lead.count({ where: { workspaceId } });
const saveMerge = (viewer: Viewer, merge: string) =>
  gateway.data(viewer, `mutation { saveSettings(input: { merge: ${merge} }) { settings { merge } } }`);

describe('a new lead that matches an old one', () => {
  let workspace: TestWorkspace;
  beforeEach(async () => {
    workspace = await makeWorkspace(gateway);
  });
  const email = 'ana@example.com';
  const phone = '+5511987654321';

  test('is another lead as long as the settings say never', async () => {
    const first = await add(workspace.editor, { email });
    expect((await add(workspace.editor, { email })).id).not.toBe(first.id);
  });

  test.each([
    ['email', true, false],
    ['phone', false, true],
    ['any', true, true],
  ])('is merged by %s', async (rule, byEmail, byPhone) => {
    await saveMerge(workspace.admin, rule);
    const { id } = await add(workspace.editor, { name: 'Ana', email, phone });
    expect((await add(workspace.editor, { email: 'ANA@example.com' })).id === id).toBe(byEmail);
    expect((await add(workspace.editor, { phone: '11 98765-4321' })).id === id).toBe(byPhone);
    expect((await add(workspace.editor, { name: 'Ana' })).id).not.toBe(id);
  });

  test('is merged so that new values win, and nothing known is lost', async () => {
    await saveMerge(workspace.admin, 'any');
    const old = await add(workspace.editor, {
      email,
      company: 'Acme',
      custom: { a: 1, b: 1 },
      utm: { source: 'ads', term: 'x' },
    });
    const merged = await add(workspace.editor, {
      email,
      name: 'Ana',
      phone: '',
      company: null,
      custom: { b: 2, c: null },
      utm: { source: 'mail' },
    });
    expect(merged).toEqual({
      ...old,
      name: 'Ana',
      custom: { a: 1, b: 2 },
      utm: { source: 'mail', term: 'x' },
      capture: 'completed',
      updatedAt: expect.any(String),
    });
    expect((await add(workspace.editor, { email, capture: 'partial' })).capture).toBe('completed');
    const { leads } = await gateway.data(workspace.viewer, '{ leads(search: "ana acme") { totalCount } }');
    expect(leads.totalCount).toBe(0);
    expect(await countLeads(workspace.id)).toBe(1);
  });

  test('of another workspace is not merged', async () => {
    await saveMerge(workspace.admin, 'any');
    const foreign = await add(other.editor, { email, name: 'Eve' });
    expect((await add(workspace.editor, { email })).id).not.toBe(foreign.id);
  });

  test('is merged into one lead even when twelve come at once', async () => {
    await saveMerge(workspace.admin, 'any');
    const leads = await Promise.all(
      Array.from({ length: 12 }, (_, i) => add(workspace.editor, { email, phone, custom: { [`key${i}`]: i } })),
    );
    expect(new Set(leads.map(({ id }) => id)).size).toBe(1);
    const [kept] = await gateway.database.lead.findMany({ where: { workspaceId: workspace.id } });
    expect(Object.keys(kept?.custom as object)).toHaveLength(12);
  });
});

describe('a lead that a conversation tells', () => {
  let workspace: TestWorkspace;
  let agentId: string;
  beforeEach(async () => {
    workspace = await makeWorkspace(gateway);
    const field =
      'mutation { createField(input: { name: "Plan", type: choice, options: ["Gold", "Silver"] }) { field { id } } }';
    await gateway.data(workspace.editor, field);
    agentId = (await makeAgent(gateway, workspace.editor, { purpose: 'leads' })).id;
  });
  const say = async (content: string, body: object = {}, headers = {}) => {
    const path = `/api/${agentId}`;
    const answer = await gateway.rest(workspace.app, 'POST', path, { ...body, message: { content } }, headers);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const told = async (id: string) => {
    const document = `query ($id: ID!) { conversation(id: $id) { lead { ${fields} captured { field value message { content } } } } }`;
    return (await gateway.data(workspace.viewer, document, { id })).conversation.lead;
  };

  test('grows as more is told, in Portuguese as well, each value with its message', async () => {
    const { id, lead } = await say('Me chamo Ana Souza', { utm: { source: 'ads' } });
    expect(lead).toMatchObject({ name: 'Ana Souza', capture: 'partial', agentId, utm: { source: 'ads' } });
    expect(lead).not.toHaveProperty('captured');
    const { lead: completed } = await say('O plano Gold, e meu telefone é (11) 98765-4321', { id });
    expect(completed).toMatchObject({
      id: lead.id,
      phone: '+5511987654321',
      custom: { Plan: 'Gold' },
      capture: 'completed',
    });
    await say('Agora prefiro o Silver', { id });
    expect((await told(id)).captured).toEqual([
      { field: 'Plan', value: 'Silver', message: { content: 'Agora prefiro o Silver' } },
      { field: 'name', value: 'Ana Souza', message: { content: 'Me chamo Ana Souza' } },
      {
        field: 'phone',
        value: '+5511987654321',
        message: { content: 'O plano Gold, e meu telefone é (11) 98765-4321' },
      },
    ]);
    // Values that the lead already has change nothing.
    const before = await told(id);
    await say('Me chamo Ana Souza', { id });
    expect(await told(id)).toEqual(before);
  });

  test('becomes an old one whose email it tells, with what was told before, when the settings say so', async () => {
    await saveMerge(workspace.admin, 'email');
    const old = await add(workspace.editor, { email: 'ana@example.com', company: 'Acme', custom: { plan: 'Gold' } });
    const { id, lead } = await say('My name is Ana Souza and I want Silver');
    expect(lead.id).not.toBe(old.id);
    const { lead: merged } = await say('ana@example.com', { id });
    expect(merged).toMatchObject({ id: old.id, name: 'Ana Souza', company: 'Acme', capture: 'completed' });
    expect((await told(id)).captured.map(({ field }: { field: string }) => field)).toEqual(['Plan', 'email', 'name']);
    expect(merged.custom).toEqual({ plan: 'Silver' });
    expect(await countLeads(workspace.id)).toBe(1);
  });

  test('stays who it is when the settings say never, or when it was there before the conversation', async () => {
    const old = await add(workspace.editor, { email: 'ana@example.com' });
    const first = await say('My name is Bia Lima, bia@example.com');
    expect((await say('Or ana@example.com', { id: first.id })).lead.id).toBe(first.lead.id);
    await saveMerge(workspace.admin, 'any');
    const given = await add(workspace.editor, { name: 'Rui' });
    expect((await say('ana@example.com', { leadId: given.id })).lead).toMatchObject({ id: given.id, name: 'Rui' });
    expect((await gateway.database.lead.findFirstOrThrow({ where: { id: old.id } })).name).toBeNull();
  });

  test('is one, when a message is sent again and when two conversations tell the same email at once', async () => {
    await saveMerge(workspace.admin, 'any');
    const key = { 'idempotency-key': 'once' };
    const answers = [
      await say('I am Ana Souza, ana@example.com', {}, key),
      await say('I am Ana Souza, ana@example.com', {}, key),
    ];
    expect(answers[1]).toEqual(answers[0]);
    const others = await Promise.all(Array.from({ length: 6 }, () => say('My email is ana@example.com')));
    expect(new Set(others.map(({ lead }) => lead.id))).toEqual(new Set([answers[0].lead.id]));
    expect(await countLeads(workspace.id)).toBe(1);
  });

  test('does not break the reply when it cannot be kept', async () => {
    const error = new Error('the field of the lead is broken');
    const find = vi.spyOn(gateway.services.database.field, 'findMany').mockRejectedValueOnce(error);
    expect((await say('I am Ana Souza, ana@example.com')).lead).toMatchObject({ name: 'Ana Souza' });
    expect(find).toHaveBeenCalled();
    find.mockRestore();
  });

  test('keeps its values when the message that told them goes, and takes their origins along', async () => {
    const { id, lead } = await say('I am Ana Souza, ana@example.com');
    const remove =
      'mutation ($input: DeleteConversationInput!) { deleteConversation(input: $input) { conversation { id } } }';
    await gateway.data(workspace.owner, remove, { input: { id } });
    const query = `{ lead(id: "${lead.id}") { name captured { field } } }`;
    expect((await gateway.data(workspace.viewer, query)).lead).toEqual({ name: 'Ana Souza', captured: [] });
    const next = await say('I am Rui Costa, rui@example.com');
    const removeLead = 'mutation ($input: DeleteLeadInput!) { deleteLead(input: $input) { lead { id } } }';
    await gateway.data(workspace.owner, removeLead, { input: { id: next.lead.id } });
    expect(await gateway.database.leadValue.count({ where: { workspaceId: workspace.id } })).toBe(0);
  });

  test('is none in a preview, and takes no custom fields for an agent of another purpose', async () => {
    expect((await say('I am Ana Souza, ana@example.com', { preview: true })).lead).toBeNull();
    agentId = (await makeAgent(gateway, workspace.editor, { purpose: 'support' })).id;
    expect((await say('I am Ana Souza, ana@example.com, I want Gold')).lead).toMatchObject({
      name: 'Ana Souza',
      custom: {},
    });
  });

  test('has no message of another workspace behind a value: the database refuses it', async () => {
    const { lead } = await say('I am Ana Souza, ana@example.com');
    const { id: foreign } = await makeAgent(gateway, other.editor);
    const { body } = await gateway.rest(other.app, 'POST', `/api/${foreign}`, { message: { content: 'Hi' } });
    const { id: messageId } = body.messages[0];
    const data = { workspaceId: workspace.id, leadId: lead.id, field: 'x', value: 1, messageId };
    await expect(gateway.database.leadValue.create({ data })).rejects.toThrow();
  });
});
