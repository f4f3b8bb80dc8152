import { getNamedType } from 'graphql';
import { type Field, typeNameOf } from '../graphql/shape.ts';
import { describedApi } from '../plugins/described-api.ts';
import type { WorldIds } from './world.ts';

/**
 * A valid input for every mutation and subscription, with a value for each id. The tests of tenancy,
 * permissions and bearers are generated from it. They fail if an entry is missing, or an id has no
 * value here.
 */
export const inputs: Record<string, (ids: WorldIds) => object> = {
  acceptInvitation: ({ invitationId: id }) => ({ id }),
  acceptTerms: () => ({}),
  addSource: ({ baseId }) => ({ baseId, ...faq }),
  answerGap: ({ gapId, baseId, gapProposalId: proposalId }) => ({ gapId, baseId, answer: 'Always.', proposalId }),
  archiveAgent: ({ agentId: id }) => ({ id }),
  attachBase: ({ agentId, baseId }) => ({ agentId, baseId }),
  attachPlugin: ({ agentId, pluginId }) => ({ agentId, pluginId }),
  authenticateApp: ({ userId, workspaceId: tenantId }) => ({ userId, tenantId, role: 'editor' }),
  authorizePlugin: ({ agentId, pluginId }) => ({ agentId, pluginId }),
  createAgent: () => ({ name: 'New agent' }),
  createApp: () => ({ id: 'new-app', name: 'New app' }),
  createBase: () => ({ description: 'New base', sources: [faq] }),
  createChannel: ({ agentId }) => ({ agentId, platform: 'widget' }),
  createDocument: () => ({ name: 'New document' }),
  createEvaluationCase: ({ agentId, sourceId }) => ({ agentId, question: 'When?', expectedSourceId: sourceId }),
  createEvaluationCases: ({ agentId }) => ({ agentId }),
  createDashboard: () => ({ name: `new-board-${++count}`, title: 'New board', tiles: [{ text: 'A text' }] }),
  createField: () => ({ name: 'New field', type: 'text' }),
  createKey: ({ agentId, baseId, dashboardId }) => ({
    name: 'New key',
    agentIds: [agentId],
    baseIds: [baseId],
    dashboardId,
  }),
  createLead: ({ agentId }) => ({ agentId, name: 'New lead' }),
  createOperation: () => ({ name: `new-operation-${++count}`, document: '{ agents { totalCount } }' }),
  createPlugin: () => ({ nameForHuman: 'New plugin', nameForModel: 'new_plugin' }),
  // The one event that takes no other permission.
  createWebhook: () => ({ url: 'http://127.0.0.1:1/', events: ['ping'] }),
  createSubscription: ({ appId }) => ({ appId, priceId: 'price_2' }),
  declineInvitation: ({ invitationId: id }) => ({ id }),
  deleteAgent: ({ agentId: id }) => ({ id }),
  deleteApp: ({ freeAppId: id }) => ({ id }),
  deleteBase: ({ baseId: id }) => ({ id }),
  deleteChannel: ({ channelId: id }) => ({ id }),
  deleteConversation: ({ conversationId: id }) => ({ id }),
  deleteCopy: ({ copyId: id }) => ({ id }),
  deleteCredential: ({ agentId, pluginId }) => ({ agentId, pluginId }),
  deleteDocument: ({ documentId: id }) => ({ id }),
  deleteEvaluationCase: ({ evaluationCaseId: id }) => ({ id }),
  deleteEvaluationRun: ({ evaluationRunId: id }) => ({ id }),
  deleteDashboard: ({ dashboardId: id }) => ({ id }),
  deleteField: ({ fieldId: id }) => ({ id }),
  deleteLead: ({ leadId: id }) => ({ id }),
  deleteOperation: ({ savedOperationId: id }) => ({ id }),
  deletePlugin: ({ pluginId: id }) => ({ id }),
  deleteRole: ({ membershipId, appId }) => ({ membershipId, appId }),
  deleteSource: ({ sourceId: id }) => ({ id }),
  deleteSubscription: ({ endedSubscriptionId: id }) => ({ id }),
  deleteWebhook: ({ webhookId: id }) => ({ id }),
  detachBase: ({ agentId, baseId }) => ({ agentId, baseId }),
  detachPlugin: ({ agentId, pluginId }) => ({ agentId, pluginId }),
  disableField: ({ fieldId: id }) => ({ id }),
  dismissGap: ({ gapId }) => ({ gapId }),
  enableField: ({ disabledFieldId: id }) => ({ id }),
  erasePerson: ({ conversationId }) => ({ conversationId }),
  evaluateAgent: ({ agentId }) => ({ agentId }),
  handBackConversation: ({ conversationId }) => ({ conversationId }),
  importPlugin: () => ({ url: describedApi }),
  inviteMember: () => ({ email: `new-${++count}@example.com`, name: 'New member', role: 'editor' }),
  pauseAgent: ({ activeAgentId: id }) => ({ id }),
  publishAgent: ({ agentId: id }) => ({ id }),
  recordCopy: () => ({ promptId: 'prompt-1', completionId: 'completion-1', content: 'New text' }),
  generateCopy: ({ agentId }) => ({ agentId, promptId: 'prompt-1', prompt: 'A line', copies: 1 }),
  refreshPlugin: ({ pluginId: id }) => ({ id }),
  reindexBase: ({ baseId: id }) => ({ id }),
  reindexSource: ({ sourceId: id }) => ({ id }),
  removeMember: ({ membershipId: id }) => ({ id }),
  renewInvitationLink: ({ pendingMembershipId: id }) => ({ id }),
  replayWebhookDelivery: ({ webhookDeliveryId: id }) => ({ id }),
  retrySource: ({ sourceId: id }) => ({ id }),
  revokeKey: ({ keyId: id }) => ({ id }),
  setSourceTags: ({ sourceId: id }) => ({ id, tags: { product: 'crm' } }),
  rotateAppSecret: ({ freeAppId: id }) => ({ id }),
  rotateIdentitySecret: ({ channelId: id }) => ({ id }),
  rotatePublishableToken: ({ channelId: id }) => ({ id }),
  rotateWebhookSecret: ({ webhookId: id }) => ({ id }),
  saveAgentRetention: ({ agentId: id }) => ({ id, retention: { traces: 30 } }),
  saveRetention: () => ({ conversations: 400, deliveries: 7 }),
  saveSettings: () => ({ merge: 'email' }),
  saveBudgets: () => ({ costPerMinute: 1_000_000_000 }),
  sendAsPerson: ({ conversationId }) => ({ conversationId, content: 'A person here' }),
  sendMessage: ({ agentId, conversationId, leadId }) => ({
    agentId,
    conversationId,
    leadId,
    message: { content: 'Hello' },
  }),
  scheduleSource: ({ sourceId: id }) => ({ id, refreshEvery: null }),
  setCredential: ({ agentId, pluginId }) => ({ agentId, pluginId, accessToken: 'new token' }),
  setSatisfaction: ({ conversationId: id }) => ({ id, satisfaction: 4, comment: 'Quick.' }),
  setFeedback: ({ messageId: id }) => ({ id, feedback: { rating: 'like' } }),
  setRole: ({ membershipId, appId }) => ({ membershipId, appId, role: 'viewer' }),
  stopTurn: ({ conversationId }) => ({ conversationId }),
  streamMessage: ({ agentId, conversationId, leadId }) => ({
    agentId,
    conversationId,
    leadId,
    message: { content: 'Hi' },
  }),
  takeOverConversation: ({ conversationId }) => ({ conversationId }),
  testWebhook: ({ webhookId: id }) => ({ id }),
  updateAgent: ({ agentId: id }) => ({ id, name: 'Renamed' }),
  updateApp: ({ appId: id }) => ({ id, name: 'Renamed' }),
  updateBase: ({ baseId: id }) => ({ id, description: 'Changed', sources: [faq] }),
  updateChannel: ({ channelId: id }) => ({ id, credentials: { page: 'other' } }),
  updateConversation: ({ conversationId: id, leadId }) => ({ id, leadId, title: 'Renamed' }),
  updateCopy: ({ copyId: id }) => ({ id, content: 'Changed' }),
  updateDocument: ({ documentId: id }) => ({ id, name: 'Renamed' }),
  updateEvaluationCase: ({ evaluationCaseId: id, sourceId }) => ({ id, expectedSourceId: sourceId }),
  updateDashboard: ({ dashboardId: id }) => ({ id, title: 'Changed' }),
  updateField: ({ fieldId: id }) => ({ id, description: 'Changed' }),
  updateLead: ({ leadId: id, agentId }) => ({ id, agentId, company: 'Renamed' }),
  updateMember: ({ membershipId: id }) => ({ id, role: 'viewer' }),
  updateOperation: ({ savedOperationId: id }) => ({ id, description: 'Changed' }),
  updatePlugin: ({ pluginId: id }) => ({ id, disclaimer: 'Changed' }),
  updateProfile: () => ({ name: 'Renamed' }),
  updateSource: ({ sourceId: id }) => ({ id, file: faq.file }),
  updateSubscription: ({ subscriptionId: id }) => ({ id, status: 'active' }),
  updateWebhook: ({ webhookId: id }) => ({ id, description: 'Changed' }),
  updateWorkspace: () => ({ name: 'Renamed' }),
};

