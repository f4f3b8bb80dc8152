import type { ParleyError } from '../../core/errors.ts';
import type { Agent, Conversation, GapReason, Turn } from '../../database/generated/prisma/client.ts';
import type { Reply } from '../../model/service.ts';
import type { LeadExtraction } from '../leads/capture.ts';
import type { Captured } from '../leads/captured-lead.ts';
import type { CallLog } from './calls.ts';
import type { Turn as Asked } from './input.ts';
import type { NewMessage } from './store.ts';
import type { Part, TurnResult, UnwrittenParts } from './types.ts';

/**
 * A message that is allowed and understood, to an agent that takes it. `fingerprint`: the same for the same request;
 * `unread`: why its attachments could not be read by the agent's model.
 */
export type PreparedTurn = { agent: Agent; turn: Asked; fingerprint: string; unread?: string[] };

/** A turn to open: the id that its answer is to have, and the try of the same request that stored its messages and failed. */
export type TurnAttempt = { id: string; streamed: boolean; earlier: Turn | null };

/** An open turn, which is ours. `refusal`: why it may not be answered: 402, 429. */
export type OpenedTurn = { turn: Turn; conversation: Conversation; refusal: ParleyError | null };

/** `called`: messages of calls that an earlier try has made. */
export type StoredInput = { conversation: Conversation; from: number; to: number; silent: boolean; called?: string[] };

/** A message that answers. `stopped`: a person stopped it. `gap`: why it leaves what was asked without an answer. */
export type ReplyMessage = Omit<NewMessage, 'role'> & {
  role?: NewMessage['role'];
  stopped?: boolean;
  gap?: GapReason | null;
};

/** What a turn ends with: its answer, oldest first; the lead; and of its stream, whether text was told and what is not written. */
export type TurnAnswer = {
  spoken: ReplyMessage[];
  captured: Captured | null;
  told: boolean;
  unwritten: UnwrittenParts;
};

export type EndedTurn = { result: TurnResult; parts: Part[] };

/** An open turn that is to be answered. What is said goes to `say` while it is said; `signal` ends it. */
export type TurnReplyRequest = {
  agent: Agent;
  asked: Asked;
  conversation: Conversation;
  turn: Turn;
  signal: AbortSignal;
  /** Listens for what the visitor says of themself. */
  hearing: LeadExtraction;
  say: (piece: string) => void;
  /** Hears the calls of the agent's plugins and their results, as parts of the stream. */
  tell: (part: Part) => void;
  /** Notes them, for when the turn fails. */
  calls: CallLog;
};

/** What an agent says, oldest first, and the model's reply that it was made of, if one was asked. */
export type TurnReply = { spoken: ReplyMessage[]; reply: Reply | null };
