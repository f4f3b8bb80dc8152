import { beforeAll, describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { newId } from '../../src/database/ids.ts';
import { statementsOf } from '../support/database/database.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { withStoppedClock } from '../support/gateway/stopped-clock.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();

const fields = 'id workspaceId agentId name email phone company site custom utm capture createdAt updatedAt';
const create = `mutation ($input: CreateLeadInput!) { createLead(input: $input) { lead { ${fields} } } }`;
const update = `mutation ($input: UpdateLeadInput!) { updateLead(input: $input) { lead { ${fields} } } }`;
const remove = 'mutation ($input: DeleteLeadInput!) { deleteLead(input: $input) { lead { id deleted } } }';

const add = async (viewer: Viewer, input: object) => (await gateway.data(viewer, create, { input })).createLead.lead;
const change = async (viewer: Viewer, input: object) => (await gateway.data(viewer, update, { input })).updateLead.lead;
const refusal = (input: object) => gateway.graphql(home.editor, create, { input });

async function makeConversation(viewer: Viewer, leadId: string | null): Promise<string> {
  const { workspaceId } = viewer;
  const agentId = (await makeAgent(gateway, viewer)).id;
  const by = { createdBy: 'x', updatedBy: 'x' };
  const channelId = newId('channel');
  await gateway.database.channel.create({
    data: { id: channelId, workspaceId, agentId, platform: 'api', credentialsCipher: '', ...by },
  });
  const data = { id: newId('conversation'), workspaceId, agentId, channelId, leadId };
  return (await gateway.database.conversation.create({ data })).id;
}

describe('a new lead', () => {
  test('is kept with the defaults of what was not given', async () => {
    const lead = await add(home.app, { name: ' Ana ' });
    expect(lead).toEqual({
      id: expect.stringMatching(/^led_/),
      workspaceId: home.id,
      agentId: null,
      name: 'Ana',
      email: null,
      phone: null,
      company: null,
      site: null,
      custom: {},
      utm: {},
      capture: 'partial',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  test('has its email in lower case and its phone in E.164, Brazilian unless it says otherwise', async () => {
    const lead = await add(home.editor, { email: ' Ana.Lima@Example.COM', phone: '(11) 98765-4321' });
    expect(lead).toMatchObject({ email: 'ana.lima@example.com', phone: '+5511987654321' });
    expect(await add(home.editor, { phone: '+1 212 555 2368' })).toMatchObject({ phone: '+12125552368' });
  });

  test.each([
    [{ name: 'Ana', email: 'ana@example.com' }, 'completed'],
    [{ name: 'Ana', phone: '+5511987654321' }, 'completed'],
    [{ email: 'ana@example.com', phone: '+5511987654321' }, 'partial'],
    [{ company: 'Acme' }, 'partial'],
    [{ name: 'Ana', capture: 'completed' }, 'completed'],
    [{ name: 'Ana', email: 'ana@example.com', capture: 'partial' }, 'partial'],
  ])('given %j is %s', async (input, capture) => {
    expect(await add(home.editor, input)).toMatchObject({ capture });
  });

  test.each([{ site: 'acme.com' }, { custom: { size: 3 } }])('may say no more than %j', async (input) => {
    expect(await add(home.editor, input)).toMatchObject(input);
  });

  test.each([
    {},
    { name: null, custom: {} },
    { name: '  ', email: '', custom: { a: null } },
    { utm: { source: 'x' } },
    { capture: 'completed' },
  ])('that says nothing (%j) is refused', async (input) => {
    expectFailure(
      await refusal(input),
      'invalid_request',
      /At least one of name, email, phone, company, site and custom/,
    );
  });

  test.each([
    [{ email: 'ana' }, /^email: must be an email/],
    [{ email: 'ana@localhost' }, /^email: must be an email/],
    [{ email: `${'a'.repeat(250)}@example.com` }, /^email: must have at most 254/],
    [{ phone: '12345' }, /^phone: must be a phone number/],
    [{ phone: 'call me' }, /^phone: must be a phone number/],
    [{ name: 'x'.repeat(201) }, /^name: must have at most 200/],
    [{ name: 'Ana', site: 'x'.repeat(2001) }, /^site: must have at most 2,000/],
    [{ name: 'Ana', utm: { source: 3 } }, /^utm\.source: /],
    [
      { custom: Object.fromEntries(Array.from({ length: 201 }, (_, key) => [key, 1])) },
      /^custom: must have at most 200/,
    ],
  ])('is refused with %j', async (input, message) => {
    expectFailure(await refusal(input), 'invalid_request', message);
  });

  test('names every key that is wrong', async () => {
    const error = expectFailure(await refusal({ email: 'ana', phone: '1' }), 'invalid_request');
    expect(error?.extensions.issues?.map(({ message }) => message.split(':')[0])).toEqual(['email', 'phone']);
  });

  test('keeps custom values and utm as given, literals included', async () => {
    const document = `mutation { createLead(input: { custom: { a: { b: [1, null] } }, utm: { source: "ads", gclid: "x" } }) { lead { custom utm } } }`;
    const { createLead } = await gateway.data(home.editor, document);
    expect(createLead.lead).toEqual({ custom: { a: { b: [1, null] } }, utm: { source: 'ads', gclid: 'x' } });
  });

  test('may name an agent of the workspace, and no other', async () => {
    const { id: agentId } = await makeAgent(gateway, home.editor);
    expect(await add(home.editor, { name: 'Ana', agentId })).toMatchObject({ agentId });
    const foreign = await makeAgent(gateway, other.editor);
    for (const unknown of [foreign.id, 'x', newId('agent')]) {
      expectFailure(await refusal({ name: 'Ana', agentId: unknown }), 'not_found', /^Agent not found/);
    }
  });

  test('is not made, changed or removed by a viewer', async () => {
    const { id } = await add(home.editor, { name: 'Ana' });
    expectFailure(await gateway.graphql(home.viewer, create, { input: { name: 'x' } }), 'forbidden', /role viewer/);
    expectFailure(await gateway.graphql(home.viewer, update, { input: { id, name: 'x' } }), 'forbidden');
    expectFailure(await gateway.graphql(home.viewer, remove, { input: { id } }), 'forbidden');
  });
});

describe('an update of a lead', () => {
  test('keeps what is left out, takes null and replaces objects', async () => {
    const { id } = await add(home.editor, { name: 'Ana', company: 'Acme', custom: { a: 1 }, utm: { source: 's' } });
    expect(await change(home.editor, { id, company: null, custom: { b: 2 } })).toMatchObject({
      name: 'Ana',
      company: null,
      custom: { b: 2 },
      utm: { source: 's' },
    });
    expect(await change(home.editor, { id, custom: null })).toMatchObject({ custom: {} });
  });

  test('completes a lead, which is never partial again', async () => {
    const { id } = await add(home.editor, { name: 'Ana' });
    expect(await change(home.editor, { id, email: 'ana@example.com' })).toMatchObject({ capture: 'completed' });
    expect(await change(home.editor, { id, email: null })).toMatchObject({ capture: 'completed', email: null });
    const back = await gateway.graphql(home.editor, update, { input: { id, name: 'Bia', capture: 'partial' } });
    expectFailure(back, 'conflict', /cannot become partial again/);
    expect(await gateway.data(home.viewer, `{ lead(id: "${id}") { name } }`)).toEqual({ lead: { name: 'Ana' } });
  });

  test('may not take the last thing that is known, nor give what is not valid', async () => {
    const { id } = await add(home.editor, { name: 'Ana' });
    const refused = (input: object) => gateway.graphql(home.editor, update, { input: { id, ...input } });
    expectFailure(await refused({ name: null }), 'invalid_request', /At least one/);
    expectFailure(await refused({ email: 'ana' }), 'invalid_request', /^email: /);
    const { id: agentId } = await makeAgent(gateway, other.editor);
    expectFailure(await refused({ agentId }), 'not_found', /^Agent not found/);
  });

  test('moves it in the search', async () => {
    const { id } = await add(home.editor, { name: 'Zulmira' });
    await change(home.editor, { id, name: 'Ícaro', company: 'Núcleo 100%' });
    const find = async (search: string) =>
      (
        await gateway.data(home.viewer, 'query ($search: String) { leads(search: $search) { nodes { id } } }', {
          search,
        })
      ).leads.nodes;
    expect(await find('zulmira')).toEqual([]);
    expect(await find('icaro')).toEqual([{ id }]);
    expect(await find('NUCLEO 100%')).toEqual([{ id }]);
    expect(await find('nucleo_100')).toEqual([]);
  });
});

describe('a lead that is removed', () => {
  test('is no more, and its conversations stay without it', async () => {
    const { id } = await add(home.editor, { name: 'Ana' });
    const conversationId = await makeConversation(home.editor, id);
    expect(await gateway.data(home.editor, remove, { input: { id } })).toEqual({
      deleteLead: { lead: { id, deleted: true } },
    });
    expectFailure(await gateway.graphql(home.editor, remove, { input: { id } }), 'not_found', /^Lead not found/);
    expect(await gateway.database.conversation.findFirst({ where: { id: conversationId } })).toMatchObject({
      leadId: null,
    });
  });

  test('is gone even when a conversation takes it at the same moment', async () => {
    const { id } = await add(home.editor, { name: 'Ana' });
    const conversationId = await makeConversation(home.editor, null);
    const take = gateway.database.conversation.updateMany({ where: { id: conversationId }, data: { leadId: id } });
    await Promise.all([gateway.data(home.editor, remove, { input: { id } }), take.catch(() => null)]);
    expect(await gateway.database.lead.findFirst({ where: { id } })).toBeNull();
  });
});

test('a lead of another workspace is not found', async () => {
  const { id } = await add(other.editor, { name: 'Eve' });
  const conversationId = await makeConversation(other.editor, id);
  expectFailure(
    await gateway.graphql(home.owner, update, { input: { id, name: 'x' } }),
    'not_found',
    /^Lead not found/,
  );
  expectFailure(await gateway.graphql(home.owner, remove, { input: { id } }), 'not_found', /^Lead not found/);
  expectFailure(await gateway.graphql(home.owner, `{ lead(id: "${id}") { name } }`), 'not_found');
  expect(await gateway.data(home.owner, `{ node(id: "${id}") { id } }`)).toEqual({ node: null });
  expect(await gateway.database.lead.findFirst({ where: { id } })).toMatchObject({ name: 'Eve' });
  expect(await gateway.database.conversation.findFirst({ where: { id: conversationId } })).toMatchObject({
    leadId: id,
  });
});

describe('the list of leads', () => {
  let workspace: TestWorkspace;
  let agentId: string;
  beforeAll(async () => {
    workspace = await makeWorkspace(gateway);
    agentId = (await makeAgent(gateway, workspace.editor)).id;
    await add(workspace.editor, { name: 'Bia', phone: '+5511987654321', agentId });
    await add(workspace.editor, { company: 'Acme' });
    await add(workspace.editor, { name: 'Ana', email: 'ana@example.com' });
  });
  const names = async (args: string) =>
    (await gateway.data(workspace.viewer, `{ leads${args} { nodes { name } } }`)).leads.nodes.map(
      (lead: { name: string }) => lead.name,
    );

  test('is newest first, or sorted by name with the nameless last', async () => {
    expect(await names('')).toEqual(['Ana', null, 'Bia']);
    expect(await names('(orderBy: { field: name, direction: asc })')).toEqual(['Ana', 'Bia', null]);
    expect(await names('(orderBy: { field: name, direction: desc })')).toEqual(['Bia', 'Ana', null]);
  });

  test('is filtered by each of its filters', async () => {
    expect(await names('(filter: { capture: [partial] })')).toEqual([null]);
    expect(await names(`(filter: { agentId: "${agentId}" })`)).toEqual(['Bia']);
    expect(await names('(filter: { hasEmail: true })')).toEqual(['Ana']);
    expect(await names('(filter: { hasPhone: false })')).toEqual(['Ana', null]);
    expect(await names('(filter: { createdAt: { to: "2020-01-01T00:00:00Z" } })')).toEqual([]);
  });

  test('takes no more statements for many leads than for one', async () => {
    const count = (first: number) => {
      const document = `{ leads(first: ${first}) { totalCount nodes { agent { name } conversations { nodes { id } } } } }`;
      return withStoppedClock(async () => {
        await gateway.data(workspace.viewer, document);
        const { result, statements } = await statementsOf(() => gateway.data(workspace.viewer, document));
        expect(result.leads.nodes).toHaveLength(first);
        return statements.length;
      });
    };
    expect(await count(3)).toBe(await count(1));
  });

  test('leads to the agent, the workspace and the conversations, and back', async () => {
    const { id: leadId } = await add(workspace.editor, { name: 'Caio', agentId });
    const conversationId = await makeConversation(workspace.editor, leadId);
    const document = `{ lead(id: "${leadId}") { agent { id leads(first: 1) { nodes { id } } } workspace { id } conversations { totalCount nodes { id } } } }`;
    expect(await gateway.data(workspace.viewer, document)).toEqual({
      lead: {
        agent: { id: agentId, leads: { nodes: [{ id: leadId }] } },
        workspace: { id: workspace.id },
        conversations: { totalCount: 1, nodes: [{ id: conversationId }] },
      },
    });
  });
});
