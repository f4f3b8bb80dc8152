import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Context, Viewer } from '../src/context.ts';
import { transact } from '../src/database/client.ts';
import { captureLead } from '../src/domain/leads.ts';
import { useGateway } from './app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from './factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let other: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  other = await makeWorkspace(gateway);
});

const fields = 'id workspaceId agentId name email phone company site custom utm capture createdAt updatedAt';
const create = `mutation ($input: CreateLeadInput!) { createLead(input: $input) { lead { ${fields} } } }`;

const add = async (viewer: Viewer, input: object) => (await gateway.data(viewer, create, { input })).createLead.lead;
const contextOf = (viewer: Viewer): Context => ({ ...gateway.services, viewer });
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

describe('a lead that a conversation captures', () => {
  let agentId: string;
  beforeAll(async () => {
    agentId = (await makeAgent(gateway, home.editor)).id;
  });
  const capture = (input: Partial<Parameters<typeof captureLead>[1]>) =>
    captureLead(contextOf(home.app), { leadId: null, agentId, values: {}, ...input });

  test('is made with what is valid; the rest is dropped', async () => {
    const lead = await capture({
      values: { name: 'Ana', email: 'nonsense', phone: '11 98765-4321' },
      utm: { source: 'ads' },
    });
    expect(lead).toMatchObject({
      agentId,
      name: 'Ana',
      email: null,
      phone: '+5511987654321',
      capture: 'completed',
      utm: { source: 'ads' },
    });
  });

  test('may start empty and is completed as more is told', async () => {
    const { id, capture: before } = await capture({ values: { email: '' } });
    expect(before).toBe('partial');
    expect(await capture({ leadId: id, values: { name: 'Ana' } })).toMatchObject({
      id,
      name: 'Ana',
      capture: 'partial',
    });
    const values = { name: null, email: 'Ana@example.com' };
    expect(await capture({ leadId: id, values })).toMatchObject({
      id,
      name: 'Ana',
      email: 'ana@example.com',
      capture: 'completed',
    });
    expect(await capture({ leadId: id, values: {} })).toMatchObject({ id, name: 'Ana' });
  });

  test('obeys the merge rule, and is undone with the transaction that it is part of', async () => {
    const workspace = await makeWorkspace(gateway);
    const agent = (await makeAgent(gateway, workspace.editor)).id;
    await saveMerge(workspace.admin, 'email');
    const old = await add(workspace.editor, { email: 'ana@example.com' });
    const context = contextOf(workspace.app);
    const values = { name: 'Ana', email: 'ana@example.com' };
    expect(await captureLead(context, { leadId: null, agentId: agent, values })).toMatchObject({
      id: old.id,
      name: 'Ana',
    });
    const undone = transact(context.database, async () => {
      await captureLead(context, { leadId: null, agentId: agent, values: { email: 'bia@example.com' } });
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect(await countLeads(workspace.id)).toBe(1);
  });
});
