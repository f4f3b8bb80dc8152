import { randomBytes } from 'node:crypto';
import type { Prisma } from '../../../src/database/generated/prisma/client.ts';
import { newId } from '../../../src/database/ids.ts';
import type { Gateway } from '../gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../gateway/factories.ts';
import { describedApi } from '../plugins/described-api.ts';
import { type Ids, plainKinds, rowMakers } from './rows.ts';

/** Additional rows, for tests that need another state or an unreferenced row. */
type Others = Record<
  | 'activeAgentId'
  | 'freeAppId'
  | 'endedSubscriptionId'
  | 'disabledFieldId'
  | 'pendingMembershipId'
  | 'invitationId'
  | 'invitingWorkspaceId',
  string
>;
export type WorldIds = Ids & Others;

/** A workspace with at least two rows of every kind, all related. Each of its texts contains `mark`. */
export type World = TestWorkspace & { ids: WorldIds; mark: string; make: ReturnType<typeof rowMakers> };

/** Makes a world: the members, app and subscription of `makeWorkspace`, and rows of everything else. */
export async function makeWorld(gateway: Gateway): Promise<World> {
  const workspace = await makeWorkspace(gateway);
  const mark = `zq${randomBytes(4).toString('hex')}`;
  const ids = newIds(workspace.id, mark);
  const make = rowMakers(gateway.services, ids, mark);
  await fill(gateway, ids, make);
  await invite(gateway, workspace, ids, make);
  return { ...workspace, ids, mark, make };
}

function newIds(workspaceId: string, mark: string): WorldIds {
  const kinds = [
    'user',
    'membership',
    'subscription',
    'agent',
    'channel',
    'plugin',
    'conversation',
    'message',
  ] as const;
  const more = ['lead', 'field', 'base', 'source', 'passage', 'webhook', 'key', ...plainKinds] as const;
  const made = Object.fromEntries([...kinds, ...more].map((kind) => [`${kind}Id`, newId(kind)]));
  return {
    ...(made as Ids),
    workspaceId,
    appId: `${mark}-app`,
    freeAppId: `${mark}-free`,
    activeAgentId: newId('agent'),
    endedSubscriptionId: newId('subscription'),
    disabledFieldId: newId('field'),
    pendingMembershipId: newId('membership'),
    invitationId: newId('membership'),
    invitingWorkspaceId: newId('workspace'),
    sourcePageId: newId('page'),
    webhookDeliveryId: newId('delivery'),
    gapId: newId('gap'),
    gapQuestionId: newId('question'),
    gapProposalId: newId('proposal'),
    citationId: newId('citation'),
    evaluationCaseId: newId('evaluationCase'),
    evaluationRunId: newId('evaluationRun'),
    evaluationResultId: newId('evaluationResult'),
    auditEntryId: newId('auditEntry'),
    erasureReceiptId: newId('erasureReceipt'),
  };
}

/** Invites a person to the world, and the world's owner to another workspace. */
async function invite({ database }: Gateway, { owner }: TestWorkspace, ids: WorldIds, make: World['make']) {
  const { workspaceId, pendingMembershipId, invitationId, invitingWorkspaceId: elsewhere } = ids;
  const { email } = await database.user.findUniqueOrThrow({ where: { id: owner.userId ?? '' } });
  const [stranger, given] = [make.user(), { ...make.user(), email }];
  const pending = { role: 'editor', acceptedAt: null } as const;
  await database.workspace.create({ data: { id: elsewhere, name: 'Elsewhere' } });
  await database.user.create({ data: { ...stranger, invitedTo: workspaceId } });
  await database.user.create({ data: { ...given, invitedTo: elsewhere } });
  await database.membership.createMany({
    data: [
      { ...pending, id: pendingMembershipId, workspaceId, userId: stranger.id },
      { ...pending, id: invitationId, workspaceId: elsewhere, userId: given.id },
    ],
  });
}

