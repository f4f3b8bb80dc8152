import type { Context } from '../../context.ts';
import { searchedEmails } from '../../core/contacts/emails.ts';
import { lockNames } from '../../database/advisory.ts';
import { type Database, type Transaction, transact } from '../../database/client.ts';
import type { Lead, LeadCapture, MergeRule, Prisma } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { insertion, type Write, writeRow } from '../../database/query/write.ts';
import { foldName } from '../../text/fold.ts';
import { completable } from '../conversations/outcomes.ts';
import { mergeRuleOf } from '../workspace/settings.ts';
import { captureOf, mergeObjects, type Values, withoutNulls } from './values.ts';

/** Validated values of a lead; null means unknown. */
export type LeadValues = {
  agentId?: string | null;
  name?: string | null;
  email?: string | null;
  phone?: string | null;
  company?: string | null;
  site?: string | null;
  custom?: Values | null;
  utm?: Values | null;
  capture?: LeadCapture | null;
};
type Key = { workspaceId: string; id: string };
type Store = Database | Transaction;

/** Stores a lead as a new row, or merges it into the oldest one that matches by the workspace's rule. */
export async function addLead(context: Context, store: Store, values: LeadValues): Promise<Lead> {
  const { workspaceId } = context.viewer;
  return (await writeRow<Lead>(store, newLead(workspaceId, values))) ?? mergeLead(context, store, values);
}

/** The insertion of a lead, which inserts nothing if the workspace's rule might merge it. */
export function newLead(workspaceId: string, values: LeadValues): Write {
  const rules = mergingRules.filter((rule) => matchesOf(rule, values).length > 0);
  const insert = rowOf(workspaceId, values);
  if (rules.length === 0) return insertion('Lead', insert);
  return insertion('Lead', insert, { model: 'Settings', where: { workspaceId, merge: { in: rules } } });
}

/** Merges a lead into the oldest one that matches by the workspace's rule, or stores it if there is none. */
async function mergeLead({ database, viewer }: Context, store: Store, values: LeadValues): Promise<Lead> {
  const { workspaceId } = viewer;
  const matches = matchesOf(await mergeRuleOf(store, workspaceId), values);
  return transact(database, async (tx) => {
    const existing = await findAmong(tx, workspaceId, matches);
    const merged = existing && (await mergeIntoLead(tx, existing, values));
    return merged ?? tx.lead.create({ data: rowOf(workspaceId, values) });
  });
}

/**
 * Returns the oldest lead that matches by the workspace's rule. Concurrent searches for the same values wait until the
 * transaction ends.
 */
export async function findMatch(tx: Transaction, workspaceId: string, values: LeadValues): Promise<Key | null> {
  if (matchesOf('any', values).length === 0) return null;
  const matches = matchesOf(await mergeRuleOf(tx, workspaceId), values);
  return matches.length > 0 ? findAmong(tx, workspaceId, matches) : null;
}

async function findAmong(tx: Transaction, workspaceId: string, matches: Match[]): Promise<Key | null> {
  // Of two leads that match each other, the second waits here and then finds the first.
  const names = matches.map((match) => `lead ${workspaceId} ${JSON.stringify(match)}`);
  await lockNames(tx, names);
  return tx.lead.findFirst({
    where: { workspaceId, OR: matches },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { workspaceId: true, id: true },
  });
}

const mergingRules: MergeRule[] = ['email', 'phone', 'any'];

type Match = { email: string } | { phone: string };

function matchesOf(rule: MergeRule, { email, phone }: LeadValues): Match[] {
  const byEmail = email && (rule === 'email' || rule === 'any') ? [{ email }] : [];
  const byPhone = phone && (rule === 'phone' || rule === 'any') ? [{ phone }] : [];
  return [...byEmail, ...byPhone];
}

function rowOf(workspaceId: string, values: LeadValues): Prisma.LeadUncheckedCreateInput {
  const { capture, custom, utm, ...columns } = values;
  const createdAt = new Date();
  return {
    ...columns,
    id: newId('lead'),
    workspaceId,
    custom: asJson(custom ?? {}),
    utm: asJson(utm ?? {}),
    capture: capture ?? captureOf(values),
    searchText: searchTextOf(values),
    createdAt,
    updatedAt: createdAt,
  };
}

/**
 * Merges values into a lead: values other than null win; `custom` and `utm` are merged by key. Null if the lead does
 * not exist.
 */
export async function mergeIntoLead(tx: Transaction, key: Key, values: LeadValues): Promise<Lead | null> {
  const { capture, custom, utm, ...columns } = values;
  const lead = await changeLead(tx, key, withoutNulls(columns));
  return (
    lead &&
    resolveLead(tx, lead, { custom: mergeObjects(lead.custom, custom), utm: mergeObjects(lead.utm, utm), capture })
  );
}

/**
 * Updates columns of a lead, which locks its row, so that derived columns can be computed next. Null if it does not
 * exist.
 */
export async function changeLead(tx: Transaction, key: Key, data: Omit<LeadValues, 'capture'>): Promise<Lead | null> {
  const [lead] = await tx.lead.updateManyAndReturn({ where: key, data: data as Prisma.LeadUncheckedUpdateManyInput });
  return lead ?? null;
}

type ResolvedValues = Pick<LeadValues, 'custom' | 'utm' | 'capture'>;

/** Updates the derived columns of a locked lead: its search text, and whether it is completed. */
export async function resolveLead(tx: Transaction, lead: Lead, { capture, ...objects }: ResolvedValues): Promise<Lead> {
  const derived = derivedColumns(lead, capture);
  const same = derived.capture === lead.capture && derived.searchText === lead.searchText;
  if (derived.capture === 'completed' && lead.capture !== 'completed') await completeConversations(tx, lead);
  if (same && Object.keys(objects).length === 0) return lead;
  const data = { ...derived, ...objects } as Prisma.LeadUncheckedUpdateInput;
  return tx.lead.update({ where: { workspaceId_id: { workspaceId: lead.workspaceId, id: lead.id } }, data });
}

/**
 * What an agent asks its visitor for is known: their open conversations are completed, unless a person has taken over.
 */
export async function completeConversations(tx: Transaction, { workspaceId, id: leadId }: Lead): Promise<void> {
  await tx.conversation.updateMany({ where: { workspaceId, leadId, ...completable }, data: { stage: 'completed' } });
}

/** The derived columns of a lead with these values. */
export const derivedColumns = (lead: Searched & { capture?: LeadCapture }, asked: LeadCapture | null | undefined) => ({
  capture: lead.capture === 'completed' ? lead.capture : (asked ?? captureOf(lead)),
  searchText: searchTextOf(lead),
});

/** Selects a lead whose values that derived columns, and whether it may be changed, depend on are still those. */
export const whereUnchanged = ({ name, email, phone, company, site, capture }: Lead) => ({
  name,
  email,
  phone,
  company,
  site,
  capture,
});

type Searched = Pick<LeadValues, 'name' | 'email' | 'phone' | 'company'>;

export const searchTextOf = ({ name, email, phone, company }: Searched) =>
  foldName(name, ...searchedEmails(email), phone, company);

const asJson = (values: Values) => values as Prisma.InputJsonObject;
