import { limitOf } from '../../src/database/query/row-limits.ts';
import { createLead, deleteLead, leadList, updateLead } from '../../src/domain/leads/leads.ts';
import { builder } from '../builder.ts';
import { ConversationList } from '../conversations/conversations.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';

const LeadCapture = builder.enumType('LeadCapture', {
  description: 'How complete a lead is. A partial lead may become completed, but never the reverse.',
  values: {
    completed: { description: 'The person is known and can be reached.' },
    partial: { description: 'Something is known, but not enough.' },
  } as const,
});

builder.prismaObject('LeadValue', {
  name: 'CapturedValue',
  description: 'A value a visitor gave in a conversation, as saved at the time. The lead may have been updated since.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'name, email, phone, company, site, or the name of a custom field.',
    }),
    value: t.expose('value', { type: 'JSON', description: 'The value given, in the type of the field.' }),
    message: t.relation('message', { description: 'The message that contains the value.' }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', description: 'When the value was saved.' }),
  }),
});

const Lead = builder.prismaNode('Lead', {
  description: 'A person or company that came from a conversation, form or import, with their known details.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the lead, the same in REST.' },
  nullable: true,
  findUnique: rowById('Lead'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace the lead belongs to.' }),
    agentId: t.exposeID('agentId', { nullable: true, description: 'ID of the agent that captured the lead.' }),
    name: t.exposeString('name', { nullable: true, description: 'The name of the person.' }),
    email: t.expose('email', { type: 'EmailAddress', nullable: true, description: 'Email address, in lower case.' }),
    phone: t.exposeString('phone', { nullable: true, description: 'Phone number in E.164, such as +5511987654321.' }),
    company: t.exposeString('company', { nullable: true, description: 'The company the person represents.' }),
    site: t.exposeString('site', { nullable: true, description: 'The website of the person or company.' }),
    custom: t.expose('custom', {
      type: 'JSONObject',
      description: 'The values of custom fields, keyed by the name of the field.',
    }),
    utm: t.expose('utm', {
      type: 'JSONObject',
      description: 'The campaign that brought the lead: source, medium, campaign, content, term.',
    }),
    capture: t.expose('capture', { type: LeadCapture, description: 'How complete the lead is.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the lead was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the lead was last updated.' }),
    captured: t.relation('captured', {
      description:
        'The values that visitors gave in conversations, with the messages that contain them: at most one per field, the last that was saved.',
      query: (_args, { viewer }) => ({ orderBy: { field: 'asc' }, where: limitOf('LeadValue', viewer) }),
    }),
    workspace: t.relation('workspace', { description: 'The workspace the lead belongs to.' }),
    agent: t.relation('agent', {
      nullable: true,
      description: 'The agent that captured the lead; `null` if none did.',
    }),
    conversations: relatedConnection(t, 'conversations', ConversationList, {
      description: 'The conversations with the lead.',
    }),
  }),
});

export const LeadList = defineList(Lead, 'Lead', leadList, {
  orders: {
    createdAt: 'When the lead was created.',
    updatedAt: 'When the lead was last updated.',
    name: 'The name of the person.',
    utm: 'A key of the UTM parameters.',
    custom: 'A key of the custom fields.',
  },
  filter: {
    capture: { type: LeadCapture, description: 'Leads that are this complete.' },
    agentId: { type: 'ID', description: 'Leads captured by this agent.' },
    createdAt: { description: 'Leads created in this time range.' },
    hasEmail: { description: 'Leads with an email address (`true`) or without (`false`).' },
    hasPhone: { description: 'Leads with a phone number (`true`) or without (`false`).' },
    ids: { type: 'ID', description: 'Leads with one of these IDs.' },
    agentIds: { type: 'ID', description: 'Leads captured by one of these agents.' },
    name: { description: 'The name of the person.' },
    email: {
      description: 'The email address. `equals` and `in` match the exact address, ignoring case.',
    },
    phone: {
      description: 'The phone number as returned, such as +5511987654321. `equals` and `in` match the exact number.',
    },
    company: { description: 'The company the person represents.' },
    site: { description: 'The website of the person or company.' },
    updatedAt: { description: 'Leads last updated in this time range.' },
    utm: { description: 'Leads whose UTM data match all of these conditions.' },
    custom: { description: 'Leads whose custom fields match all of these conditions.' },
    agent: { list: 'Agent', description: 'Leads captured by an agent that matches this filter.' },
    conversations: {
      list: 'Conversation',
      description: 'Leads with at least one conversation that matches this filter.',
    },
  },
  search: 'Text to find in the name, email, phone and company, ignoring case and accents.',
  groups: {
    moments: { createdAt: 'When the lead was created.', updatedAt: 'When the lead was last updated.' },
    by: {
      capture: { type: LeadCapture, description: 'How complete the lead is.' },
      hasEmail: { description: 'Whether the lead has an email address.' },
      hasPhone: { description: 'Whether the lead has a phone number.' },
      agent: { description: 'The agent that captured the lead; `null` if none did.' },
      utm: { description: 'A UTM value of the lead: source, medium, campaign, content or term.' },
      custom: { description: 'The value of a custom field, as a string; `null` if the lead has none.' },
    },
    distinct: {
      agentId: 'The agents that captured the leads.',
      email: 'The email addresses.',
      phone: 'The phone numbers.',
      company: 'The companies that the people represent.',
    },
  },
});

builder.queryFields((t) => ({
  leads: rootConnection(t, LeadList, 'A list of the leads in the workspace, newest first.'),
  lead: rootRow(t, LeadList, 'Returns a lead by ID.'),
}));

const leadFields = (t: InputBuilder) => ({
  agentId: t.id({ description: 'ID of the agent that captured the lead.' }),
  name: t.string({ description: 'The name of the person.' }),
  email: t.string({ description: 'Email address, stored in lower case.' }),
  phone: t.string({
    description: 'Phone number, stored in E.164. Without + and a country code, it is read as a Brazilian number.',
  }),
  company: t.string({ description: 'The company the person represents.' }),
  site: t.string({ description: 'The website of the person or company.' }),
  custom: t.field({
    type: 'JSONObject',
    description:
      'Values by key. A key that matches an active custom field of the workspace must have a value of its ' +
      'type: a string, number, boolean, one option, or a list of options. Other keys are stored as given.',
  }),
  utm: t.field({ type: 'JSONObject', description: 'Strings: source, medium, campaign, content, term.' }),
  capture: t.field({
    type: LeadCapture,
    description:
      'How complete the lead is. Defaults to `completed` with a name and an email or phone, otherwise `partial`.',
  }),
});
const payload = { field: 'lead', type: Lead, description: 'The created or updated lead.' };

rowMutation('createLead', {
  description:
    'Creates a lead. At least one of name, email, phone, company, site and custom is required. Depending on ' +
    'the settings of the workspace, it is merged into an existing lead with the same email or phone.',
  payload,
  input: (t) => ({ ...leadFields(t) }),
  write: createLead,
});

rowMutation('updateLead', {
  description: 'Updates a lead. Omitted fields are unchanged; `null` clears a value.',
  payload,
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the lead.' }), ...leadFields(t) }),
  write: updateLead,
});

deleteMutation('deleteLead', {
  description: 'Deletes a lead. Its conversations are kept, without a lead.',
  what: 'lead',
  write: deleteLead,
});
