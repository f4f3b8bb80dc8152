import { access } from '../../src/core/permissions.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import {
  minCostPerMinute,
  readSettings,
  saveAgentRetention,
  saveBudgets,
  saveRetention,
  saveSettings,
} from '../../src/domain/workspace/settings.ts';
import { Agent } from '../agents/agents.ts';
import { builder } from '../builder.ts';
import { type InputBuilder, rowMutation } from '../shared/mutations.ts';
import type { Updated } from '../shared/updates.ts';

const MergeRule = builder.enumType('MergeRule', {
  description:
    'What to do when a new lead matches an existing one. New values replace old ones; no known value is lost.',
  values: {
    never: { description: 'Keep both leads.' },
    email: { description: 'Merge the new lead into the existing one with the same email.' },
    phone: { description: 'Merge the new lead into the existing one with the same phone number.' },
    any: { description: 'Merge the new lead into the existing one with the same email or phone number.' },
  } as const,
});

const Settings = builder.prismaObject('Settings', {
  description: 'The settings of a workspace.',
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace the settings belong to.' }),
    merge: t.expose('merge', { type: MergeRule, description: 'What to do when a new lead matches an existing one.' }),
    requestsPerMinute: t.exposeInt('requestsPerMinute', {
      nullable: true,
      description:
        "Maximum number of requests per minute by all bearers of the workspace together. If `null`, the operator's limit applies.",
    }),
    costPerMinute: t.exposeInt('costPerMinute', {
      nullable: true,
      description:
        "Maximum cost of operations per minute by all bearers of the workspace together. If `null`, the operator's limit applies.",
    }),
    tokenRequestsPerMinute: t.exposeInt('tokenRequestsPerMinute', {
      nullable: true,
      description:
        "Maximum number of requests per minute by each member and each app with bearer tokens other than keys. If `null`, the operator's limit applies.",
    }),
    tokenCostPerMinute: t.exposeInt('tokenCostPerMinute', {
      nullable: true,
      description:
        "Maximum cost of operations per minute by each member and each app with bearer tokens other than keys. If `null`, the operator's limit applies.",
    }),
    retention: t.expose('retention', {
      type: 'JSONObject',
      description:
        'How many days `conversations`, `traces`, `attachments` and `deliveries` are kept. What is not in it is kept for ever, and deliveries for 30 days.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the settings were created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the settings were last updated.' }),
    workspace: t.relation('workspace', { description: 'The workspace the settings belong to.' }),
  }),
});

builder.queryField('settings', (t) =>
  t.field({
    type: Settings,
    nullable: true,
    description: 'The settings of the workspace.',
    extensions: {
      ...access('settings.read'),
      parleyRow: { permission: 'settings.read', where: (_args: object, { workspaceId }: Viewer) => ({ workspaceId }) },
    },
    resolve: (_root, _args, context) => readSettings(context),
  }),
);

const settingsUpdates: Updated = {
  model: 'Settings',
  key: ({ viewer: { workspaceId } }) => ({ workspaceId }),
  read: 'settings',
};

rowMutation('saveSettings', {
  updates: settingsUpdates,
  description: 'Saves the settings of the workspace.',
  payload: { field: 'settings', type: Settings, description: 'The updated settings.' },
  input: (t) => ({
    merge: t.field({
      type: MergeRule,
      required: true,
      description: 'What to do when a new lead matches an existing one.',
    }),
  }),
  write: saveSettings,
});

rowMutation('saveBudgets', {
  updates: settingsUpdates,
  description:
    "Saves the budgets per minute for requests and for the cost of operations. Owners only. For omitted budgets, only the operator's limit applies.",
  payload: { field: 'settings', type: Settings, description: 'The updated settings.' },
  input: (t) => ({
    requestsPerMinute: t.int({
      description:
        "Maximum number of requests per minute by all bearers of the workspace together. If omitted or `null`, the operator's limit applies.",
    }),
    costPerMinute: t.int({
      description: `Maximum cost of operations per minute by all bearers of the workspace together, ${minCostPerMinute} or more. If omitted or \`null\`, the operator's limit applies.`,
    }),
    tokenRequestsPerMinute: t.int({
      description:
        "Maximum number of requests per minute by each member and each app with bearer tokens other than keys. If omitted or `null`, the operator's limit applies.",
    }),
    tokenCostPerMinute: t.int({
      description: `Maximum cost of operations per minute by each member and each app with bearer tokens other than keys, ${minCostPerMinute} or more. If omitted or \`null\`, the operator's limit applies.`,
    }),
  }),
  write: saveBudgets,
});

const days = (t: InputBuilder) => ({
  conversations: t.int({
    description: 'Days after its last change until a conversation is deleted with its messages. For ever if omitted.',
  }),
  traces: t.int({ description: 'Days until the trace of a reply is deleted. For ever if omitted.' }),
  attachments: t.int({ description: 'Days until the attachments of a message are deleted. For ever if omitted.' }),
});

rowMutation('saveRetention', {
  updates: settingsUpdates,
  description:
    'Saves how long the data of the workspace is kept. What is older is deleted by a background job, and cannot be restored.',
  payload: { field: 'settings', type: Settings, description: 'The updated settings.' },
  input: (t) => ({
    ...days(t),
    deliveries: t.int({
      description: 'Days until events and their deliveries to webhooks are deleted: 30 if omitted, and at most.',
    }),
  }),
  write: saveRetention,
});

const AgentRetention = builder.inputType('AgentRetention', {
  description: 'How long the data of an agent is kept.',
  fields: (t) => days(t),
});

rowMutation('saveAgentRetention', {
  description: 'Saves how long the data of an agent is kept, instead of what the settings of the workspace say.',
  payload: { field: 'agent', type: Agent, description: 'The updated agent.' },
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the agent.' }),
    retention: t.field({
      type: AgentRetention,
      description: 'How long its data is kept. If omitted or `null`, as in the settings of the workspace.',
    }),
  }),
  write: saveAgentRetention,
});
