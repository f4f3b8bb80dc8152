import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/database/ids.ts';
import { insertRows, type Rows } from '../database/insert-rows.ts';
import type { Gateway } from '../gateway/app.ts';
import { type TestWorkspace, workspaceRows } from '../gateway/factories.ts';
import { describedApi } from '../plugins/described-api.ts';
import { type Ids, plainKinds, plainModels, rowMakers } from './rows.ts';

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
  const { services, handle } = gateway;
  const mark = `zq${randomBytes(4).toString('hex')}`;
  const { workspace, rows, ownerEmail } = workspaceRows(services, { name: `${mark} workspace` });
  const ids = newIds(workspace.id, mark);
  const make = rowMakers(services, ids, mark);
  await insertRows(handle.pool, [...rows, ...contents(services, ids, make), ...invitations(ownerEmail, ids, make)]);
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
    reachedStageId: newId('stage'),
    evaluationCaseId: newId('evaluationCase'),
    evaluationRunId: newId('evaluationRun'),
    evaluationResultId: newId('evaluationResult'),
    auditEntryId: newId('auditEntry'),
    erasureReceiptId: newId('erasureReceipt'),
  };
}

/** Invites a person to the world, and the world's owner to another workspace. */
function invitations(ownerEmail: string, ids: WorldIds, make: World['make']): Rows[] {
  const { workspaceId, pendingMembershipId, invitationId, invitingWorkspaceId: elsewhere } = ids;
  const [stranger, given] = [make.user(), { ...make.user(), email: ownerEmail }];
  const pending = { role: 'editor', acceptedAt: null } as const;
  return [
    ['Workspace', [{ id: elsewhere, name: 'Elsewhere' }]],
    [
      'User',
      [
        { ...stranger, invitedTo: workspaceId },
        { ...given, invitedTo: elsewhere },
      ],
    ],
    [
      'Membership',
      [
        { ...pending, id: pendingMembershipId, workspaceId, userId: stranger.id },
        { ...pending, id: invitationId, workspaceId: elsewhere, userId: given.id },
      ],
    ],
  ];
}

