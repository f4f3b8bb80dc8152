import { appSecrets } from '../../../src/auth/app-secrets.ts';
import { keySecrets } from '../../../src/auth/keys/key-secrets.ts';
import type { Services } from '../../../src/context.ts';
import { newId } from '../../../src/database/ids.ts';
import { fold, foldName } from '../../../src/text/fold.ts';
import { evaluationRowMakers } from './evaluation-rows.ts';
import { savedRowMakers } from './saved-rows.ts';

/** Kinds that reference only their workspace. A world has two rows of each. */
export const plainKinds = ['copy', 'document', 'savedOperation', 'dashboard'] as const;
/** Their models. */
export const plainModels = {
  copy: 'Copy',
  document: 'Document',
  savedOperation: 'SavedOperation',
  dashboard: 'Dashboard',
} as const;

/** One row of every kind, named by the argument that takes its id. Other rows belong to these. */
export type Ids = Record<
  | 'workspaceId'
  | 'userId'
  | 'membershipId'
  | 'appId'
  | 'keyId'
  | 'subscriptionId'
  | 'agentId'
  | 'channelId'
  | 'pluginId'
  | 'conversationId'
  | 'messageId'
  | 'reachedStageId'
  | 'leadId'
  | 'fieldId'
  | 'baseId'
  | 'sourceId'
  | 'sourcePageId'
  | 'passageId'
  | 'webhookId'
  | 'webhookDeliveryId'
  | 'gapId'
  | 'gapQuestionId'
  | 'gapProposalId'
  | 'citationId'
  | 'evaluationCaseId'
  | 'evaluationRunId'
  | 'evaluationResultId'
  | 'auditEntryId'
  | 'erasureReceiptId'
  | `${(typeof plainKinds)[number]}Id`,
  string
>;

let count = 0;

