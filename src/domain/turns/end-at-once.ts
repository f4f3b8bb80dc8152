import type { Context } from '../../context.ts';
import type { Conversation, Message, Turn } from '../../database/generated/prisma/client.ts';
import { type JointWrite, writeAndRead } from '../../database/query/write-together.ts';
import { insertionsOf, type MessageRows } from './store.ts';
import { savingParts } from './stream-store.ts';
import type { UnwrittenParts } from './types.ts';

type ChangedRow = Extract<JointWrite, { update: unknown }>;

/** What a turn ends with: the changes of its conversation and of its row, new rows, and the end of its stream, if any. */
type AnswerWrites = {
  conversation: ChangedRow;
  turn: ChangedRow;
  rows: MessageRows;
  interaction: JointWrite[];
  parts: UnwrittenParts | null;
};

/** The rows of an answered turn as the database returned them when it stored them. */
export type AnswerRows = { conversation: Conversation; messages: Message[] };

/**
 * Ends an answered turn with one statement. Resolves to null, and stores nothing, if the conversation, given as the turn
 * opened it, has changed in what the answer depends on.
 */
export async function answerAtOnce(
  { database }: Pick<Context, 'database'>,
  { workspaceId, id }: Turn,
  { messageCount }: Conversation,
  { conversation, turn, rows, interaction, parts }: AnswerWrites,
): Promise<AnswerRows | null> {
  if (rows.files.length > 0) return null;
  const insertions = insertionsOf(rows);
  const batch = parts ? [savingParts(workspaceId, id, parts)] : [];
  const where = { ...conversation.where, turnId: id, messageCount };
  const writes = [{ ...conversation, where }, turn, ...insertions, ...interaction, ...batch];
  const written = await writeAndRead(database, writes, [0, 1, ...(rows.messages.length > 0 ? [2] : [])]);
  const [changed] = written<Conversation>(0);
  if (!changed || written<Turn>(1).length === 0) return null;
  return { conversation: changed, messages: rows.messages.length > 0 ? written<Message>(2) : [] };
}