function contents(services: Gateway['services'], ids: WorldIds, make: World['make']): Rows[] {
  const { workspaceId, agentId, baseId, pluginId } = ids;
  const pair = { workspaceId, agentId };
  const server = { authorizationUrl: 'https://id.example/authorize', tokenUrl: 'https://id.example/token' };
  const oauth = {
    clientSecretOrigins: ['https://id.example'],
    ...server,
    authType: 'oauth' as const,
    oauthClientId: 'client',
    apiUrl: describedApi,
  };
  const another = { ...make.agent(), id: ids.activeAgentId, status: 'active' as const };
  const secondApp = make.app();
  const secondMessage = make.message();
  const events = [make.event(), make.event()] as const;
  const tokenCipher = services.secrets.encrypt(make.agent().name);
  const month = services.now().toISOString().slice(0, 7);
  const expiresAt = new Date(Date.now() + 86_400_000);
  return [
    ['Settings', [{ workspaceId }]],
    ['Usage', [{ workspaceId, month, current: 3 }]],
    [
      'Idempotency',
      [
        {
          workspaceId,
          caller: workspaceId,
          key: make.agent().name,
          fingerprint: 'x',
          turnId: ids.messageId,
          expiresAt,
        },
      ],
    ],
    [
      'Turn',
      [
        {
          workspaceId,
          id: ids.messageId,
          agentId,
          conversationId: ids.conversationId,
          fingerprint: 'x',
          state: 'answered',
          inputFrom: 0,
          inputTo: 0,
          aliveUntil: expiresAt,
          expiresAt,
        },
      ],
    ],
    ['OutboxEvent', [...events]],
    ['Webhook', [{ ...make.webhook(), id: ids.webhookId }, make.webhook()]],
    [
      'WebhookDelivery',
      [
        { ...make.webhookDelivery(), id: ids.webhookDeliveryId, eventId: events[0].id },
        { ...make.webhookDelivery(), eventId: events[1].id },
      ],
    ],
    ['User', [{ ...make.user(), id: ids.userId }]],
    ['Membership', [{ ...make.membership(), id: ids.membershipId }]],
    ['App', [{ ...make.app(), id: ids.appId }, { ...make.app(), id: ids.freeAppId }, secondApp]],
    ['AppRole', [make.appRole(), { ...make.appRole(), appId: secondApp.id }]],
    [
      'Subscription',
      [
        { ...make.subscription(), id: ids.subscriptionId },
        { ...make.subscription(), id: ids.endedSubscriptionId, status: 'ended' },
      ],
    ],
    ['Agent', [{ ...make.agent(), id: agentId }, another]],
    ['Plugin', [{ ...make.plugin(), ...oauth, id: pluginId }, make.plugin()]],
    ['Base', [{ ...make.base(), id: baseId }, make.base()]],
    [
      'AgentBase',
      [
        { ...pair, baseId },
        { workspaceId, agentId: another.id, baseId },
      ],
    ],
    [
      'AgentPlugin',
      [
        { ...pair, pluginId },
        { workspaceId, agentId: another.id, pluginId },
      ],
    ],
    ['Credential', [{ ...pair, pluginId, tokenCipher, origins: ['https://api.example'] }]],
    ['Source', [{ ...make.source(), id: ids.sourceId }, make.source()]],
    ['SourcePage', [{ ...make.sourcePage(), id: ids.sourcePageId }, make.sourcePage()]],
    ['Passage', [{ ...make.passage(), id: ids.passageId }, make.passage()]],
    ['Channel', [{ ...make.channel(), id: ids.channelId, platform: 'widget' }, make.channel()]],
    ['Lead', [{ ...make.lead(), id: ids.leadId }, make.lead()]],
    ['Conversation', [{ ...make.conversation(), id: ids.conversationId, messageCount: 2 }, make.conversation()]],
    [
      'Message',
      [
        { ...make.message(), id: ids.messageId, position: 0, role: 'user' },
        { ...secondMessage, position: 1, role: 'assistant' },
      ],
    ],
    ['Gap', [{ ...make.gap(), id: ids.gapId }, make.gap()]],
    [
      'GapQuestion',
      [
        { ...make.gapQuestion(), id: ids.gapQuestionId },
        { ...make.gapQuestion(), messageId: secondMessage.id },
      ],
    ],
    [
      'GapProposal',
      [
        { ...make.gapProposal(), id: ids.gapProposalId },
        { ...make.gapProposal(), messageId: secondMessage.id },
      ],
    ],
    ['ReachedStage', [{ ...make.reachedStage(), id: ids.reachedStageId }, make.reachedStage()]],
    [
      'Citation',
      [
        { ...make.citation(), id: ids.citationId },
        { ...make.citation(), messageId: secondMessage.id },
      ],
    ],
    ['EvaluationCase', [{ ...make.evaluationCase(), id: ids.evaluationCaseId }, make.evaluationCase()]],
    ['EvaluationRun', [{ ...make.evaluationRun(), id: ids.evaluationRunId }, make.evaluationRun()]],
    ['EvaluationResult', [{ ...make.evaluationResult(), id: ids.evaluationResultId }, make.evaluationResult()]],
    ['AuditEntry', [{ ...make.auditEntry(), id: ids.auditEntryId }, make.auditEntry()]],
    ['ErasureReceipt', [{ ...make.erasureReceipt(), id: ids.erasureReceiptId }, make.erasureReceipt()]],
    [
      'Field',
      [
        { ...make.field(), id: ids.fieldId },
        { ...make.field(), id: ids.disabledFieldId, active: false },
      ],
    ],
    ...plainKinds.map((kind): Rows => [plainModels[kind], [{ ...make[kind](), id: ids[`${kind}Id`] }, make[kind]()]]),
    [
      'Key',
      [
        { ...make.key(), id: ids.keyId },
        { ...make.key(), dashboardId: ids.dashboardId },
      ],
    ],
  ];
}
