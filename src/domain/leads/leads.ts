import type { z } from 'zod';
import { searchedEmails } from '../../core/contacts/emails.ts';
import { conflict, invalid, notFound } from '../../core/errors.ts';
import { type Transaction, transact } from '../../database/client.ts';
import type { Lead, LeadCapture } from '../../database/generated/prisma/client.ts';
import type { Where } from '../../database/query/delegate.ts';
import { findRow } from '../../database/query/find-row.ts';
import { change, isEmpty, removal } from '../../database/query/write.ts';
import { FoldedColumns } from '../../lists/folded.ts';
import { listRule } from '../../lists/list.ts';
import { containsName, foldName } from '../../text/fold.ts';
import { completable } from '../conversations/outcomes.ts';
import { customRules, lockCustomShared, sized } from '../fields/custom-values.ts';
import { parseInput } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import {
  addLead,
  changeLead,
  derivedColumns,
  type LeadValues,
  newLead,
  resolveLead,
  searchTextOf,
  whereUnchanged,
} from './store.ts';
import { anyValueSchema, hasAnyValue, leadInput, type Values } from './values.ts';

export const leadList = listRule({
  model: 'Lead',
  permission: 'leads.read',
  analytics: { except: ['name', 'email', 'phone', 'company', 'site', 'custom'] },
  orders: {
    createdAt: { type: 'date' },
    updatedAt: { type: 'date' },
    name: { type: 'text', columns: { asc: 'nameRising', desc: 'nameFalling' } },
    utm: { type: 'key' },
    custom: { type: 'key' },
  },
  filters: {
    capture: { kind: 'in', column: 'capture' },
    agentId: { kind: 'equals', column: 'agentId', nullable: true },
    createdAt: { kind: 'range', column: 'createdAt' },
    hasEmail: { kind: 'present', column: 'email' },
    hasPhone: { kind: 'present', column: 'phone' },
    ids: { kind: 'in', column: 'id' },
    agentIds: { kind: 'in', column: 'agentId', nullable: true },
    name: { kind: 'text', column: 'name', nullable: true },
    email: { kind: 'text', column: 'email', nullable: true, isExact: true },
    phone: { kind: 'text', column: 'phone', nullable: true, isExact: true },
    company: { kind: 'text', column: 'company', nullable: true },
    site: { kind: 'text', column: 'site', nullable: true },
    updatedAt: { kind: 'range', column: 'updatedAt' },
    utm: { kind: 'keys', column: 'utm' },
    custom: { kind: 'keys', column: 'custom' },
    agent: { kind: 'relation', relation: 'agent', model: 'Agent' },
    conversations: { kind: 'relation', relation: 'conversations', model: 'Conversation', isMany: true },
  },
  search: (term) => ({ searchText: containsName(term) }),
  groups: {
    moments: ['createdAt', 'updatedAt'],
    by: {
      capture: { kind: 'value', column: 'capture' },
      hasEmail: { kind: 'present', column: 'email' },
      hasPhone: { kind: 'present', column: 'phone' },
      agent: { kind: 'related', column: 'agentId', model: 'Agent', allowed: ['name'] },
      utm: { kind: 'key', column: 'utm' },
      custom: { kind: 'key', column: 'custom' },
    },
    distinct: ['agentId', 'email', 'phone', 'company'],
  },
});

type LeadInput = z.input<typeof leadInput> & { custom?: Values | null };

const emptyLead = 'At least one of name, email, phone, company, site and custom is required.';

/**
 * Stores a new lead, or merges it into an existing one if the workspace's settings say so. Without `capture` it is
 * completed if it has a name and an email or phone, else partial. Throws 400 `invalid_request`, and 404 for the agent.
 */
export const createLead = rowWrite({
  model: 'Lead',
  permission: 'leads.write',
  prepare: (context, input: LeadInput) => {
    if (hasKeys(input.custom)) return null;
    return newLead(context.viewer.workspaceId, parseNewLead(plainLead, input));
  },
  fallback: (context, input): Promise<Lead> =>
    transact(context.database, async (tx) => {
      const { given, rules } = await lockRules(tx, context.viewer.workspaceId, input);
      return addLead(context, tx, parseNewLead(rules, given));
    }),
});

function parseNewLead(rules: typeof plainLead, input: LeadInput) {
  const values = parseInput(rules, input);
  if (!hasAnyValue(values)) throw invalid(emptyLead);
  return values;
}

/**
 * Updates the given fields of a lead; `custom` and `utm` are replaced as a whole. A lead with a name and an email or
 * phone becomes completed and stays so: setting it to partial throws 409 `conflict`. Throws 400 and 404.
 */
