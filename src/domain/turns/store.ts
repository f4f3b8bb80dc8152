import type { Context } from '../../context.ts';
import { invalid, notFound, ParleyError } from '../../core/errors.ts';
import { actorOf, type Viewer } from '../../core/viewer.ts';
import type { Transaction } from '../../database/client.ts';
import type { Agent, Channel, Conversation, Message, Turn } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import type { JointWrite } from '../../database/query/joint-writes.ts';
import type { Values } from '../../database/query/write.ts';
import { beginningOf } from '../../text/shorten.ts';
import type { Attachment } from '../attachments/attachments.ts';
import type { ToolCall } from '../conversations/access.ts';
import type { MessageInput, TurnRequest } from './input.ts';
import type { TurnKey } from './types.ts';

export type NewMessage = Partial<Omit<Message, 'toolCalls' | 'feedback' | 'metadata' | 'attachments'>> & {
  role: Message['role'];
  toolCalls?: ToolCall[] | null;
  metadata?: object;
  attachments?: object[];
  /** Stored in the message's `MessageTrace`. */
  trace?: object;
};

/** Returns a turn; null if it does not exist. */
export const findTurn = ({ database }: Context, { workspaceId, id }: TurnKey): Promise<Turn | null> =>
  database.turn.findUnique({ where: { workspaceId_id: { workspaceId, id } } });

/** Returns the conversation of a first message, which the caller inserts. */
export function newConversation(
  viewer: Viewer,
  channel: Channel,
  turn: TurnRequest,
  opening: Pick<Conversation, 'turnId' | 'messageCount'>,
): Conversation {
  const { workspaceId, visitor } = viewer;
  const now = new Date();
  return {
    id: newId('conversation'),
    workspaceId,
    agentId: channel.agentId,
    channelId: channel.id,
    leadId: turn.leadId ?? null,
    title: titleOf(turn),
    platform: channel.platform,
    context: { ...contextOf(turn), ...(visitor?.userId && { user: visitor.userId }) },
    platformUserIdentifier: visitor?.id ?? turn.platformUserIdentifier ?? '',
    stage: 'identify',
    preview: turn.preview ?? false,
    summary: null,
    summarizedTo: 0,
    status: 'active',
    outcome: null,
    satisfaction: null,
    satisfactionComment: null,
    satisfactionAt: null,
    duration: 0,
    handedOver: false,
    takenOverBy: null,
    takenOverAt: null,
    chatOwner: turn.chat ? actorOf(viewer) : null,
    chatId: turn.chat ?? null,
    branchedFromId: null,
    branchedAtId: null,
    createdAt: now,
    updatedAt: now,
    ...opening,
  };
}

/**
 * The API channel of an agent that had none, on which a conversation of the caller begins. Throws 404 for a visitor.
 */
