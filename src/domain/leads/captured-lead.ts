import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../database/client.ts';
import type { Conversation, Lead, Turn } from '../../database/generated/prisma/client.ts';
import type { JsonValue } from '../../model/service.ts';
import { fold } from '../../text/fold.ts';
import { type CapturedValue, currentValues, isColumn } from './captured-values.ts';
import { addLead, completeConversations, findMatch, type LeadValues, mergeIntoLead } from './store.ts';
import type { Values } from './values.ts';

/** What a visitor said about themselves, and the campaign that brought them. */
export type Captured = { values: CapturedValue[]; utm: Values | null };

/**
 * Saves what a conversation says about its visitor, and in which messages: in its lead or a new one, which is merged
 * into an existing lead by the workspace's rule. Values that are already known change nothing. Returns the lead, if
 * any.
 */
export async function saveCaptured(
  context: Context,
  tx: Transaction,
  conversation: Conversation,
  turn: Pick<Turn, 'inputFrom' | 'inputTo'>,
  { values: stated, utm }: Captured,
): Promise<Lead | null> {
  const { workspaceId, leadId, agentId } = conversation;
  const values = await currentValues(tx, workspaceId, stated);
  const lead = leadId
    ? await tx.lead.findFirst({ where: { workspaceId, id: leadId } })
    : await leadOfUser(context, tx, conversation);
  const setLater = lead ? await fieldsSetLater(tx, conversation, turn, lead) : [];
  const newValues = values.filter((value) => isChanged(lead, value) && !setLater.includes(value.field));
  if (newValues.length === 0) return lead;
  const changes = { ...rowOf(lead, newValues), ...(utm && { utm }) };
  const saved = lead
    ? await addToLead(tx, conversation, lead, changes)
    : await addLead(context, tx, { agentId, ...changes });
  await saveOrigins(tx, conversation, turn, saved, newValues);
  return saved;
}

/** The lead of earlier conversations of a user whom the site has signed in: no value needs to match. */
async function leadOfUser({ viewer }: Context, tx: Transaction, conversation: Conversation): Promise<Lead | null> {
  if (!viewer.visitor?.userId) return null;
  const { workspaceId, channelId, platformUserIdentifier } = conversation;
  const earlier = await tx.conversation.findFirst({
    where: { workspaceId, channelId, platformUserIdentifier, leadId: { not: null } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { lead: true },
  });
  return earlier?.lead ?? null;
}

/** The fields that later turns set: what a slow model finds in this turn must not overwrite them. */
async function fieldsSetLater(
  tx: Transaction,
  { workspaceId, id: conversationId }: Conversation,
  { inputTo }: Pick<Turn, 'inputTo'>,
  { id: leadId }: Lead,
): Promise<string[]> {
  const message = { conversationId, position: { gt: inputTo } };
  const rows = await tx.leadValue.findMany({ where: { workspaceId, leadId, message }, select: { field: true } });
  return rows.map(({ field }) => field);
}

function isChanged(lead: Lead | null, { field, value, fillsGap }: CapturedValue): boolean {
  const current = lead && leadValue(lead, field);
  if (current === null || current === undefined) return true;
  return !fillsGap && !isDeepStrictEqual(current, value);
}

/** A lead's value for a field: a column, or a custom value by its name, ignoring case and accents. */
export function leadValue(lead: Lead, field: string): unknown {
  if (isColumn(field)) return lead[field as 'name'];
  const custom = lead.custom as Values;
  const key = keyIn(lead, field);
  return Object.hasOwn(custom, key) ? custom[key] : undefined;
}

const keyIn = (lead: Lead | null, field: string): string =>
  Object.keys((lead?.custom ?? {}) as Values).find((key) => fold(key.trim()) === fold(field)) ?? field;

function rowOf(lead: Lead | null, values: CapturedValue[]): LeadValues {
  const columns = values.filter(({ field }) => isColumn(field)).map(({ field, value }) => [field, value]);
  const custom = values.filter(({ field }) => !isColumn(field)).map(({ field, value }) => [keyIn(lead, field), value]);
  return { ...Object.fromEntries(columns), custom: Object.fromEntries(custom) as Record<string, JsonValue> };
}

/**
 * Adds values to the lead of a conversation. A lead that this conversation created is merged into an older one that now
 * matches by the workspace's rule; a lead from before the conversation keeps its identity.
 */
async function addToLead(tx: Transaction, conversation: Conversation, lead: Lead, changes: LeadValues): Promise<Lead> {
  const { workspaceId } = lead;
  const isOwn = lead.agentId === conversation.agentId && lead.createdAt >= conversation.createdAt;
  const match = isOwn ? await findMatch(tx, workspaceId, changes) : null;
  const existing = match && match.id !== lead.id ? await tx.lead.findFirst({ where: match }) : null;
  if (existing) return replaceByLead(tx, lead, existing, changes);
  const merged = await mergeIntoLead(tx, { workspaceId, id: lead.id }, changes);
  if (!merged) throw new Error('The lead of a conversation no longer exists.');
  return merged;
}

async function replaceByLead(tx: Transaction, lead: Lead, existing: Lead, changes: LeadValues): Promise<Lead> {
  const { workspaceId, name, email, phone, company, site } = lead;
  const stated = Object.entries({ ...(lead.custom as Values), ...changes.custom });
  const custom = Object.fromEntries(stated.map(([field, value]) => [keyIn(existing, field), value]));
  const utm = { ...(lead.utm as Values), ...changes.utm };
  const all = { name, email, phone, company, site, ...changes, custom, utm };
  const merged = await mergeIntoLead(tx, { workspaceId, id: existing.id }, all);
  if (!merged) throw new Error('The old lead no longer exists.');
  const ofLead = { workspaceId, leadId: lead.id };
  const origins = await tx.leadValue.findMany({ where: ofLead, select: { field: true } });
  const fields = origins.map(({ field }) => field);
  await tx.leadValue.deleteMany({ where: { workspaceId, leadId: existing.id, field: { in: fields } } });
  await tx.leadValue.updateMany({ where: ofLead, data: { leadId: existing.id } });
  await tx.conversation.updateMany({ where: ofLead, data: { leadId: existing.id } });
  if (merged.capture === 'completed') await completeConversations(tx, merged);
  await tx.lead.deleteMany({ where: { workspaceId, id: lead.id } });
  return merged;
}

/** Records the message that each value came from, replacing earlier records of the fields. */
async function saveOrigins(
  tx: Transaction,
  { workspaceId, id: conversationId }: Conversation,
  { inputFrom, inputTo }: Pick<Turn, 'inputFrom' | 'inputTo'>,
  { id: leadId }: Lead,
  values: CapturedValue[],
): Promise<void> {
  const where = { workspaceId, conversationId, role: 'user' as const, position: { gte: inputFrom, lte: inputTo } };
  const userMessages = values.some(({ from }) => from && 'index' in from)
    ? await tx.message.findMany({ where, orderBy: { position: 'asc' }, select: { id: true } })
    : [];
  const capturedAt = new Date();
  const data = values.flatMap(({ field, value, from }) => {
    const messageId = from && ('index' in from ? userMessages[from.index]?.id : from.messageId);
    return messageId ? [{ workspaceId, leadId, field, value: value as object, messageId, capturedAt }] : [];
  });
  await tx.leadValue.deleteMany({ where: { workspaceId, leadId, field: { in: values.map(({ field }) => field) } } });
  await tx.leadValue.createMany({ data });
}
