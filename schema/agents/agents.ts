import {
  agentList,
  archiveAgent,
  attachBase,
  attachPlugin,
  createAgent,
  deleteAgent,
  detachBase,
  detachPlugin,
  pauseAgent,
  publishAgent,
  updateAgent,
} from '../../src/domain/agents/agents.ts';
import { builder } from '../builder.ts';
import { ConversationList } from '../conversations/conversations.ts';
import { GapList } from '../knowledge/gaps.ts';
import { LeadList } from '../leads/leads.ts';
import { defineList, type List, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';
import { auditFields } from '../workspace/actors.ts';
import { ChannelList } from './channels.ts';

const AgentPurpose = builder.enumType('AgentPurpose', {
  description: 'The purpose of an agent.',
  values: {
    leads: { description: 'Find out who visitors are and what they need, and save them as leads.' },
    support: { description: 'Help customers with what they already use.' },
    sales: { description: 'Help visitors decide and buy.' },
    general: { description: 'Answer any question.' },
  } as const,
});

const AgentFreedom = builder.enumType('AgentFreedom', {
  description: 'How far an agent may go beyond its knowledge bases.',
  values: {
    restricted: { description: 'Answers only from its knowledge bases, and says so when they contain no answer.' },
    balanced: { description: 'Prefers its knowledge bases and may add common knowledge.' },
    free: { description: 'Answers from anything the model knows.' },
  } as const,
});

const AgentBehavior = builder.enumType('AgentBehavior', {
  description: 'How an agent works out a reply.',
  values: {
    basic: { description: 'One question, one reply.' },
    advanced: { description: 'May take several steps, such as calling its plugins.' },
  } as const,
});

const AgentStatus = builder.enumType('AgentStatus', {
  description: 'The status of an agent: draft, then active or paused, and finally archived.',
  values: {
    draft: { description: 'Not published yet: replies through the API and in previews, but not on public channels.' },
    active: { description: 'Replies everywhere.' },
    paused: { description: 'Replies only with its `off` text.' },
    archived: { description: 'Permanently retired.' },
  } as const,
});

export const Agent = builder.prismaNode('Agent', {
  description: 'An assistant that holds conversations.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the agent, the same in REST.' },
  nullable: true,
  findUnique: rowById('Agent'),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the agent.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'A description of the agent, for people.',
    }),
    avatar: t.exposeString('avatar', { nullable: true, description: "The URL of the agent's picture." }),
    color: t.expose('color', { type: 'HexColorCode', description: "The color of the agent's widget." }),
    welcome: t.exposeString('welcome', { nullable: true, description: "The agent's first message." }),
    instructions: t.exposeString('instructions', {
      nullable: true,
      description: 'Instructions to the model on how the agent behaves.',
    }),
    off: t.exposeString('off', {
      nullable: true,
      description: "The agent's reply when it is paused or over its limit.",
    }),
    references: t.exposeBoolean('references', { description: 'Whether replies include citations.' }),
    purpose: t.expose('purpose', { type: AgentPurpose, description: 'The purpose of the agent.' }),
    freedom: t.expose('freedom', {
      type: AgentFreedom,
      description: 'How far the agent may go beyond its knowledge bases.',
    }),
    behaviorType: t.expose('behaviorType', { type: AgentBehavior, description: 'How the agent works out a reply.' }),
    status: t.expose('status', { type: AgentStatus, description: 'The status of the agent.' }),
    model: t.exposeString('model', {
      nullable: true,
      description: 'The name of the model the agent uses; `null` for the default model in `models`.',
    }),
    fallbackModel: t.exposeString('fallbackModel', {
      nullable: true,
      description: 'The name of the model used when the first one fails.',
    }),
    temperature: t.exposeFloat('temperature', {
      nullable: true,
      description: "The sampling temperature, from 0 to 2; `null` for the model's default.",
    }),
    maxOutputTokens: t.exposeInt('maxOutputTokens', {
      nullable: true,
      description: "The maximum number of tokens the model may generate per call; `null` for the model's default.",
    }),
    timeoutMs: t.exposeInt('timeoutMs', {
      nullable: true,
      description: "The maximum time for a whole reply, in milliseconds; `null` for the service's limit.",
    }),
    resolveAfterMinutes: t.exposeInt('resolveAfterMinutes', {
      description: 'After how many minutes without a message its conversations are resolved; 0 for never.',
    }),
    sourceTags: t.expose('sourceTags', {
      type: 'JSONObject',
      description: 'Tags a source must have, all of them, for the agent to answer from it; empty for any source.',
    }),
    retention: t.expose('retention', {
      type: 'JSONObject',
      nullable: true,
      description:
        'How many days its `conversations`, `traces` and `attachments` are kept; what is not in it is kept for ever. `null`: as in the settings of the workspace.',
    }),
    left: t.exposeBoolean('left', { description: 'Whether the widget is on the left side of the page.' }),
    ...auditFields(t),
    channels: relatedConnection(t, 'channels', ChannelList, { description: 'The channels of the agent.' }),
    conversations: relatedConnection(t, 'conversations', ConversationList, {
      description: "The agent's conversations.",
    }),
    leads: relatedConnection(t, 'leads', LeadList, { description: 'The leads the agent captured.' }),
    gaps: relatedConnection(t, 'gaps', GapList, { description: 'Questions the agent could not answer.' }),
  }),
});

