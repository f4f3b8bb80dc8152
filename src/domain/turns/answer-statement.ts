import type { Conversation, Message, Turn } from '../../database/generated/prisma/client.ts';
import { type JointWrite, type WriteStore, writeAndRead } from '../../database/query/joint-writes.ts';
import { insertionsOf, type MessageRows } from './store.ts';
import { savingParts } from './stream-store.ts';
import type { TurnResult, UnwrittenParts } from './types.ts';

type ChangedRow = Extract<JointWrite, { update: unknown }>;

/**
 * What a turn ends with: the changes of its conversation and of its row, new rows, and the end of its stream, if any.
 */
type AnswerWrites = {
  conversation: ChangedRow;
  turn: ChangedRow;
  rows: MessageRows;
  interaction: JointWrite[];
  parts: UnwrittenParts | null;
  /** What records that the question has no answer. */
  gap?: JointWrite[];
};

/** The rows of an answered turn as the database returned them when it stored them. */
type AnswerRows = { conversation: Conversation; messages: Message[] };

/**
 * Ends an answered turn with one statement. Resolves to null, and stores nothing, if the conversation, given as the
 * turn opened it, has changed in what the answer depends on, or the condition finds no row.
 */
export async function answerInOneStatement(
  store: WriteStore,
  { workspaceId, id }: Turn,
  { messageCount }: Conversation,
  { conversation, turn, rows, interaction, parts, gap = [] }: AnswerWrites,
  condition: JointWrite[] = [],
): Promise<AnswerRows | null> {
  if (rows.files.length > 0) return null;
  const insertions = insertionsOf(rows);
  const batch = parts ? [savingParts(workspaceId, [{ turnId: id, ...parts }])] : [];
  const where = { ...conversation.where, turnId: id, messageCount };
  const writes = [...condition, { ...conversation, where }, turn, ...insertions, ...interaction, ...batch, ...gap];
  const hasMessages = rows.messages.length > 0;
  const first = condition.length;
  // Messages are written only if the row of the turn was changed.
  const last = first + (hasMessages ? 2 : 1);
  const written = await writeAndRead(store, writes, [first, last]);
  const [changed] = written<Conversation>(first);
  const lastRows = written<Message>(last);
  if (!changed || lastRows.length === 0) return null;
  return { conversation: changed, messages: hasMessages ? lastRows : [] };
}

const remembered = new WeakMap<TurnResult, AnswerRows>();

/**
 * Remembers the rows of a result that this process has just written, so that its first reader need not read them back.
 */
export const rememberRows = (result: TurnResult, rows: AnswerRows): void => void remembered.set(result, rows);

/** The rows of a result; undefined if another process wrote them, or more than one statement did. */
export const rememberedRows = (result: TurnResult): AnswerRows | undefined => remembered.get(result);
