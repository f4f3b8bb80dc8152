import { limitOf } from '../../src/database/query/row-limits.ts';
import { createLead, deleteLead, leadList, updateLead } from '../../src/domain/leads/leads.ts';
import { builder } from '../builder.ts';
import { ConversationList } from '../conversations/conversations.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';

const LeadCapture = builder.enumType('LeadCapture', {
  description: 'How much is known of a lead. It may become completed, and is never partial again.',
  values: {
    completed: { description: 'The person is known and can be reached.' },
    partial: { description: 'Something is known, but not enough.' },
  } as const,
});

builder.prismaObject('LeadValue', {
  name: 'CapturedValue',
  description:
    'A value that a visitor told in a conversation, as it was kept then; the lead may have been changed since.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'name, email, phone, company, site, or the name of a custom field.',
    }),
    value: t.expose('value', { type: 'JSON', description: 'What was told, in the type of the field.' }),
    message: t.relation('message', { description: 'The message that tells it.' }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', description: 'When it was kept.' }),
  }),
});

const Lead = builder.prismaNode('Lead', {
  description: 'A person or a company that a conversation, a form or an import brought, with what is known of them.',
  id: { field: 'id', description: 'The id of the lead, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId, AND: limitOf('Lead', viewer) }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that the lead belongs to.' }),
    agentId: t.exposeID('agentId', { nullable: true, description: 'The id of the agent that captured it.' }),
    name: t.exposeString('name', { nullable: true, description: 'What the person is called.' }),
    email: t.expose('email', { type: 'EmailAddress', nullable: true, description: 'Email address, in lower case.' }),
    phone: t.exposeString('phone', { nullable: true, description: 'Phone number in E.164, such as +5511987654321.' }),
    company: t.exposeString('company', { nullable: true, description: 'The company that the person speaks for.' }),
    site: t.exposeString('site', { nullable: true, description: 'The site of the person or the company.' }),
    custom: t.expose('custom', {
      type: 'JSONObject',
      description: 'Values of custom fields, by the name of the field.',
    }),
    utm: t.expose('utm', {
      type: 'JSONObject',
      description: 'The campaign that brought the lead: source, medium, campaign, content, term.',
    }),
    capture: t.expose('capture', { type: LeadCapture, description: 'How much is known of it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    captured: t.relation('captured', {
      description:
        'Where its values come from, as far as its visitor told them: one entry a field, the last one that counts.',
      query: (_args, { viewer }) => ({ orderBy: { field: 'asc' }, where: limitOf('LeadValue', viewer) }),
    }),
    workspace: t.relation('workspace', { description: 'The workspace that it belongs to.' }),
    agent: t.relation('agent', { nullable: true, description: 'The agent that captured it.' }),
    conversations: relatedConnection(t, 'conversations', ConversationList, {
      description: 'The conversations with it.',
    }),
  }),
});

export const LeadList = defineList(Lead, 'Lead', leadList, {
  orders: {
    createdAt: 'When it was stored first.',
    updatedAt: 'When it was changed last.',
    name: 'What the person is called.',
  },
  filter: {
    capture: { type: LeadCapture, description: 'Leads of which this much is known.' },
    agentId: { type: 'ID', description: 'Leads that this agent captured.' },
    createdAt: { description: 'Leads stored first in this span of time.' },
    hasEmail: { description: 'Leads with an email address (true) or without (false).' },
    hasPhone: { description: 'Leads with a phone number (true) or without (false).' },
    ids: { type: 'ID', description: 'Leads with one of these ids.' },
    agentIds: { type: 'ID', description: 'Leads that one of these agents captured.' },
    name: { description: 'What the person is called.' },
    email: {
      description: 'The email address: `equals` and `in` mean the very address, the case of its letters aside.',
    },
    phone: {
      description: 'The phone number, as it is shown, such as +5511987654321: `equals` and `in` mean the very number.',
    },
    company: { description: 'The company that the person speaks for.' },
    site: { description: 'The address of their site.' },
    updatedAt: { description: 'Leads changed last in this span of time.' },
    utm: { description: 'Leads whose UTM data meet all of these conditions.' },
    custom: { description: 'Leads whose custom fields meet all of these conditions.' },
    agent: { list: 'Agent', description: 'Leads captured by an agent that meets this filter.' },
    conversations: {
      list: 'Conversation',
      description: 'Leads of whose conversations one at least meets this filter.',
    },
  },
  search: 'Text to find in the name, email, phone and company; case and accents do not matter.',
  groups: {
    moments: { createdAt: 'When it was stored first.', updatedAt: 'When it was changed last.' },
    by: {
      capture: { type: LeadCapture, description: 'How much is known of it.' },
      hasEmail: { description: 'Whether it has an email address.' },
      hasPhone: { description: 'Whether it has a phone number.' },
      agent: { description: 'The agent that captured it; null when none did.' },
      utm: { description: 'What the campaign that brought it says: source, medium, campaign, content or term.' },
      custom: { description: 'The value of a custom field, as a text; null when it has none.' },
    },
    distinct: {
      agentId: 'The agents that captured them.',
      email: 'Email addresses.',
      phone: 'Phone numbers.',
      company: 'The companies that people speak for.',
    },
  },
});

builder.queryFields((t) => ({
  leads: rootConnection(t, LeadList, 'The leads of the workspace, newest first.'),
  lead: rootRow(t, LeadList, 'One lead.'),
}));

const leadFields = (t: InputBuilder) => ({
  agentId: t.id({ description: 'The id of the agent that captured it.' }),
  name: t.string({ description: 'What the person is called.' }),
  email: t.string({ description: 'Email address; it is kept in lower case.' }),
  phone: t.string({
    description: 'Phone number; it is kept in E.164. Without + and a country code it is read as a Brazilian number.',
  }),
  company: t.string({ description: 'The company that the person speaks for.' }),
  site: t.string({ description: 'The site of the person or the company.' }),
  custom: t.field({
    type: 'JSONObject',
    description:
      'Values by key. A key that names an active field of the workspace must hold a value of its type: ' +
      'a text, number, true or false, one option, or a list of options. Other keys are kept as given.',
  }),
  utm: t.field({ type: 'JSONObject', description: 'Texts: source, medium, campaign, content, term.' }),
  capture: t.field({
    type: LeadCapture,
    description: 'How much is known; when left out, completed with a name and an email or phone, else partial.',
  }),
});
const answers: [string, unknown, string] = ['lead', Lead, 'The lead as it is now.'];

rowMutation('createLead', {
  description:
    'Stores a lead. At least one of name, email, phone, company, site and custom must be given. ' +
    "Where the workspace's settings say so, it is merged into an old lead with the same email or phone.",
  answers,
  input: (t) => ({ ...leadFields(t) }),
  write: createLead,
});

rowMutation('updateLead', {
  updates: { model: 'Lead' },
  description: 'Changes what is given of a lead; what is left out stays, and null takes a value away.',
  answers,
  input: (t) => ({ id: t.id({ required: true, description: 'The id of the lead.' }), ...leadFields(t) }),
  permission: 'leads.write',
  resolve: (context, { id, ...input }) => updateLead(context, id, input as never),
});

deleteMutation('deleteLead', {
  updates: { model: 'Lead' },
  description: 'Removes a lead. Its conversations stay, without a lead.',
  what: 'lead',
  write: deleteLead,
});
