import { describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { makeKey } from '../support/auth/keys.ts';
import { seedConversation } from '../support/conversations/seeded-conversation.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
const erase = `mutation ($input: ErasePersonInput!) { erasePerson(input: $input) { receipt { id deleted remains sourceIds } } }`;

const makeLead = async (
  { id: workspaceId }: TestWorkspace,
  values: { email?: string; phone?: string; name?: string },
) => {
  const { id } = await gateway.database.lead.create({ data: { id: newId('lead'), workspaceId, ...values } });
  return id;
};
const talkOf = async (workspace: TestWorkspace, leadId?: string, platformUserIdentifier = '') => {
  const { conversationId: id } = await seedConversation(gateway, workspace, ['Hello'], leadId ? { leadId } : {});
  await gateway.database.conversation.updateMany({ where: { id }, data: { platformUserIdentifier } });
  return id;
};
/** Which of these leads and conversations are left. */
async function left(ids: string[]): Promise<string[]> {
  const { lead, conversation } = gateway.database;
  const where = { id: { in: ids } };
  const rows = [...(await lead.findMany({ where })), ...(await conversation.findMany({ where }))];
  return rows.map(({ id }) => id).sort();
}
const run = async (input: object, workspace = home) =>
  (await gateway.data(workspace.admin, erase, { input })).erasePerson.receipt;

describe('erasePerson', () => {
  test('finds all leads with an email, and their conversations at any agent', async () => {
    const email = 'bea@example.com';
    const [first, second] = [await makeLead(home, { email }), await makeLead(home, { email, phone: '+5511987654321' })];
    const theirs = [first, second, await talkOf(home, first), await talkOf(home, second)];
    // A phone that several people share is followed only if it is given.
    const kept = [await makeLead(home, { email: 'family@example.com', phone: '+5511987654321' })];
    kept.push(await talkOf(home, kept[0]), await makeLead(other, { email }));
    const { deleted } = await run({ email: ' Bea@Example.com ' });
    expect(deleted).toMatchObject({ leads: 2, conversations: 2, messages: 2 });
    expect(await left([...theirs, ...kept])).toEqual(kept.sort());
  });

  test('reads a phone number as leads do, and finds conversations at a platform that names people by it', async () => {
    const lead = await makeLead(home, { phone: '+5511912345678' });
    const theirs = [lead, await talkOf(home, lead), await talkOf(home, undefined, '5511912345678')];
    expect((await run({ phone: '(11) 91234-5678' })).deleted).toMatchObject({ leads: 1, conversations: 2 });
    expect(await left(theirs)).toEqual([]);
  });

  test('follows a conversation to its lead, its branches, and the conversations of the same visitor', async () => {
    const lead = await makeLead(home, { name: 'Cleo' });
    const [talk, before, branch] = [
      await talkOf(home, lead, 'visitor-1'),
      await talkOf(home, undefined, 'visitor-1'),
      await talkOf(home),
    ];
    await gateway.database.conversation.updateMany({ where: { id: branch }, data: { branchedFromId: before } });
    const kept = [await talkOf(home, undefined, 'visitor-2'), await talkOf(other, undefined, 'visitor-1')];
    await run({ conversationId: talk });
    expect(await left([lead, talk, before, branch, ...kept])).toEqual(kept.sort());
  });

  test('does not follow an identifier that conversations of other people have, and says so', async () => {
    const [lead, stranger] = [
      await makeLead(home, { email: 'dan@example.com' }),
      await makeLead(home, { name: 'Eve' }),
    ];
    const talk = await talkOf(home, lead, 'everybody');
    const kept = [stranger, await talkOf(home, stranger, 'everybody'), await talkOf(home, undefined, 'everybody')];
    const { remains } = await run({ email: 'dan@example.com' });
    expect(remains.join()).toMatch(/^Backups.*BACKUP_RETENTION_DAYS.*1 conversations? without a lead/);
    expect(await left([lead, talk, ...kept])).toEqual(kept.sort());
  });

  test('names sources that answer a gap of theirs, for a member to review', async () => {
    const { id: workspaceId } = home;
    const { id: agentId } = await makeAgent(gateway, home.owner);
    const { conversationId, ids } = await seedConversation(gateway, home, ['Does it float?'], { agentId });
    const createBase = `mutation ($input: CreateBaseInput!) { createBase(input: $input) { base { id sources { nodes { id } } } } }`;
    const file = { data: { question: 'Does it float?', answer: 'Yes.' } };
    const base = { description: 'Boats', sources: [{ type: 'faq', file }] };
    const { createBase: made } = await gateway.data(home.editor, createBase, { input: base });
    const sourceId = made.base.sources.nodes[0].id;
    const at = { firstAskedAt: new Date(), lastAskedAt: new Date() };
    const gap = { workspaceId, id: newId('gap'), agentId, marks: [], sourceId, ...at };
    await gateway.database.gap.create({ data: gap });
    const question = { workspaceId, id: newId('question'), gapId: gap.id, messageId: ids[0] ?? '' };
    await gateway.database.gapQuestion.create({ data: { ...question, reason: 'unknown' } });
    expect((await run({ conversationId })).sourceIds).toEqual([sourceId]);
    expect(await gateway.database.source.count({ where: { workspaceId, id: sourceId } })).toBe(1);
    expect(await gateway.database.gap.count({ where: { workspaceId, id: gap.id } })).toBe(0);
  });

  test('waits for the end of an open turn', async () => {
    const id = await talkOf(home);
    await gateway.database.conversation.updateMany({ where: { id }, data: { turnId: newId('message') } });
    expectFailure(await gateway.graphql(home.owner, erase, { input: { conversationId: id } }), 'conflict', /answered/);
    expect(await left([id])).toEqual([id]);
  });

  test('needs exactly one of email, phone and conversation', async () => {
    const refused = [{}, { email: 'a@example.com', phone: '+5511912345678' }, { email: 'nobody' }, { phone: '12' }];
    for (const input of refused) {
      expectFailure(await gateway.graphql(home.owner, erase, { input }), 'invalid_request', /exactly one|email|phone/);
    }
    const theirs = { conversationId: await talkOf(other) };
    expectFailure(await gateway.graphql(home.owner, erase, { input: theirs }), 'not_found');
  });

  test('is for owners, admins, and keys with its scope', async () => {
    const input = { email: 'nobody@example.com' };
    for (const viewer of [home.editor, home.viewer, home.app]) {
      expectFailure(await gateway.graphql(viewer, erase, { input }), 'forbidden');
    }
    const key = (scopes: string[]) => makeKey(gateway, home.admin, { scopes });
    expectFailure(await gateway.graphql(await key(['leads.delete']), erase, { input }), 'forbidden', /erasures.write/);
    const data = await gateway.data(await key(['erasures.write', 'erasures.read']), erase, { input });
    expect(data.erasePerson.receipt.deleted).toMatchObject({ leads: 0, conversations: 0 });
  });

  test('leaves ids in the audit log, and neither names nor addresses of visitors', async () => {
    const workspace = await makeWorkspace(gateway);
    const lead = await makeLead(workspace, { name: 'Fred Flint', email: 'fred@example.com' });
    const conversation = await talkOf(workspace, lead);
    const entry = {
      workspaceId: workspace.id,
      action: 'taken_over',
      type: 'Conversation',
      rowId: conversation,
    } as const;
    const changes = { note: { after: 'Fred Flint' } };
    await gateway.database.auditEntry.createMany({
      data: [
        { ...entry, id: newId('auditEntry'), actorKind: 'visitor', address: '203.0.113.7' },
        { ...entry, id: newId('auditEntry'), actorKind: 'system', changes },
      ],
    });
    const { id } = await run({ email: 'fred@example.com' }, workspace);
    const entries = await gateway.database.auditEntry.findMany({
      where: { workspaceId: workspace.id, type: { not: 'Agent' } },
      orderBy: { id: 'asc' },
    });
    const seen = entries.map(({ action, rowId, address, changes }) => ({ action, rowId, address, changes }));
    const empty = { address: null, changes: {} };
    expect(seen.slice(0, 2)).toEqual([
      { action: 'taken_over', rowId: conversation, ...empty },
      { action: 'taken_over', rowId: conversation, ...empty },
    ]);
    const done = entries.slice(2).map(({ action, type, rowId, actorId }) => [action, type, rowId, actorId]);
    const by = workspace.admin.userId;
    expect(done.sort()).toEqual([
      ['deleted', 'Conversation', conversation, by],
      ['deleted', 'Lead', lead, by],
      ['erased', 'ErasureReceipt', id, by],
    ]);
  });

  test.each(['owner', 'membershipId', 'after'])('called %s changes no entry about roles', async (name) => {
    const workspace = await makeWorkspace(gateway);
    await makeLead(workspace, { name, email: 'dot@example.com' });
    const values = () =>
      gateway.database.auditEntry.findMany({
        where: { workspaceId: workspace.id, type: { in: ['Membership', 'RoleRecord'] } },
        orderBy: { id: 'asc' },
        select: { changes: true },
      });
    const membershipId = newId('membership');
    const changes = { role: { before: 'viewer', after: 'owner' }, membershipId: { after: membershipId } };
    const entry = { workspaceId: workspace.id, type: 'Membership', rowId: membershipId, changes };
    await gateway.database.auditEntry.create({
      data: { ...entry, id: newId('auditEntry'), actorKind: 'member', action: 'updated' },
    });
    const before = await values();
    const { deleted } = await run({ email: 'dot@example.com' }, workspace);
    expect(deleted).toMatchObject({ leads: 1, auditEntries: 0 });
    expect(await values()).toEqual(before);
  });
});
