import type { Viewer } from '../../core/viewer.ts';
import type { Channel, Conversation } from '../../database/generated/prisma/client.ts';
import type { JointWrite } from '../../database/query/joint-writes.ts';
import type { Values } from '../../database/query/write.ts';
import { type ToolCall } from '../conversations/access.ts';
import { reopened } from '../conversations/outcomes.ts';
import { retentionMs } from '../shared/idempotency/keys.ts';
import type { PreparedTurn, StoredInput, TurnAttempt } from './attempt.ts';
import type { TurnRequest } from './input.ts';
import { durationOf, insertionsOf, type MessageRows, messageRows, newConversation, storeMessages } from './store.ts';

/** How long a stream is kept after its end, in milliseconds. */
const streamMs = 3_600_000;

/** Until when the stream of a turn that ends now is kept. */
export const streamUntil = (): Date => new Date(Date.now() + streamMs);

/** `target`: the conversation to continue, or the channel on which a new one begins. */
type Given = { request: TurnRequest; target: Conversation | Channel; pending: ToolCall[]; turnId: string };

/** The caller's messages as rows, and the writes that store them. Throws 400. */
export function inputOf(
  viewer: Viewer,
  { request, target, pending: waiting, turnId }: Given,
): StoredInput & { rows: MessageRows } {
  const existing = 'messageCount' in target ? target : null;
  const inputs = [...(request.messages ?? []), ...(request.message ? [request.message] : [])];
  const { messages, pending } = storeMessages(inputs, waiting);
  const from = existing?.messageCount ?? 0;
  const messageCount = from + messages.length;
  const update = existing && {
    ...reopened(existing),
    ...(request.leadId && request.leadId !== existing.leadId && { leadId: request.leadId }),
    turnId,
    messageCount,
    duration: durationOf(existing),
    updatedAt: new Date(),
  };
  const conversation =
    'messageCount' in target
      ? { ...target, ...update }
      : newConversation(viewer, target, request, { turnId, messageCount });
  const { workspaceId, id } = conversation;
  const rows = messageRows(conversation, from, messages);
  const writes: JointWrite[] = [
    update
      ? { model: 'Conversation', where: { workspaceId, id }, update }
      : { model: 'Conversation', rows: [conversation] },
    ...insertionsOf(rows),
  ];
  const silent = inputs.at(-1)?.role === 'assistant' || pending.length > 0 || conversation.status === 'waiting_human';
  const history = existing ? undefined : rows.messages;
  return { conversation, from, to: messageCount - 1, silent, writes, rows, ...(history && { history }) };
}

/** The row of an open turn. `month`: that of its interaction; null if it is free or refused. */
export function turnRow(
  { agent, turn: { regenerate }, fingerprint }: PreparedTurn,
  { id, streamed }: TurnAttempt,
  { conversation, from, to, silent, called }: StoredInput,
  month: string | null,
): Values {
  const now = new Date();
  return {
    id,
    workspaceId: agent.workspaceId,
    agentId: agent.id,
    conversationId: conversation.id,
    fingerprint,
    inputFrom: from,
    inputTo: to,
    regenerates: Boolean(regenerate),
    silent,
    messageIds: called ?? [],
    month,
    streamUntil: streamed ? streamUntil() : null,
    createdAt: now,
    expiresAt: new Date(now.getTime() + retentionMs),
  };
}

/**
 * Previews are free. So are results of tools alone, which continue a reply that was already counted: other messages may
 * hold the calls themselves.
 */
export function isMetered({ preview }: Conversation, { message, messages }: TurnRequest): boolean {
  const inputs = [...(messages ?? []), ...(message ? [message] : [])];
  return !preview && (inputs.length === 0 || inputs.some(({ role }) => role !== 'tool'));
}