export async function newChannel({ viewer, secrets }: Context, tx: Transaction, agent: Agent): Promise<Channel> {
  if (viewer.visitor) throw notFound('Channel');
  const where = { workspaceId: agent.workspaceId, agentId: agent.id, platform: 'api' as const, removedAt: null };
  const existing = await tx.channel.findFirst({ where, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  if (existing) return existing;
  const actor = actorOf(viewer);
  const data = { id: newId('channel'), credentialsCipher: secrets.encrypt('{}'), createdBy: actor, updatedBy: actor };
  return tx.channel.create({ data: { ...where, ...data } });
}

/** Rows of new messages, and of their traces; and the files that the messages refer to. */
export type MessageRows = { messages: Message[]; traces: Values[]; files: string[] };

/** Returns messages as rows of a conversation, at the positions from `first` on, which the caller has reserved. */
export function messageRows(
  { workspaceId, id: conversationId, agentId, channelId }: Conversation,
  first: number,
  newMessages: NewMessage[],
): MessageRows {
  const createdAt = new Date();
  const messages = newMessages.map(({ trace: _, ...message }, index) => ({
    ...noMessage,
    createdAt,
    ...defined(message as Partial<Message>),
    role: message.role,
    id: message.id ?? newId('message'),
    workspaceId,
    conversationId,
    agentId,
    channelId,
    position: first + index,
    updatedAt: createdAt,
  }));
  const files = newMessages.flatMap(({ attachments = [] }) =>
    (attachments as Attachment[]).flatMap(({ file }) => file ?? []),
  );
  const traces = newMessages.flatMap(({ trace }, index) =>
    trace ? [{ workspaceId, messageId: messages[index]?.id, data: trace, createdAt }] : [],
  );
  return { messages, traces, files };
}

/** The writes of such rows; none without rows. */
export const insertionsOf = ({ messages, traces }: MessageRows): JointWrite[] => [
  ...(messages.length > 0 ? [{ model: 'Message' as const, rows: messages }] : []),
  ...(traces.length > 0 ? [{ model: 'MessageTrace' as const, rows: traces }] : []),
];

/** The columns that a message may leave out. */
const noMessage = {
  name: null,
  content: null,
  toolCallId: null,
  toolCalls: null,
  feedback: null,
  metadata: {},
  attachments: [],
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  model: null,
  cost: null,
  replyTime: null,
  timeToFirstToken: null,
  rating: null,
  createdBy: null,
  searchNumber: null,
};

const defined = <Values extends object>(values: Values): { [Key in keyof Values]: NonNullable<Values[Key]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;

/** Seconds from the start of a conversation until now, when a message is added. */
export const durationOf = ({ createdAt }: Pick<Conversation, 'createdAt'>): number =>
  Math.max(0, Math.round((Date.now() - createdAt.getTime()) / 1_000));

/**
 * Turns the caller's input into messages to store. Tool results are matched with pending calls; calls that are still
 * pending when another message comes are closed as not executed. Throws 400 `unknown_tool_call`.
 */
export function storeMessages(
  input: MessageInput[],
  pending: ToolCall[],
): { messages: NewMessage[]; pending: ToolCall[] } {
  let unanswered = pending;
  const messages: NewMessage[] = [];
  for (const message of input) {
    if (message.role === 'tool') {
      const answered = unanswered.find((call) => call.id === message.toolCallId);
      if (!answered) throw unknownToolCall(message.toolCallId);
      unanswered = unanswered.filter((call) => call !== answered);
    } else {
      messages.push(...unanswered.map(notExecuted));
      unanswered = message.toolCalls ?? [];
    }
    messages.push(toMessage(message));
  }
  return { messages, pending: unanswered };
}

/** How many of the last messages say which tool calls have no result yet: more than one message may have calls. */
export const callsCount = 65;

/** The tool calls of a conversation that have no result yet. */
export async function pendingCalls(tx: Transaction, { workspaceId, id }: Conversation): Promise<ToolCall[]> {
  const recent = await tx.message.findMany({
    where: { workspaceId, conversationId: id },
    orderBy: { position: 'desc' },
    take: callsCount,
    select: { role: true, toolCallId: true, toolCalls: true },
  });
  return pendingIn(recent);
}

/** The tool calls without a result, given the last messages, newest first. */
export function pendingIn(recent: Pick<Message, 'role' | 'toolCallId' | 'toolCalls'>[]): ToolCall[] {
  const lastIndex = recent.findIndex(({ role }) => role !== 'tool');
  const last = recent[lastIndex];
  if (last?.role !== 'assistant' || !Array.isArray(last.toolCalls)) return [];
  const answered = new Set(recent.slice(0, lastIndex).map(({ toolCallId }) => toolCallId));
  return (last.toolCalls as ToolCall[]).filter((call) => !answered.has(call.id));
}

function toMessage(input: MessageInput): NewMessage {
  const { role, content, name, toolCallId, toolCalls, createdAt, metadata, attachments, written } = input;
  return {
    ...written,
    role,
    content: content ?? null,
    name: name ?? null,
    toolCallId: role === 'tool' ? (toolCallId ?? null) : null,
    ...(toolCalls?.length && { toolCalls }),
    metadata: metadata ?? {},
    attachments: attachments ?? [],
    ...(createdAt && { createdAt }),
  };
}

const notExecuted = ({ id, name }: ToolCall): NewMessage => ({
  role: 'tool',
  name,
  toolCallId: id,
  content: 'not executed',
});

function unknownToolCall(id: string | null | undefined): ParleyError {
  const { issues } = invalid(`toolCallId: no call with the id ${id} is waiting for a result in this conversation.`);
  return new ParleyError('unknown_tool_call', 'The tool message matches no waiting call: see issues.', { issues });
}

function titleOf({ message, messages }: TurnRequest): string {
  const firstMessage = [...(messages ?? []), ...(message ? [message] : [])].find(
    ({ role, content }) => role === 'user' && content,
  );
  return beginningOf((firstMessage?.content ?? '').replace(/\s+/g, ' ').trim(), 80);
}

function contextOf({ utm, format }: TurnRequest): object {
  return { ...(utm && { utm }), ...(format && { format }) };
}