/** Mutations that change a row only after another one, in the world as it is made. */
export const comesAfter: Record<string, string> = { handBackConversation: 'takeOverConversation' };

const faq = { type: 'faq', file: { data: { question: 'When are you open?', answer: 'Always.' } } };
let count = 0;

/** Arguments that look like ids but name no row of the service, and what they are instead. */
export const noRow: Record<string, string> = {
  'CreateAppInput.id': 'chosen by the caller, and unique in the workspace only',
  'MessageInput.toolCallId': 'a call within the conversation, as the model named it',
  'SendMessageInput.regenerate': 'a message, but not beside a new one: see test/conversations/regenerate.test.ts',
  'SendMessageInput.edit': 'a message, but not beside a conversation: see test/conversations/branch.test.ts',
  'streamMessage(after)': 'an event of an earlier stream of the same input',
  'AuditEntryFilter.actorId': 'a user, key or app, which may be gone',
  'AuditEntryFilter.onBehalfOfId': 'a user, who may be gone',
  'AuditEntryFilter.rowId': 'a row of any type, which may be gone',
  'CopyFilter.promptId': 'a prompt, named by its maker',
  'CopyFilter.promptIds': 'a prompt, named by its maker',
  'RecordCopyInput.promptId': 'a prompt, named by its maker',
  'RecordCopyInput.completionId': 'a completion, named by its maker',
  'GenerateCopyInput.promptId': 'a prompt, named by its maker',
  'CreateSubscriptionInput.priceId': 'a price at the payment provider',
  'UpdateSubscriptionInput.priceId': 'a price at the payment provider',
  'CreatePluginInput.oauthClientId': 'a client at an authorization server',
  'UpdatePluginInput.oauthClientId': 'a client at an authorization server',
};

