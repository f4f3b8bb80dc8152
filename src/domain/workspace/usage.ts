import type { Context } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Database, Transaction } from '../../database/client.ts';
import type { Conversation, Message, Subscription, Turn } from '../../database/generated/prisma/client.ts';
import type { JointWrite } from '../../database/query/joint-writes.ts';
import type { NewEvent } from '../shared/outbox.ts';
import { countInteraction, countWithoutEvents, type MonthlyUsage, uncountInteraction, usageOf } from './usage-store.ts';

export type { MonthlyUsage } from './usage-store.ts';

/** The query of the current month's usage and its limit, which returns a `MonthlyUsage`. */
export const currentUsage = ({ viewer, now }: Context) => usageOf(viewer.workspaceId, monthOf(now()));

/** Returns the usage of the current month and its limit. */
export async function readUsage(context: Context): Promise<MonthlyUsage> {
  permit(context, 'usage.read');
  const [usage] = await context.database.$queryRaw<[MonthlyUsage]>(currentUsage(context));
  return usage;
}

/** Returns the subscription that limits a month's usage; null if there is none. */
export async function subscriptionOf(
  { database, viewer }: Context,
  { subscriptionId: id }: MonthlyUsage,
): Promise<Subscription | null> {
  const where = subscriptionWith(id, viewer);
  return id ? database.subscription.findFirst({ where }) : null;
}

/** Selects a subscription of the viewer's workspace. Throws 403. */
export function subscriptionWith(id: string, viewer: Viewer) {
  permit({ viewer }, 'subscriptions.read');
  return { workspaceId: viewer.workspaceId, id };
}

/** The month (`YYYY-MM`, UTC) that an interaction counts towards, and the events to record after those of its rows. */
export type Reservation = { month: string; events: NewEvent[] };

/**
 * Counts an interaction before it takes place. Call it last in a short transaction: other turns of the workspace wait
 * for its end. Throws 402 `subscription_inactive` without a current
 * subscription, and 429 `usage_limit_exceeded` with `Retry-After` if the month's limit is reached.
 */
export async function reserveInteraction({ viewer, now }: Context, tx: Transaction): Promise<Reservation> {
  const time = now();
  const month = monthOf(time);
  const { max, current } = await countInteraction(tx, viewer.workspaceId, month, time);
  if (current !== null && max !== null) return { month, events: thresholdsAt({ month, current, max }) };
  if (max === null) {
    throw new ParleyError(
      'subscription_inactive',
      'The workspace has no active subscription or trial: create one with the GraphQL mutation createSubscription.',
    );
  }
  throw new ParleyError(
    'usage_limit_exceeded',
    `The ${max} interactions of ${month} are used up. The count restarts next month.`,
    {
      headers: { 'retry-after': String(secondsLeft(time)) },
    },
  );
}

/**
 * The write that counts an interaction, and its month, unless it may be refused or reaches a threshold: then it finds
 * no row, and `reserveInteraction` is to be called.
 */
export function reserveWithoutEvents({ viewer, now }: Context): { month: string; write: JointWrite } {
  const time = now();
  const month = monthOf(time);
  return { month, write: countWithoutEvents(viewer.workspaceId, month, time, thresholds) };
}

/** What an interaction was used for, and its cost, as a row that is inserted with the end of its turn. */
export function interactionOf(
  { id, workspaceId, createdAt }: Turn,
  month: string,
  { agentId, channelId }: Pick<Conversation, 'agentId' | 'channelId'>,
  answer: Partial<Pick<Message, 'model' | 'promptTokens' | 'completionTokens' | 'cachedTokens' | 'cost'>> = {},
): JointWrite {
  const { model, promptTokens, completionTokens, cachedTokens, cost } = answer;
  const consumed = { model, promptTokens, completionTokens, cachedTokens, cost };
  // Inserted only, so that concurrent interactions do not wait for each other.
  return { model: 'Interaction', rows: [{ id, workspaceId, month, agentId, channelId, createdAt, ...consumed }] };
}

/** Releases an interaction that was not used, in the month that `reserveInteraction` returned. */
export async function releaseInteraction(
  { database, viewer, now }: Context,
  month: string,
  store: Database | Transaction = database,
): Promise<void> {
  await uncountInteraction(store, viewer.workspaceId, month, now());
}

/** The percentages of the limit at which an event is recorded. */
const thresholds = [80, 100];

function thresholdsAt(used: { month: string; current: number; max: number }): NewEvent[] {
  const { month, current, max } = used;
  const percent = thresholds.findLast((share) => current === Math.ceil((max * share) / 100));
  if (percent === undefined) return [];
  return [
    { type: 'usage.threshold', data: { ...used, percent }, onceAs: `usage.threshold ${month} ${max} ${percent}` },
  ];
}

const monthOf = (time: Date) => time.toISOString().slice(0, 7);

/** Seconds until the next month (UTC) begins, at least 1. */
function secondsLeft(time: Date): number {
  const next = Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1);
  return Math.max(1, Math.ceil((next - time.getTime()) / 1_000));
}
