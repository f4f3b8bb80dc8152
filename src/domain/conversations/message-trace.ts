import type { Context } from '../../context.ts';
import { may } from '../../core/permissions.ts';
import type { Transaction } from '../../database/client.ts';
import type { MessageTrace, Turn } from '../../database/generated/prisma/client.ts';
import type {
  Check,
  ModelAttempt,
  PromptSize,
  ProviderFailure,
  Reply,
  ReplyRequest,
  TokenUsage,
} from '../../model/service.ts';
import type { Retrieval } from './message-references.ts';

/**
 * How a reply came about; on a message of the caller, why it got none. Times are in milliseconds; prompt tokens are
 * estimates.
 */
export type Trace = {
  /** The model that replied; null if all attempts failed. */
  model: string | null;
  attempts: ModelAttempt[];
  /** The passages in the prompt, best first. */
  passages: { passageId: string; sourceId: string; baseId: string; score: number | null }[];
  /** Missing in older traces. */
  retrieval?: Retrieval;
  /** The last prompt of the reply; null if there was none. */
  prompt: PromptSize | null;
  /** How many rounds of plugin calls came before the answer. */
  steps: number;
  /** How many sentences a restricted agent withheld; missing in older traces. */
  withheld?: number;
  /** Missing in older traces. */
  checks?: Check[];
  retrievalMs: number;
  /** From the request to the model; null if the reply was not streamed. */
  firstTokenMs: number | null;
  totalMs: number;
  /** At the configured prices; null if the model has none. */
  cost: number | null;
  /** The lead extraction beside the reply, if a model ran one. */
  capture?: TracedCapture;
};

/** A lead extraction by a model. Its tokens and cost are not included in those of the reply. */
export type TracedCapture = TokenUsage & {
  /** Null if it failed. */
  model: string | null;
  failed: boolean;
  attempts: ModelAttempt[];
  ms: number;
  cost: number | null;
  /** The fields that it found values for. */
  fields: string[];
};

/** Adds a lead extraction that ended after the reply to the reply's trace. */
export async function recordCapture(
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
 * Stores the failed attempts of a turn with the caller's last message that it was to answer. They stay when a retry is
 * answered; the next failure replaces them.
 */
export async function recordFailure(tx: Transaction, turn: Turn, attempts: ModelAttempt[]): Promise<void> {
  const { workspaceId, conversationId, inputTo: position } = turn;
  const message = await tx.message.findFirst({
    where: { workspaceId, conversationId, position },
    select: { id: true },
  });
  if (!message || attempts.length === 0) return;
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
  const key = { workspaceId, messageId: message.id };
  await tx.messageTrace.upsert({ where: { workspaceId_messageId: key }, create: { ...key, data }, update: { data } });
}

/** The trace of a reply. `retrievalMs`: how long the search for its passages took. */
export function traceOf(
  { passages, retrieval }: ReplyRequest & { retrieval: Retrieval },
  reply: Reply,
  retrievalMs: number,
): Trace {
  const { model, attempts, prompt, steps, withheld, checks, firstTokenMs, totalMs, cost } = reply;
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
    checks,
    retrievalMs: Math.round(retrievalMs),
    firstTokenMs,
    totalMs: totalMs + Math.round(retrievalMs),
    cost,
  };
}

/** The metrics of a reply besides its tokens. Both times include the retrieval. */
export const numbersOf = ({ model, cost, totalMs, firstTokenMs, retrievalMs }: Trace) => ({
  model,
  cost,
  replyTime: totalMs,
  timeToFirstToken: firstTokenMs === null ? null : firstTokenMs + retrievalMs,
});

/** The provider's error message for a failed attempt; null unless the viewer may see it, as owners may. */
export const shownFailure = ({ viewer }: Context, { failure }: ModelAttempt): ProviderFailure | null =>
  may(viewer, 'traces.failures') ? (failure ?? null) : null;

/** The trace of a message; null if there is none or the viewer may not see it. */
export const shownTrace = ({ viewer }: Context, row: Pick<MessageTrace, 'data'> | null): Trace | null =>
  row && may(viewer, 'traces.read') ? (row.data as Trace) : null;
