import type { RowEvents } from '../shared/row-events.ts';

const eventFields = ['name', 'email', 'phone', 'company', 'site', 'custom', 'utm', 'capture'] as const;
const identity = { id: true, name: true, email: true, phone: true, company: true, site: true, agentId: true } as const;
const rest = { custom: true, utm: true, capture: true, createdAt: true, updatedAt: true } as const;

/** Webhook events of leads. */
export const leadEvents: RowEvents = {
  model: 'Lead',
  subject: 'lead',
  permission: 'leads.read',
  data: { leadId: 'id', agentId: 'agentId' },
  events: { created: { on: 'insert' }, updated: { on: 'update', changes: eventFields }, removed: { on: 'delete' } },
  read: ({ database }, where) => database.lead.findFirst({ where, select: { ...identity, ...rest } }),
};