export const AgentList: List = defineList(Agent, 'Agent', agentList, {
  orders: {
    createdAt: 'When the agent was created.',
    updatedAt: 'When the agent was last updated.',
    name: 'The name of the agent.',
  },
  filter: {
    status: { type: AgentStatus, description: 'Agents with one of these statuses.' },
    purpose: { type: AgentPurpose, description: 'Agents with one of these purposes.' },
    createdAt: { description: 'Agents created in this time range.' },
    baseId: { type: 'ID', description: 'Agents that answer from this knowledge base.' },
    pluginId: { type: 'ID', description: 'Agents that may call this plugin.' },
    ids: { type: 'ID', description: 'Agents with one of these IDs.' },
    freedom: { type: AgentFreedom, description: 'Agents that may go this far beyond their knowledge bases.' },
    name: { description: 'The name of the agent.' },
    model: { description: 'The name of the model the agent uses; `null` for the default model.' },
    updatedAt: { description: 'Agents last updated in this time range.' },
  },
  search: 'Text to find in the name, ignoring case and accents.',
  groups: {
    moments: { createdAt: 'When the agent was created.', updatedAt: 'When the agent was last updated.' },
    by: {
      status: { type: AgentStatus, description: 'The status of the agent.' },
      purpose: { type: AgentPurpose, description: 'The purpose of the agent.' },
      freedom: { type: AgentFreedom, description: 'How far the agent may go beyond its knowledge bases.' },
      model: { description: 'The name of the model the agent uses; `null` for the default model.' },
    },
  },
});

builder.queryFields((t) => ({
  agents: rootConnection(t, AgentList, 'A list of the agents in the workspace, newest first.'),
  agent: rootRow(t, AgentList, 'Returns an agent by ID.'),
}));

const agentFields = (t: InputBuilder) => ({
  description: t.string({ description: 'A description of the agent, for people.' }),
  avatar: t.string({ description: "The URL of the agent's picture." }),
  color: t.field({ type: 'HexColorCode', description: "The color of the agent's widget." }),
  welcome: t.string({ description: "The agent's first message." }),
  instructions: t.string({ description: 'Instructions to the model on how the agent behaves.' }),
  off: t.string({ description: "The agent's reply when it is paused or over its limit." }),
  references: t.boolean({ description: 'Whether replies include citations. Defaults to `true`.' }),
  purpose: t.field({ type: AgentPurpose, description: 'The purpose of the agent. Defaults to `general`.' }),
  freedom: t.field({
    type: AgentFreedom,
    description: 'How far the agent may go beyond its knowledge bases. Defaults to `balanced`.',
  }),
  behaviorType: t.field({ type: AgentBehavior, description: 'How the agent works out a reply. Defaults to `basic`.' }),
  left: t.boolean({ description: 'Whether the widget is on the left side of the page.' }),
  model: t.string({ description: 'The model the agent uses, one of `models`; `null` for the default model.' }),
  fallbackModel: t.string({ description: 'The model used when the first one fails, one of `models`.' }),
  temperature: t.float({ description: 'The sampling temperature, from 0 to 2.' }),
  maxOutputTokens: t.int({ description: 'The maximum number of tokens the model may generate per call.' }),
  sourceTags: t.field({
    type: 'JSONObject',
    description:
      'Tags a source must have for the agent to answer from it, such as {"product": "crm"}; {} for any source.',
  }),
  timeoutMs: t.int({ description: 'The maximum time for a whole reply, in milliseconds. At least 1000.' }),
  resolveAfterMinutes: t.int({
    description:
      'After how many minutes without a message its conversations are resolved; 0 for never. Defaults to 1440.',
  }),
});
const payload = { field: 'agent', type: Agent, description: 'The created or updated agent.' };
const agentId = (t: InputBuilder) => t.id({ required: true, description: 'ID of the agent.' });

rowMutation('createAgent', {
  description: 'Creates an agent. It is a draft until it is published.',
  payload,
  input: (t) => ({ name: t.string({ required: true, description: 'The name of the agent.' }), ...agentFields(t) }),
  write: createAgent,
});

rowMutation('updateAgent', {
  description: 'Updates an agent. Omitted fields are unchanged.',
  payload,
  input: (t) => ({ id: agentId(t), name: t.string({ description: 'The name of the agent.' }), ...agentFields(t) }),
  write: updateAgent,
});

deleteMutation('deleteAgent', {
  description: 'Deletes an agent with its channels, conversations and messages. Its leads are kept.',
  what: 'agent',
  write: deleteAgent,
});

for (const [name, write, description] of [
  ['publishAgent', publishAgent, 'Publishes a draft or paused agent, so that it replies everywhere.'],
  ['pauseAgent', pauseAgent, 'Pauses an active agent, so that it replies only with its `off` text.'],
  ['archiveAgent', archiveAgent, 'Permanently retires an agent.'],
] as const) {
  rowMutation(name, {
    description,
    payload,
    input: (t) => ({ id: agentId(t) }),
    write,
  });
}

for (const [name, change, description] of [
  ['attachBase', attachBase, 'Attaches a knowledge base to an agent, which may then answer from it.'],
  ['detachBase', detachBase, 'Detaches a knowledge base from an agent.'],
] as const) {
  rowMutation(name, {
    description,
    payload,
    input: (t) => ({
      agentId: agentId(t),
      baseId: t.id({ required: true, description: 'ID of the knowledge base.' }),
    }),
    write: change,
  });
}

for (const [name, change, description] of [
  ['attachPlugin', attachPlugin, 'Attaches a plugin to an agent, which may then call it.'],
  ['detachPlugin', detachPlugin, 'Detaches a plugin from an agent.'],
] as const) {
  rowMutation(name, {
    description,
    payload,
    input: (t) => ({
      agentId: agentId(t),
      pluginId: t.id({ required: true, description: 'ID of the plugin.' }),
    }),
    write: change,
  });
}
