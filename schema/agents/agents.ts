import { limitOf } from '../../src/database/query/row-limits.ts';
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
import { auditFields } from '../workspace/actors.ts';
import { ChannelList } from './channels.ts';

const AgentPurpose = builder.enumType('AgentPurpose', {
  description: 'What an agent is for.',
  values: {
    leads: { description: 'Find out who the visitor is and what they need, and keep it as a lead.' },
    support: { description: 'Help customers with what they already use.' },
    sales: { description: 'Help visitors to decide and to buy.' },
    general: { description: 'Answer whatever comes.' },
  } as const,
});

const AgentFreedom = builder.enumType('AgentFreedom', {
  description: 'How far an agent may go beyond its knowledge bases.',
  values: {
    restricted: { description: 'Answers from its bases only, and says so when they hold no answer.' },
    balanced: { description: 'Prefers its bases and may add common knowledge.' },
    free: { description: 'Answers from whatever the model knows.' },
  } as const,
});

const AgentBehavior = builder.enumType('AgentBehavior', {
  description: 'How an agent works on an answer.',
  values: {
    basic: { description: 'One question, one answer.' },
    advanced: { description: 'May take several steps, such as calling its plugins.' },
  } as const,
});

const AgentStatus = builder.enumType('AgentStatus', {
  description: 'Where an agent is in its life: draft, then active or paused, at last archived.',
  values: {
    draft: { description: 'Being made: answers the API and previews, not public channels.' },
    active: { description: 'Answers everywhere.' },
    paused: { description: 'Answers nowhere but with its `off` text.' },
    archived: { description: 'Out of use for good.' },
  } as const,
});

const Agent = builder.prismaNode('Agent', {
  description: 'An assistant that holds conversations.',
  id: { field: 'id', description: 'The id of the agent, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId, AND: limitOf('Agent', viewer) }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the agent is called.' }),
    description: t.exposeString('description', { nullable: true, description: 'What the agent is about, for people.' }),
    avatar: t.exposeString('avatar', { nullable: true, description: 'The address of its picture.' }),
    color: t.expose('color', { type: 'HexColorCode', description: 'The colour of its widget.' }),
    welcome: t.exposeString('welcome', { nullable: true, description: 'The first thing that it says.' }),
    instructions: t.exposeString('instructions', {
      nullable: true,
      description: 'How it shall behave, told to the model.',
    }),
    off: t.exposeString('off', { nullable: true, description: 'What it says when it is paused or over its limit.' }),
    references: t.exposeBoolean('references', { description: 'Whether its replies carry citations.' }),
    purpose: t.expose('purpose', { type: AgentPurpose, description: 'What it is for.' }),
    freedom: t.expose('freedom', { type: AgentFreedom, description: 'How far it may go beyond its bases.' }),
    behaviorType: t.expose('behaviorType', { type: AgentBehavior, description: 'How it works on an answer.' }),
    status: t.expose('status', { type: AgentStatus, description: 'Where it is in its life.' }),
    model: t.exposeString('model', {
      nullable: true,
      description: 'The name of the model that answers for it; null for the default one of `models`.',
    }),
    fallbackModel: t.exposeString('fallbackModel', {
      nullable: true,
      description: 'The name of the model that answers when the first one cannot.',
    }),
    temperature: t.exposeFloat('temperature', {
      nullable: true,
      description: 'How freely the model chooses its words, from 0 to 2; null as the model has it.',
    }),
    maxOutputTokens: t.exposeInt('maxOutputTokens', {
      nullable: true,
      description: 'How many tokens a call of the model may write; null as the model has it.',
    }),
    timeoutMs: t.exposeInt('timeoutMs', {
      nullable: true,
      description: 'How long a whole reply may take, in milliseconds; null as long as the service allows.',
    }),
    sourceTags: t.expose('sourceTags', {
      type: 'JSONObject',
      description:
        'The tags that a source must have, all of them, for the agent to answer from it; empty for any source.',
    }),
    left: t.exposeBoolean('left', { description: 'Whether its widget sits on the left of the page.' }),
    ...auditFields(t),
    channels: relatedConnection(t, 'channels', ChannelList, { description: 'Where it is reachable.' }),
    conversations: relatedConnection(t, 'conversations', ConversationList, { description: 'Its conversations.' }),
    leads: relatedConnection(t, 'leads', LeadList, { description: 'The leads that it captured.' }),
    gaps: relatedConnection(t, 'gaps', GapList, { description: 'What it was asked and could not answer.' }),
  }),
});