/** Builds single rows of a workspace: children of the rows in `ids`, with `mark` in every text. */
export function rowMakers({ secrets }: Pick<Services, 'secrets'>, ids: Ids, mark: string) {
  const { workspaceId, agentId, baseId, sourceId, conversationId, userId, appId, membershipId } = ids;
  const label = (what: string) => `${mark} ${what} ${++count}`;
  const made = { workspaceId, createdBy: userId, updatedBy: userId };
  const asked = { firstAskedAt: new Date(), lastAskedAt: new Date() };
  const pick = <T>(values: readonly T[]): T => values[++count % values.length] as T;

  return {
    agent: () => {
      const name = label('agent');
      return {
        ...made,
        id: newId('agent'),
        name,
        searchText: foldName(name),
        welcome: label('welcome'),
        off: label('off'),
      };
    },
    channel: () => ({
      ...made,
      id: newId('channel'),
      agentId,
      platform: pick(['api', 'widget', 'whatsapp'] as const),
      credentialsCipher: secrets.encrypt(JSON.stringify({ token: label('token'), page: label('page') })),
      publishableToken: label('publishable'),
      origins: ['https://shop.example'],
    }),
    plugin: () => ({
      workspaceId,
      id: newId('plugin'),
      nameForHuman: label('plugin'),
      nameForModel: `plugin_${++count}`,
      descriptionForHuman: label('description'),
      oauthClientSecretCipher: secrets.encrypt(label('client secret')),
    }),
    lead: () => {
      const name = label('lead');
      const email = `${mark}-${++count}@example.com`;
      const searchText = foldName(name, email);
      const row = { workspaceId, id: newId('lead'), agentId, searchText, capture: 'completed' as const };
      return { ...row, name, email, custom: { note: label('note') } };
    },
    conversation: () => {
      const { channelId, leadId } = ids;
      const context = { utm: { source: label('utm') } };
      return { workspaceId, id: newId('conversation'), agentId, channelId, leadId, title: label('title'), context };
    },
    message: () => ({
      workspaceId,
      id: newId('message'),
      conversationId,
      agentId,
      channelId: ids.channelId,
      position: ++count,
      role: pick(['user', 'assistant'] as const),
      content: label('content'),
      metadata: { note: label('metadata') },
    }),
    field: () => {
      const name = label('field');
      return {
        ...made,
        id: newId('field'),
        name,
        nameKey: fold(name),
        type: 'text' as const,
        searchText: foldName(name),
      };
    },
    base: () => {
      const description = label('base');
      return {
        ...made,
        id: newId('base'),
        description,
        searchText: foldName(description),
        status: 'succeeded' as const,
      };
    },
    source: () => ({
      workspaceId,
      id: newId('source'),
      baseId,
      type: 'faq' as const,
      status: 'succeeded' as const,
      data: { question: label('question'), answer: label('answer') },
      title: label('source'),
    }),
    sourcePage: () => ({
      workspaceId,
      id: newId('page'),
      sourceId,
      url: `https://${label('page').replaceAll(' ', '-')}.example/`,
      title: label('page'),
      status: 'succeeded' as const,
      revision: 0,
    }),
    passage: () => {
      const text = label('passage');
      const place = { question: label('question') };
      return {
        workspaceId,
        id: newId('passage'),
        baseId,
        sourceId,
        position: ++count,
        text,
        place,
        searchText: fold(text),
      };
    },
    user: () => {
      const name = label('person');
      const email = `${mark}-person-${++count}@example.com`;
      return { id: newId('user'), name, email, searchText: foldName(name, email) };
    },
    membership: () => ({ workspaceId, id: newId('membership'), userId, role: 'editor' as const }),
    app: () => {
      const { secret, secretHash } = appSecrets.create();
      const id = `${mark}-app-${++count}`;
      return {
        workspaceId,
        id,
        name: label('app'),
        color: '#123456',
        secretCipher: secrets.encrypt(secret),
        secretHash,
      };
    },
    key: () => {
      const { secret, secretHash } = keySecrets.create();
      const of = { workspaceId, id: newId('key'), membershipId, secretHash, hint: secret.slice(-4) };
      return {
        ...of,
        name: label('key'),
        scopes: ['leads.read'],
        agentIds: [],
        baseIds: [],
        lastUsedFrom: label('address'),
      };
    },
    appRole: () => ({ ...made, membershipId, appId, role: 'editor' as const }),
    subscription: () => ({
      workspaceId,
      id: newId('subscription'),
      appId,
      priceId: label('price'),
      coupon: label('coupon'),
      status: 'trial' as const,
    }),
    copy: () => ({
      workspaceId,
      id: newId('copy'),
      promptId: 'prompt-1',
      completionId: label('completion'),
      content: label('copy'),
    }),
    // Disabled, so that other events of the workspace are not delivered.
    webhook: () => ({
      ...made,
      id: newId('webhook'),
      url: 'http://127.0.0.1:1/',
      description: label('webhook'),
      enabled: false,
      secretCipher: secrets.encrypt(label('webhook secret')),
      runsAs: made.createdBy,
    }),
    event: () => ({ workspaceId, id: newId('event'), type: 'lead.created', data: { leadId: ids.leadId } }),
    /** Needs an event, which the caller must create too. */
    webhookDelivery: () => ({
      workspaceId,
      id: newId('delivery'),
      webhookId: ids.webhookId,
      eventId: '',
      event: 'lead_created' as const,
      status: 'failed' as const,
      nextAttemptAt: null,
      error: label('error'),
      body: label('body'),
    }),
    gap: () => ({ workspaceId, id: newId('gap'), agentId, marks: [label('mark')], count: 1, ...asked }),
    gapQuestion: () => {
      const { gapId, messageId } = ids;
      return { workspaceId, id: newId('question'), gapId, messageId, reason: 'unknown' as const };
    },
    ...evaluationRowMakers(made, ids, label),
    reachedStage: () => ({
      workspaceId,
      id: newId('stage'),
      conversationId,
      stage: 'qualify' as const,
      beganAt: new Date(),
      reachedAt: new Date(),
      elapsed: ++count,
    }),
    citation: () => ({ workspaceId, id: newId('citation'), sourceId, messageId: ids.messageId, createdAt: new Date() }),
    gapProposal: () => ({
      workspaceId,
      id: newId('proposal'),
      gapId: ids.gapId,
      questionId: ids.gapQuestionId,
      messageId: ids.messageId,
      createdBy: userId,
    }),
    auditEntry: () => ({
      workspaceId,
      id: newId('auditEntry'),
      actorKind: 'member' as const,
      actorId: userId,
      action: 'updated' as const,
      type: label('type'),
      rowId: agentId,
      fields: ['name'],
      changes: { status: { after: label('change') } },
    }),
    erasureReceipt: () => ({ workspaceId, id: newId('erasureReceipt'), deleted: {}, remains: [label('remains')] }),
    ...savedRowMakers(made, mark, label),
    document: () => ({ workspaceId, id: newId('document'), name: label('document'), content: label('content') }),
  };
}
