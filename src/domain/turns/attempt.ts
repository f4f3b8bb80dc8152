import type { ParleyError } from '../../core/errors.ts';
import type { Agent, Channel, Conversation, GapReason, Turn } from '../../database/generated/prisma/client.ts';
import type { JointWrite } from '../../database/query/joint-writes.ts';
import type { Reply } from '../../model/service.ts';
import type { HistoryRow } from '../attachments/content.ts';
import type { AskedQuestion } from '../knowledge/gap-notes.ts';
import type { LeadExtraction } from '../leads/capture.ts';
import type { Captured } from '../leads/captured-lead.ts';
import type { AttachedPlugin } from '../plugins/tools.ts';
import type { CallLog } from './calls.ts';
import type { TurnRequest } from './input.ts';
import type { NewMessage } from './store.ts';
import type { Part, TurnResult, UnwrittenParts } from './types.ts';

/** An agent with what its turns need, read together. */
export type TurnAgent = {
  agent: Agent;
  /** Where new conversations of the caller begin: the visitor's channel, or the agent's API channel. */
  channel: Channel | null;
  baseIds: string[];
  plugins: AttachedPlugin[];
};

/**
 * A validated and authorized request with its agent. `fingerprint` is equal for equal requests; `unread` says why the
 * agent's model cannot read its attachments.
 */
export type PreparedTurn = TurnAgent & { turn: TurnRequest; fingerprint: string; unread?: string[] };

/**
 * A turn to open: the id of its reply, and the failed attempt at the same request, which has already stored its
 * messages.
 */
export type TurnAttempt = { id: string; streamed: boolean; earlier: Turn | null };

/**
 * An open turn owned by this process. `refusal`: the 402 or 429 for which it may not be answered; `history`: the
 * messages since the summary up to those to answer, where they are known.
 */
export type OpenedTurn = {
  turn: Turn;
  conversation: Conversation;
  refusal: ParleyError | null;
  history?: HistoryRow[];
};

/**
 * The messages to answer, by their positions, and the writes that are still to store them. `called`: ids of the
 * tool-call messages of an earlier attempt.
 */
export type StoredInput = {
  conversation: Conversation;
  from: number;
  to: number;
  silent: boolean;
  called?: string[];
  writes: JointWrite[];
  /** All messages of a conversation that begins with these. */
  history?: HistoryRow[];
};

/**
 * A message of the answer. `stopped`: a person stopped it. `gap`: why it leaves the question unanswered; `question`:
 * the visitor's last message with a text, if it was read.
 */
export type ReplyMessage = Omit<NewMessage, 'role'> & {
  role?: NewMessage['role'];
  stopped?: boolean;
  gap?: GapReason | null;
  question?: AskedQuestion;
};

/**
 * What a turn ends with: its messages, oldest first; its conversation; the captured lead; whether text was streamed,
 * and the parts of the stream not yet written.
 */
export type TurnAnswer = {
  messages: ReplyMessage[];
  /** As the turn has opened it. */
  conversation: Conversation;
  captured: Captured | null;
  textStarted: boolean;
  unwritten: UnwrittenParts;
};

export type EndedTurn = { result: TurnResult; parts: Part[] };

/** An open turn to answer. `onText` receives the text as it is generated; `signal` aborts it. */
export type TurnReplyRequest = Pick<PreparedTurn, 'agent' | 'baseIds' | 'plugins'> & {
  request: TurnRequest;
  conversation: Conversation;
  turn: Turn;
  /** The messages since the summary up to those to answer, where they are known. */
  history?: HistoryRow[];
  signal: AbortSignal;
  /** Extracts the visitor's contact details. */
  extraction: LeadExtraction;
  onText: (piece: string) => void;
  /** Receives plugin calls and their results as stream parts. */
  onPart: (part: Part) => void;
  /** Records them in case the turn fails. */
  calls: CallLog;
};

/** The messages of the agent, oldest first, and the model's reply that they come from; null if no model was called. */
export type TurnReply = { messages: ReplyMessage[]; reply: Reply | null };
