import type { Context } from '../../context.ts';
import { may } from '../../core/permissions.ts';
import type { Transaction } from '../../database/client.ts';
import type { MessageTrace, Turn } from '../../database/generated/prisma/client.ts';
import type {
  ModelAttempt,
  PromptSize,
  ProviderFailure,
  Reply,
  ReplyRequest,
  TokenUsage,
} from '../../model/service.ts';
import type { Retrieval } from './message-references.ts';

/** How a reply came about, or why none did, with the message that it answers. Times are in milliseconds, tokens of the prompt by estimate. */
export type Trace = {
  /** The name of the model that answered; null when all tries failed. */
  model: string | null;
  attempts: ModelAttempt[];
  /** What the model was sent to answer from, best first. */
  passages: { passageId: string; sourceId: string; baseId: string; score: number | null }[];
  /** What was searched for, and where; not there in older traces. */
  retrieval?: Retrieval;
  /** The last prompt of the reply; null where there is none. */
  prompt: PromptSize | null;
  /** How often the model called tools of the service before it answered. */
  steps: number;
  /** How many sentences of a restricted agent were not told; not there in older traces. */
  withheld?: number;
  retrievalMs: number;
  /** Since the model was asked; null for a reply that was not streamed to us. */
  firstTokenMs: number | null;
  totalMs: number;
  /** By the configured prices; null where the model has none. */
  cost: number | null;
  /** How a model read, beside the reply, what the visitor said of themself. Not there when none did. */
  capture?: TracedCapture;
};

/** How a model read what a visitor said of themself; its tokens and their cost are not among those of the reply. */
export type TracedCapture = TokenUsage & {
  /** Null when it failed. */
  model: string | null;
  failed: boolean;
  attempts: ModelAttempt[];
  ms: number;
  cost: number | null;
  /** The fields that it found values of. */
  fields: string[];
};

/** Adds to the trace of a reply how the visitor was read, when that was done after it. */
export async function noteCapture(
  tx: Transaction,
  workspaceId: string,
  messageId: string,
  capture: TracedCapture,
): Promise<void> {
  const where = { workspaceId_messageId: { workspaceId, messageId } };
  const row = await tx.messageTrace.findUnique({ where });
  if (row) await tx.messageTrace.update({ where, data: { data: { ...(row.data as object), capture } } });
}

/**
 * Keeps with the last message of the caller that a turn was to answer what its models failed with. It stays when the next
 * try is answered, and the next failure takes its place.
 */
export async function noteFailure(tx: Transaction, turn: Turn, attempts: ModelAttempt[]): Promise<void> {
  const { workspaceId, conversationId, heardTo: position } = turn;
  const said = await tx.message.findFirst({ where: { workspaceId, conversationId, position }, select: { id: true } });
  if (!said || attempts.length === 0) return;
  const data: Trace = {
    model: null,
    attempts,
    passages: [],
    prompt: null,
    steps: 0,
    retrievalMs: 0,
    firstTokenMs: null,
    totalMs: attempts.reduce((sum, { ms }) => sum + ms, 0),
    cost: null,
  };
  const key = { workspaceId, messageId: said.id };
  await tx.messageTrace.upsert({ where: { workspaceId_messageId: key }, create: { ...key, data }, update: { data } });
}

/** What there is to know of a reply to a request whose passages were found in `retrievalMs`. */
export function traceOf(
  { passages, retrieval }: ReplyRequest & { retrieval: Retrieval },
  reply: Reply,
  retrievalMs: number,
): Trace {
  const { model, attempts, prompt, steps, withheld, firstTokenMs, totalMs, cost } = reply;
  return {
    model,
    attempts,
    passages: passages
      .slice(0, prompt.shown)
      .map(({ id, sourceId, baseId, score = null }) => ({ passageId: id, sourceId, baseId, score })),
    retrieval,
    prompt,
    steps: steps.length,
    withheld,
    retrievalMs: Math.round(retrievalMs),
    firstTokenMs,
    totalMs: totalMs + Math.round(retrievalMs),
    cost,
  };
}

/** The numbers of a reply that it is measured by, beside its tokens; both times count from where its passages were looked for. */
export const numbersOf = ({ model, cost, totalMs, firstTokenMs, retrievalMs }: Trace) => ({
  model,
  cost,
  replyTime: totalMs,
  timeToFirstToken: firstTokenMs === null ? null : firstTokenMs + retrievalMs,
});

/** What the provider said when a model failed, for owners; null for everybody else. */
export const shownFailure = ({ viewer }: Context, { failure }: ModelAttempt): ProviderFailure | null =>
  may(viewer, 'traces.failures') ? (failure ?? null) : null;

/** The trace of a message, for who may see it; null for everybody else, and for messages that have none. */
export const shownTrace = ({ viewer }: Context, row: MessageTrace | null): Trace | null =>
  row && may(viewer, 'traces.read') ? (row.data as Trace) : null;
