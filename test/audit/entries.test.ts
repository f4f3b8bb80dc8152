import { describe, expect, test } from 'vitest';
import { issueToken } from '../../src/auth/issue.ts';
import { setQuota } from '../../src/auth/quota.ts';
import { transact } from '../../src/database/client.ts';
import { actingAs } from '../../src/database/deadline.ts';
import { newId } from '../../src/database/ids.ts';
import { clearAuditEntries } from '../../src/domain/audit/entries.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
const list = `query ($filter: AuditEntryFilter) { auditEntries(filter: $filter) { totalCount nodes {
  action actorKind actorId actor { __typename ... on User { id } } address type rowId fields changes } } }`;
const rename = 'mutation ($input: UpdateAgentInput!) { updateAgent(input: $input) { agent { id } } }';
const day = 24 * 3_600_000;

describe('the audit log', () => {
  test('says what changed, with values that are neither secret nor personal', async () => {
    const { id } = await makeAgent(gateway, home.owner, { name: 'Ann Lee' });
    await gateway.data(home.admin, rename, { input: { id, name: 'Ann Smith', freedom: 'free' } });
    const { auditEntries } = await gateway.data(home.owner, list, { filter: { rowId: id } });
    expect(auditEntries.totalCount).toBe(2);
    expect(auditEntries.nodes[0]).toEqual({
      action: 'updated',
      actorKind: 'member',
      actorId: home.admin.userId,
      actor: { __typename: 'User', id: home.admin.userId },
      address: null,
      type: 'Agent',
      rowId: id,
      fields: ['freedom', 'name'],
      changes: { name: {}, freedom: { before: 'balanced', after: 'free' } },
    });
    expect(JSON.stringify(auditEntries)).not.toMatch(/Ann/);
  });

  test('has each token that the operator makes for a member, and no refused one', async () => {
    const { userId, membershipId } = home.viewer;
    const services = { database: gateway.database, tokens: gateway.services.tokens };
    const request = { workspaceId: home.id, userId };
    const filter = { rowId: membershipId, actorKind: ['operator'] };
    await issueToken(services, { ...request, role: 'viewer' });
    await expect(issueToken(services, { ...request, role: 'owner' })).rejects.toThrow('cannot grant');
    const { auditEntries } = await gateway.data(home.owner, list, { filter });
    expect(auditEntries.nodes).toMatchObject([
      { action: 'token_issued', type: 'Membership', actorId: null, changes: { role: { after: 'viewer' } } },
    ]);
  });

  test('has each token that the operator makes for a person, in each workspace that it opens', async () => {
    const elsewhere = await makeWorkspace(gateway);
    const email = `invited-${home.id}@example.com`;
    const services = { database: gateway.database, tokens: gateway.services.tokens };
    const user = await gateway.database.user.create({ data: { id: newId('user'), name: 'P', email } });
    const joined = { workspaceId: elsewhere.id, id: newId('membership'), userId: user.id, role: 'admin' as const };
    await gateway.database.membership.create({ data: joined });
    const invite = `mutation { inviteMember(input: {email: "${email}", name: "P", role: viewer}) { membership { id } } }`;
    const { membership } = (await gateway.data(home.owner, invite)).inviteMember;
    const token = await issueToken(services, { userId: email });
    // Without an invitation to this workspace, the person acts in the only one they belong to.
    expect(await gateway.data(token, '{ viewer { role } workspace { id } }')).toMatchObject({
      workspace: { id: elsewhere.id },
    });
    for (const [workspace, rowId, role] of [
      [elsewhere, joined.id, 'admin'],
      [home, membership.id, 'viewer'],
    ] as const) {
      const filter = { rowId, action: ['token_issued'] };
      const { auditEntries } = await gateway.data(workspace.owner, list, { filter });
      expect(auditEntries.nodes).toMatchObject([{ actorKind: 'operator', changes: { role: { after: role } } }]);
    }
  });

  test('has no entry for a change to the same values', async () => {
    const { id } = await makeAgent(gateway, home.owner, { name: 'Same' });
    await gateway.data(home.owner, rename, { input: { id, name: 'Same' } });
    const { auditEntries } = await gateway.data(home.owner, list, { filter: { rowId: id } });
    expect(auditEntries.nodes.map(({ action }: { action: string }) => action)).toEqual(['created']);
  });

  test('has one entry for all changes of a row in one transaction, and none after a rollback', async () => {
    const { id } = await makeAgent(gateway, home.owner);
    const actor = { kind: 'operator', id: null, address: null } as const;
    const where = { workspaceId_id: { workspaceId: home.id, id } };
    const change = (fail: boolean) =>
      actingAs(actor, () =>
        transact(gateway.database, async (tx) => {
          await tx.agent.update({ where, data: { name: 'One' } });
          await tx.agent.update({ where, data: { welcome: 'Two' } });
          if (fail) throw new Error('undone');
        }),
      );
    await expect(change(true)).rejects.toThrow('undone');
    await change(false);
    const { auditEntries } = await gateway.data(home.owner, list, { filter: { rowId: id, actorKind: ['operator'] } });
    expect(auditEntries.nodes).toMatchObject([{ action: 'updated', fields: ['name', 'welcome'] }]);
  });

  test('names the actor after an earlier part of the transaction was undone', async () => {
    const { id } = await makeAgent(gateway, home.owner);
    const where = { workspaceId_id: { workspaceId: home.id, id } };
    const rename = (name: string) => (tx: { agent: typeof gateway.database.agent }) =>
      tx.agent.update({ where, data: { name } });
    await actingAs({ kind: 'operator', id: null, address: '192.0.2.1' }, () =>
      transact(
        gateway.database,
        async (tx) => {
          const inner = transact(tx as never, async (part) => {
            await rename('Undone')(part);
            throw new Error('undone');
          });
          await inner.catch(() => {});
          await rename('Done')(tx);
        },
        { savepoints: true },
      ),
    );
    const { auditEntries } = await gateway.data(home.owner, list, { filter: { rowId: id, action: ['updated'] } });
    expect(auditEntries.nodes).toMatchObject([{ actorKind: 'operator', address: '192.0.2.1', fields: ['name'] }]);
  });

  test('records what an agent is attached to, with the change of the agent', async () => {
    const { id } = await makeAgent(gateway, home.owner);
    const create = 'mutation ($input: CreateBaseInput!) { createBase(input: $input) { base { id } } }';
    const { createBase } = await gateway.data(home.owner, create, {
      input: { description: 'Base', sources: [{ type: 'faq', file: { data: { question: 'When?', answer: 'Now.' } } }] },
    });
    const baseId = createBase.base.id;
    const attach = 'mutation ($input: AttachBaseInput!) { attachBase(input: $input) { agent { id } } }';
    await gateway.data(home.owner, attach, { input: { agentId: id, baseId } });
    const { auditEntries } = await gateway.data(home.owner, list, { filter: { rowId: id, action: ['updated'] } });
    expect(auditEntries.nodes).toMatchObject([{ fields: ['bases'], changes: { bases: { added: [baseId] } } }]);
  });

  test('records exports: of conversations, and of lists as CSV', async () => {
    const { id: agentId } = await makeAgent(gateway, home.owner);
    const create = 'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }';
    const { createChannel } = await gateway.data(home.owner, create, { input: { agentId, platform: 'api' } });
    const id = newId('conversation');
    const data = { workspaceId: home.id, id, agentId, channelId: createChannel.channel.id };
    await gateway.database.conversation.create({ data });
    await gateway.data(home.viewer, `{ conversation(id: "${id}") { export(format: text) } }`);
    const csv = await gateway.app.request('/graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/csv',
        authorization: `Bearer ${await gateway.bearer(home.app)}`,
      },
      body: JSON.stringify({ query: '{ leads { nodes { id } } }' }),
    });
    expect(csv.headers.get('content-type')).toMatch(/csv/);
    const { auditEntries } = await gateway.data(home.owner, list, { filter: { action: ['exported'] } });
    expect(auditEntries.nodes).toMatchObject([
      { actorKind: 'app', actorId: 'portal', type: 'Query', rowId: '', fields: ['leads'] },
      { actorKind: 'member', actorId: home.viewer.userId, type: 'Conversation', rowId: id },
    ]);
  });

  test('names the app and the member for whom it acted, and finds what others did for them', async () => {
    const { owner, editor, app, id: tenantId } = home;
    const asked = { userId: editor.userId, role: 'editor', tenantId };
    const { body } = await gateway.rest(app, 'POST', '/rest/apps/auth', asked);
    const { id } = await makeAgent(gateway, body.token);
    const document = `query ($filter: AuditEntryFilter) { auditEntries(filter: $filter) { nodes {
      action rowId changes actor { ... on App { id } } onBehalfOf { ... on User { id } } } } }`;
    const acted = await gateway.data(owner, document, { filter: { onBehalfOfId: editor.userId } });
    expect(acted.auditEntries.nodes).toMatchObject([
      { action: 'created', rowId: id, actor: { id: app.appId }, onBehalfOf: { id: editor.userId } },
    ]);
    const issued = await gateway.data(owner, document, { filter: { action: ['token_issued'], actorKind: ['app'] } });
    expect(issued.auditEntries.nodes).toEqual([
      {
        action: 'token_issued',
        rowId: editor.membershipId,
        changes: { role: { after: 'editor' } },
        actor: { id: app.appId },
        onBehalfOf: null,
      },
    ]);
  });

  test("records the operator's commands", async () => {
    await setQuota({ database: gateway.database }, { workspaceId: home.id, max: 5_000 });
    const { auditEntries } = await gateway.data(home.owner, list, { filter: { type: ['Workspace'] } });
    expect(auditEntries.nodes).toMatchObject([
      {
        actorKind: 'operator',
        actorId: null,
        actor: null,
        changes: { maxInteractions: { before: null, after: 5_000 } },
      },
    ]);
  });

  test('is for owners alone, of their own workspace', async () => {
    for (const viewer of [home.admin, home.editor, home.viewer, home.app])
      expectFailure(await gateway.graphql(viewer, list), 'forbidden');
    expectFailure(await gateway.graphql(null, list), 'unauthorized');
    const { auditEntries } = await gateway.data(other.owner, list);
    expect(auditEntries.totalCount).toBe(0);
  });

  test('is kept for 400 days', async () => {
    const { id } = await makeAgent(gateway, home.owner);
    const at = Date.now();
    const count = async () => (await gateway.data(home.owner, list, { filter: { rowId: id } })).auditEntries.totalCount;
    await clearAuditEntries({ ...gateway.services, now: () => new Date(at + 399 * day) });
    expect(await count()).toBe(1);
    await clearAuditEntries({ ...gateway.services, now: () => new Date(at + 401 * day) });
    expect(await count()).toBe(0);
  });
});
