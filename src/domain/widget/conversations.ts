import { notFound } from '../../core/errors.ts';
import type { Conversation, Message } from '../../database/generated/prisma/client.ts';
import { shorten } from '../../text/shorten.ts';
import { mayAnswer } from '../conversations/satisfaction.ts';
import { toWidgetMessage, type WidgetMessage } from './messages.ts';
import type { Visitor } from './visitors.ts';

/** `person`: a person has taken over from the agent. */
export type WidgetConversation = {
  id: string;
  status: Conversation['status'];
  person: boolean;
  /** Their score; and whether to ask for one: it has ended lately, and they have not said, or less than a day ago. */
  satisfaction: number | null;
  asksSatisfaction: boolean;
  messages: WidgetMessage[];
};

/** Messages that a visitor sees: no tool calls. */
export const visible = {
  role: { in: ['user', 'assistant'] satisfies Message['role'][] },
  OR: [{ content: { not: null } }, { attachments: { not: [] } }],
};
/** For how long after the end a visitor is asked, in milliseconds: 30 days. */
const askedForMs = 30 * 24 * 3_600_000;
/** How many past messages a visitor sees. */
const maxMessages = 100;

/**
 * Returns a conversation of the visitor, by default the latest; null if there is none. Throws 404 for an unknown id.
 */
export async function readConversation(visitor: Visitor, id?: string): Promise<WidgetConversation | null> {
  const { database } = visitor.context;
  const where = { ...ownConversation(visitor), ...(id && { id }) };
  const conversation = await database.conversation.findFirst({
    where: id ? where : { ...where, status: { not: 'archived' } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  if (!conversation && id) throw notFound('Conversation');
  return conversation && toWidgetConversation(visitor, conversation, {});
}

/** Returns a conversation of the visitor without its messages. Throws 404. */
export async function findConversation(visitor: Visitor, id: string): Promise<Conversation> {
  const where = { ...ownConversation(visitor), id };
  const conversation = await visitor.context.database.conversation.findFirst({ where });
  if (!conversation) throw notFound('Conversation');
  return conversation;
}

/** A conversation with those of its messages that `which` selects, at most the last hundred. */
export async function toWidgetConversation(
  { context }: Visitor,
  { workspaceId, id, status, takenOverBy, satisfaction, satisfactionAt, updatedAt }: Conversation,
  which: object,
): Promise<WidgetConversation> {
  const messages = await context.database.message.findMany({
    where: { workspaceId, conversationId: id, ...visible, ...which },
    orderBy: { position: 'desc' },
    take: maxMessages,
  });
  const person = status === 'waiting_human' && takenOverBy !== null;
  const now = context.now();
  const isRecent = now.getTime() - updatedAt.getTime() < askedForMs;
  const asksSatisfaction = status === 'resolved' && isRecent && mayAnswer(satisfactionAt, now);
  return {
    id,
    status,
    person,
    satisfaction,
    asksSatisfaction,
    messages: messages.reverse().map((message) => toWidgetMessage(context, message)),
  };
}

/** A conversation in the visitor's list. `excerpt`: the beginning of its last message. */
type WidgetConversationSummary = {
  id: string;
  status: Conversation['status'];
  lastAt: Date;
  excerpt: string;
  /** Who wrote its last message: the visitor (`user`), or the agent or a person. */
  role: WidgetMessage['role'];
};

/** How many of a visitor's conversations are listed, and how much of a message. */
const maxConversations = 30;
const excerptLength = 120;

/**
 * Returns the visitor's conversations that are not archived: the newest thirty, in the order of their last messages.
 */
export async function listConversations(visitor: Visitor): Promise<WidgetConversationSummary[]> {
  const conversations = await visitor.context.database.conversation.findMany({
    where: { ...ownConversation(visitor), status: { not: 'archived' } },
    include: { messages: { where: visible, orderBy: { position: 'desc' }, take: 1 } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: maxConversations,
  });
  return conversations
    .flatMap(({ id, status, messages: [last] }) => {
      if (!last) return [];
      const { content, createdAt: lastAt, role } = last;
      return [{ id, status, lastAt, excerpt: excerptOf(content ?? ''), role: role as WidgetMessage['role'] }];
    })
    .sort((one, other) => other.lastAt.getTime() - one.lastAt.getTime());
}

const excerptOf = (text: string): string => shorten(text.replaceAll(/\s+/g, ' ').trim(), excerptLength);

/** Selects the conversations of a visitor. */
export const ownConversation = ({ context, channelId, id }: Visitor) => ({
  workspaceId: context.viewer.workspaceId,
  channelId,
  platformUserIdentifier: id,
});