export const updateLead = rowWrite({
  model: 'Lead',
  permission: 'leads.write',
  prepare: async (context, { id, ...input }: LeadInput & { id: string }) => {
    if (hasKeys(input.custom)) return null;
    const { capture, data } = changesOf(parseInput(plainLead, input));
    const old = isEmpty(data) ? null : await findRow(context, 'Lead', rowWithId(context, id));
    const lead = { ...old, ...data };
    // Without these, it depends on `custom`, or on there being a row, whether the lead may be changed like this.
    if (!old || !hasAnyValue({ ...lead, custom: {} })) return null;
    requireOnward(old, capture);
    const derived = derivedColumns(lead, capture);
    if (derived.capture !== old.capture) {
      const where = { workspaceId: context.viewer.workspaceId, leadId: id, ...completable };
      if (await context.database.conversation.findFirst({ where, select: { id: true } })) return null;
    }
    return change('Lead', { ...rowWithId(context, id), ...whereUnchanged(old) }, { ...data, ...derived } as never);
  },
  prepareUnread: (context, { id, ...input }: LeadInput & { id: string }) => {
    if (hasKeys(input.custom)) return null;
    const { capture, data } = changesOf(parseInput(plainLead, input));
    if (isEmpty(data)) return null;
    const where = { ...rowWithId(context, id), AND: conditionsOf(data, capture) };
    return change('Lead', where, { ...data, searchText: searchTextAfter(data) } as never);
  },
  fallback: (context, { id, ...input }): Promise<Lead> =>
    transact(context.database, async (tx) => {
      const { given, rules } = await lockRules(tx, context.viewer.workspaceId, input);
      const { capture, data } = changesOf(parseInput(rules, given));
      const lead = await changeLead(tx, rowWithId(context, id), data);
      if (!lead) throw notFound('Lead');
      if (!hasAnyValue(lead)) throw invalid(emptyLead);
      requireOnward(lead, capture);
      return resolveLead(tx, lead, { capture });
    }),
});

/** The columns that a request changes, and the capture that it asks for. */
function changesOf({ capture, custom, utm, ...columns }: z.output<typeof plainLead>) {
  const data = {
    ...columns,
    ...(custom !== undefined && { custom: custom ?? {} }),
    ...(utm !== undefined && { utm: utm ?? {} }),
  };
  return { capture, data };
}

/** Throws 409 `conflict` if a completed lead would become partial. */
function requireOnward({ capture }: Pick<Lead, 'capture'>, asked: LeadCapture | null | undefined): void {
  if (asked === 'partial' && capture === 'completed') throw conflict('A completed lead cannot become partial again.');
}

/** Deletes a lead. Its conversations are kept, without a lead. Throws 404. */
export const deleteLead = rowWrite({
  model: 'Lead',
  permission: 'leads.delete',
  prepare: (context, { id }: { id: string }) => {
    const { workspaceId } = context.viewer;
    const detach = { model: 'Conversation', where: { workspaceId, leadId: id }, update: { leadId: null } } as const;
    return removal('Lead', rowWithId(context, id), detach);
  },
});

/** Returns the input with its rules. Locks the workspace's fields until the transaction ends. */
async function lockRules(tx: Transaction, workspaceId: string, input: LeadInput) {
  if (!hasKeys(input.custom)) return { given: input, rules: plainLead };
  const custom = await lockCustomShared(tx, workspaceId, input.custom);
  const rules = leadInput.extend({ custom: await customRules(tx, workspaceId, custom) });
  return { given: { ...input, custom }, rules: rules as typeof plainLead };
}

const hasKeys = (custom: LeadInput['custom']): boolean => Object.keys(custom ?? {}).length > 0;

/** Built once: zod compiles a schema on first use. */
export const plainLead = leadInput.extend({ custom: sized }).meta(anyValueSchema);

type Contact = Pick<LeadValues, 'name' | 'email' | 'phone' | 'company' | 'site'>;
type Column = keyof Contact;

const searched = ['name', 'email', 'phone', 'company'] as const;
const always: Where = {};
const never: Where = { OR: [] };

/**
 * What must hold of a lead that was not read so that it may be changed to these values and stays as completed as it is,
 * which changes nothing else.
 */
function conditionsOf(data: Contact, asked: LeadCapture | null | undefined): Where[] {
  const says = (column: Column) => {
    const value = data[column];
    return value === undefined ? { [column]: { gt: '' } } : value ? always : never;
  };
  const lacks = (column: Column) => {
    const value = data[column];
    return value === undefined ? { [column]: null } : value ? never : always;
  };
  const isPartial = { OR: [lacks('name'), { AND: [lacks('email'), lacks('phone')] }] };
  // A domain in Punycode is also found as people write it.
  const isPlain = { OR: [{ email: null }, { NOT: { email: { contains: 'xn--' } } }] };
  return [
    { OR: [...searched, 'site' as const].map(says) },
    asked ? { capture: asked } : { OR: [{ capture: 'completed' }, isPartial] },
    ...(data.email === undefined && isSearched(data) ? [isPlain] : []),
  ];
}

const isSearched = (data: Contact): boolean => searched.some((column) => data[column] !== undefined);

/** The search text of a lead that was not read, once it has these values; undefined if they do not change it. */
function searchTextAfter(data: Contact): FoldedColumns | string | undefined {
  if (!isSearched(data)) return undefined;
  if (searched.every((column) => data[column] !== undefined)) return searchTextOf(data);
  const texts = searched.flatMap((column): FoldedColumns['texts'] => {
    const value = data[column];
    if (value === undefined) return [{ column }];
    const written = column === 'email' ? searchedEmails(value) : [value];
    return written.some(Boolean) ? [foldName(...written)] : [];
  });
  return new FoldedColumns(texts);
}