export const AgentList: List = defineList(Agent, 'Agent', agentList, {
  orders: { createdAt: 'When it was made.', updatedAt: 'When it was changed last.', name: 'What it is called.' },
  filter: {
    status: { type: AgentStatus, description: 'Agents in one of these states.' },
    purpose: { type: AgentPurpose, description: 'Agents for one of these purposes.' },
    createdAt: { description: 'Agents made in this span of time.' },
    baseId: { type: 'ID', description: 'Agents that answer from this base.' },
    pluginId: { type: 'ID', description: 'Agents that may call this plugin.' },
    ids: { type: 'ID', description: 'Agents with one of these ids.' },
    freedom: { type: AgentFreedom, description: 'Agents that may say this much beside what they know.' },
    name: { description: 'What it is called.' },
    model: { description: 'The name of the model that it answers by; null for the default one.' },
    updatedAt: { description: 'Agents changed last in this span of time.' },
  },
  search: 'Text to find in the name; case and accents do not matter.',
  groups: {
    moments: { createdAt: 'When it was made.', updatedAt: 'When it was changed last.' },
    by: {
      status: { type: AgentStatus, description: 'Whether it answers.' },
      purpose: { type: AgentPurpose, description: 'What it is for.' },
      freedom: { type: AgentFreedom, description: 'What it may say beside what it knows.' },
      model: { description: 'The name of the model that it answers by; null for the default one.' },
    },
  },
});

builder.queryFields((t) => ({
  agents: rootConnection(t, AgentList, 'The agents of the workspace, newest first.'),
  agent: rootRow(t, AgentList, 'One agent.'),
}));

const agentFields = (t: InputBuilder) => ({
  description: t.string({ description: 'What the agent is about, for people.' }),
  avatar: t.string({ description: 'The address of its picture.' }),
  color: t.field({ type: 'HexColorCode', description: 'The colour of its widget.' }),
  welcome: t.string({ description: 'The first thing that it says.' }),
  instructions: t.string({ description: 'How it shall behave, told to the model.' }),
  off: t.string({ description: 'What it says when it is paused or over its limit.' }),
  references: t.boolean({ description: 'Whether its replies carry citations; true when left out.' }),
  purpose: t.field({ type: AgentPurpose, description: 'What it is for; general when left out.' }),
  freedom: t.field({ type: AgentFreedom, description: 'How far it may go beyond its bases; balanced when left out.' }),
  behaviorType: t.field({ type: AgentBehavior, description: 'How it works on an answer; basic when left out.' }),
  left: t.boolean({ description: 'Whether its widget sits on the left of the page.' }),
  model: t.string({ description: 'The model that answers, one of `models`; null for the default one.' }),
  fallbackModel: t.string({ description: 'The model that answers when the first one cannot, one of `models`.' }),
  temperature: t.float({ description: 'How freely the model chooses its words, from 0 to 2.' }),
  maxOutputTokens: t.int({ description: 'How many tokens a call of the model may write.' }),
  sourceTags: t.field({
    type: 'JSONObject',
    description:
      'The tags that a source must have for the agent to answer from it, such as {"product": "crm"}; {} for any.',
  }),
  timeoutMs: t.int({ description: 'How long a whole reply may take, in milliseconds, from 1000.' }),
});
const answers: [string, unknown, string] = ['agent', Agent, 'The agent as it is now.'];
const agentId = (t: InputBuilder) => t.id({ required: true, description: 'The id of the agent.' });

rowMutation('createAgent', {
  description: 'Makes an agent. It is a draft until it is published.',
  answers,
  input: (t) => ({ name: t.string({ required: true, description: 'What the agent is called.' }), ...agentFields(t) }),
  write: createAgent,
});

rowMutation('updateAgent', {
  updates: { model: 'Agent' },
  description: 'Changes what is given of an agent; what is left out stays.',
  answers,
  input: (t) => ({ id: agentId(t), name: t.string({ description: 'What the agent is called.' }), ...agentFields(t) }),
  write: updateAgent,
});

deleteMutation('deleteAgent', {
  updates: { model: 'Agent' },
  description: 'Removes an agent with its channels, conversations and messages. Its leads stay.',
  what: 'agent',
  write: deleteAgent,
});

for (const [name, write, description] of [
  ['publishAgent', publishAgent, 'Lets an agent answer everywhere, from draft or paused.'],
  ['pauseAgent', pauseAgent, 'Lets an active agent answer with its `off` text only.'],
  ['archiveAgent', archiveAgent, 'Takes an agent out of use for good.'],
] as const) {
  rowMutation(name, {
    updates: { model: 'Agent' },
    description,
    answers,
    input: (t) => ({ id: agentId(t) }),
    write,
  });
}

for (const [name, change, description] of [
  ['attachBase', attachBase, 'Lets an agent answer from a base.'],
  ['detachBase', detachBase, 'Takes a base from an agent.'],
] as const) {
  rowMutation(name, {
    description,
    answers,
    input: (t) => ({ agentId: agentId(t), baseId: t.id({ required: true, description: 'The id of the base.' }) }),
    permission: 'agents.write',
    resolve: (context, input) => change(context, input.agentId, input.baseId),
  });
}

for (const [name, change, description] of [
  ['attachPlugin', attachPlugin, 'Lets an agent call a plugin.'],
  ['detachPlugin', detachPlugin, 'Takes a plugin from an agent.'],
] as const) {
  rowMutation(name, {
    description,
    answers,
    input: (t) => ({ agentId: agentId(t), pluginId: t.id({ required: true, description: 'The id of the plugin.' }) }),
    permission: 'agents.write',
    resolve: (context, input) => change(context, input.agentId, input.pluginId),
  });
}