/** The row for an argument with this name, such as `agentId`. */
export const idFor = (ids: WorldIds, name: string): string | undefined => (ids as Record<string, string>)[name];

/** The arguments of queries that take other values than ids. */
export const queryArguments: Record<string, (ids: WorldIds) => object> = {
  operationCost: () => ({ operation: { query: '{ agents { nodes { id } } }' } }),
  resultValues: () => ({ operation: { query: '{ agents { totalCount } }' } }),
  resumeChat: ({ agentId }) => ({ agentId, chat: 'a chat' }),
  searchPassages: ({ baseId }) => ({ query: 'passage', baseIds: [baseId], first: 3 }),
};

/** The row for `agent(id:)` or `node(id:)`: `Agent` → `agentId`. */
export const idOfType = (ids: WorldIds, type: string): string | undefined =>
  type === 'WorkspaceSubscription' ? ids.subscriptionId : idFor(ids, `${type[0]?.toLowerCase()}${type.slice(1)}Id`);

/** Valid variables for any root field: its input, or its ids. */
export function variablesOf(field: Field, ids: WorldIds): object {
  if (field.args.some(({ name }) => name === 'input')) return { input: inputs[field.name]?.(ids) };
  const given = queryArguments[field.name]?.(ids);
  if (given) return given;
  if (field.name === 'node') return { id: ids.agentId };
  if (field.name === 'nodes') return { ids: [ids.agentId] };
  return Object.fromEntries(
    field.args
      .filter(({ type }) => getNamedType(type).name === 'ID')
      .map(({ name }) => [name, name === 'id' ? idOfType(ids, typeNameOf(field)) : idFor(ids, name)]),
  );
}