async function fill({ database, services }: Gateway, ids: WorldIds, make: World['make']): Promise<void> {
  const { workspaceId, agentId, baseId, pluginId } = ids;
  const pair = { workspaceId, agentId };
  const server = { authorizationUrl: 'https://id.example/authorize', tokenUrl: 'https://id.example/token' };
  const oauth = { ...server, authType: 'oauth' as const, oauthClientId: 'client', apiUrl: describedApi };
  const another = { ...make.agent(), id: ids.activeAgentId, status: 'active' as const };
  const secondApp = make.app();
  const secondMessage = make.message();
  const events = [make.event(), make.event()] as const;
  const tokenCipher = services.secrets.encrypt(make.agent().name);
  const month = services.now().toISOString().slice(0, 7);
  const expiresAt = new Date(Date.now() + 86_400_000);
  await database.$transaction([
    database.workspace.update({ where: { id: workspaceId }, data: { name: make.agent().name } }),
    database.settings.create({ data: { workspaceId } }),
    database.usage.create({ data: { workspaceId, month, current: 3 } }),
    database.idempotency.create({
      data: {
        workspaceId,
        caller: workspaceId,
        key: make.agent().name,
        fingerprint: 'x',
        turnId: ids.messageId,
        expiresAt,
      },
    }),
    database.turn.create({
      data: {
        workspaceId,
        id: ids.messageId,
        agentId,
        conversationId: ids.conversationId,
        fingerprint: 'x',
        state: 'answered',
        heardFrom: 0,
        heardTo: 0,
        aliveUntil: expiresAt,
        expiresAt,
      },
    }),
    database.outboxEvent.createMany({ data: [...events] }),
    database.webhook.createMany({ data: [{ ...make.webhook(), id: ids.webhookId }, make.webhook()] }),
    database.webhookDelivery.createMany({
      data: [
        { ...make.webhookDelivery(), id: ids.webhookDeliveryId, eventId: events[0].id },
        { ...make.webhookDelivery(), eventId: events[1].id },
      ],
    }),
    database.user.create({ data: { ...make.user(), id: ids.userId } }),
    database.membership.create({ data: { ...make.membership(), id: ids.membershipId } }),
    database.key.createMany({ data: [{ ...make.key(), id: ids.keyId }, make.key()] }),
    database.app.createMany({
      data: [{ ...make.app(), id: ids.appId }, { ...make.app(), id: ids.freeAppId }, secondApp],
    }),
    database.appRole.createMany({ data: [make.appRole(), { ...make.appRole(), appId: secondApp.id }] }),
    database.subscription.createMany({
      data: [
        { ...make.subscription(), id: ids.subscriptionId },
        { ...make.subscription(), id: ids.endedSubscriptionId, status: 'ended' },
      ],
    }),
    database.agent.createMany({ data: [{ ...make.agent(), id: agentId }, another] }),
    database.plugin.createMany({ data: [{ ...make.plugin(), ...oauth, id: pluginId }, make.plugin()] }),
    database.base.createMany({ data: [{ ...make.base(), id: baseId }, make.base()] }),
    database.agentBase.createMany({
      data: [
        { ...pair, baseId },
        { workspaceId, agentId: another.id, baseId },
      ],
    }),
    database.agentPlugin.createMany({
      data: [
        { ...pair, pluginId },
        { workspaceId, agentId: another.id, pluginId },
      ],
    }),
    database.credential.create({ data: { ...pair, pluginId, tokenCipher } }),
    database.source.createMany({ data: [{ ...make.source(), id: ids.sourceId }, make.source()] }),
    database.sourcePage.createMany({ data: [{ ...make.sourcePage(), id: ids.sourcePageId }, make.sourcePage()] }),
    database.passage.createMany({ data: [{ ...make.passage(), id: ids.passageId }, make.passage()] }),
    database.channel.createMany({
      data: [{ ...make.channel(), id: ids.channelId, platform: 'widget' }, make.channel()],
    }),
    database.lead.createMany({ data: [{ ...make.lead(), id: ids.leadId }, make.lead()] }),
    database.conversation.createMany({
      data: [{ ...make.conversation(), id: ids.conversationId, messageCount: 2 }, make.conversation()],
    }),
    database.message.createMany({
      data: [
        { ...make.message(), id: ids.messageId, position: 0, role: 'user' },
        { ...secondMessage, position: 1, role: 'assistant' },
      ],
    }),
    database.gap.createMany({ data: [{ ...make.gap(), id: ids.gapId }, make.gap()] }),
    database.gapQuestion.createMany({
      data: [
        { ...make.gapQuestion(), id: ids.gapQuestionId },
        { ...make.gapQuestion(), messageId: secondMessage.id },
      ],
    }),
    database.gapProposal.createMany({
      data: [
        { ...make.gapProposal(), id: ids.gapProposalId },
        { ...make.gapProposal(), messageId: secondMessage.id },
      ],
    }),
    database.citation.createMany({
      data: [
        { ...make.citation(), id: ids.citationId },
        { ...make.citation(), messageId: secondMessage.id },
      ],
    }),
    database.evaluationCase.createMany({
      data: [{ ...make.evaluationCase(), id: ids.evaluationCaseId }, make.evaluationCase()],
    }),
    database.evaluationRun.createMany({
      data: [{ ...make.evaluationRun(), id: ids.evaluationRunId }, make.evaluationRun()],
    }),
    database.evaluationResult.createMany({
      data: [{ ...make.evaluationResult(), id: ids.evaluationResultId }, make.evaluationResult()],
    }),
    database.auditEntry.createMany({ data: [{ ...make.auditEntry(), id: ids.auditEntryId }, make.auditEntry()] }),
    database.erasureReceipt.createMany({
      data: [{ ...make.erasureReceipt(), id: ids.erasureReceiptId }, make.erasureReceipt()],
    }),
    database.field.createMany({
      data: [
        { ...make.field(), id: ids.fieldId },
        { ...make.field(), id: ids.disabledFieldId, active: false },
      ],
    }),
    ...plainKinds.map((kind) => {
      const { createMany } = database[kind] as unknown as { createMany(rows: object): Prisma.PrismaPromise<unknown> };
      return createMany({ data: [{ ...make[kind](), id: ids[`${kind}Id`] }, make[kind]()] });
    }),
  ]);
}
