import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, notFound } from '../../core/errors.ts';
import type { WidgetVisitor } from '../../core/viewer.ts';
import { jsonNull } from '../../database/json.ts';
import type { Greeting } from '../agents/widget-settings.ts';
import { listenTo } from '../conversations/new-messages.ts';
import { answerSatisfaction } from '../conversations/satisfaction.ts';
import type { NewMessage } from '../conversations/types.ts';
import { abortable } from '../shared/abortable-generator.ts';
import { optionalText, parseInput } from '../shared/input.ts';
import { stopTurn } from '../turns/stop.ts';
import { streamMessage, type TurnEvent } from '../turns/stream.ts';
import { findConversation, ownConversation, toWidgetConversation, visible } from './conversations.ts';
import { readAnswers } from './form.ts';
import { type Completion, completionFields, toWidgetMessage } from './messages.ts';
import { readUploads, uploadLimits } from './uploads.ts';
import type { Visitor } from './visitors.ts';

/** What the public may know about an agent. */
export const agentProfileOf = ({ agent }: Visitor) => ({
  name: agent.name,
  avatar: agent.avatar,
  color: agent.color,
  welcome: agent.welcome,
  off: agent.off,
  left: agent.left,
  references: agent.references,
  paused: agent.status === 'paused',
});

const question = z
  .object({
    conversationId: z.string().nullish(),
    content: z.string().trim().max(4_000),
    /** Handles of uploads. */
    attachments: z.array(z.string().max(2_000)).max(uploadLimits.count).nullish(),
    /** The visitor's answers to the form, with the first message. */
    lead: z.unknown().optional(),
    /** What the widget said of its own accord before the first message, if it did. */
    greeting: z.string().max(500).nullish(),
    utm: z.partialRecord(z.enum(['source', 'medium', 'campaign', 'content', 'term']), z.string().max(500)).nullish(),
  })
  .refine(({ content, attachments }) => content !== '' || attachments?.length, {
    path: ['content'],
    error: 'must not be empty without attachments',
  });

/** Identifies a repeated question, so that it is not asked twice. */
type ResumeOptions = { key: string | null; after: string | null };
type WidgetEvent = { id: string; data: object };

/**
 * Whether a request only resumes the stream of an answer, and so asks nothing. Unknown ids and failed turns do not
 * count.
 */
export async function isAnswered({ context }: Visitor, { after }: ResumeOptions): Promise<boolean> {
  const id = after?.split('.')[0];
  if (!id) return false;
  const where = { workspaceId: context.viewer.workspaceId, id, streamUntil: { gt: new Date() } };
  const turn = await context.database.turn.findFirst({ where, select: { state: true } });
  return turn !== null && turn.state !== 'failed';
}

/**
 * Sends a question to the agent, in a conversation of the visitor or a new one, and streams the answer. The first one
 * is refused without the answers that the widget's form requires. Tools and the model's input are not shown. Throws
 * what `streamMessage` throws.
 */
export async function askAgent(
  visitor: Visitor,
  body: unknown,
  resume: ResumeOptions,
): Promise<AsyncGenerator<WidgetEvent, void>> {
  const { conversationId, content, attachments, utm, lead, greeting } = parseInput(question, body);
  const stated = conversationId ? [] : await readAnswers(visitor, lead);
  const said = !conversationId && greetingsOf(visitor).find(({ text }) => text === greeting)?.text;
  const input = {
    agentId: visitor.agent.id,
    id: conversationId,
    ...(said && { messages: [{ role: 'assistant' as const, content: said }] }),
    message: { content, ...(attachments?.length && { attachments: await readUploads(visitor, attachments) }) },
    utm,
    platformUserIdentifier: visitor.id,
    // Scoped by visitor: a key must not give access to another visitor's answer.
    idempotencyKey: resume.key && `${visitor.id}.${resume.key}`,
  };
  return toWidgetEvents(visitor, await streamMessage(withStated(visitor, stated), input, resume.after));
}

/** What the site says of its user counts more than what they typed. */
function withStated({ context }: Visitor, stated: WidgetVisitor['stated'] & object): Context {
  const { viewer } = context;
  if (stated.length === 0 || !viewer.visitor) return context;
  const visitor = { ...viewer.visitor, stated: [...stated, ...(viewer.visitor.stated ?? [])] };
  return { ...context, viewer: { ...viewer, visitor } };
}

/** What the widget may say of its own accord. */
export const greetingsOf = ({ channel }: Visitor): Greeting[] => channel.greetings as Greeting[];

async function* toWidgetEvents(visitor: Visitor, events: AsyncIterable<TurnEvent>): AsyncGenerator<WidgetEvent, void> {
  for await (const event of events) {
    const data = await toWidgetPart(visitor, event);
    if (data) yield { id: event.id, data };
  }
}

const forwardedTypes = new Set(['start', 'text-start', 'text-delta', 'text-end']);

async function toWidgetPart(visitor: Visitor, { part, result }: TurnEvent): Promise<object | null> {
  if (forwardedTypes.has(part.type)) return part;
  if (part.type === 'error')
    return { type: 'error', errorText: part.errorText, message: part.message, code: part.code };
  if (part.type === 'finish')
    return { type: 'finish', messageMetadata: completionFields(part.messageMetadata as Completion) };
  if (!result) return null;
  const where = { ...ownConversation(visitor), id: result.conversationId };
  const conversation = await visitor.context.database.conversation.findFirst({ where });
  if (!conversation) return null;
  return {
    type: 'data-turn',
    data: await toWidgetConversation(visitor, conversation, { id: { in: result.messageIds } }),
  };
}

/**
 * Streams what the agent, or a person in its place, writes in a conversation of the visitor, once it is stored: after
 * the event `after`, or from the last message on. Throws 404.
 */
export async function followReplies(
  visitor: Visitor,
  conversationId: string,
  after: string | null,
): Promise<AsyncGenerator<WidgetEvent, void>> {
  const { context } = visitor;
  const where = { ...ownConversation(visitor), id: conversationId };
  if (!(await context.database.conversation.findFirst({ where, select: { id: true } }))) throw notFound('Conversation');
  const position = after && /^\d{1,9}$/.test(after) ? Number(after) : null;
  return abortable((closed) => toWidgetReplies(visitor, listenTo(context, conversationId, position), closed));
}

async function* toWidgetReplies(
  { context }: Visitor,
  messages: AsyncGenerator<NewMessage, void>,
  closed: AbortSignal,
): AsyncGenerator<WidgetEvent, void> {
  const { database, viewer } = context;
  closed.addEventListener('abort', () => void messages.return(), { once: true });
  for await (const { id, position } of messages) {
    const where = { ...visible, workspaceId: viewer.workspaceId, id, role: 'assistant' as const };
    const message = await database.message.findFirst({ where });
    if (message)
      yield { id: String(position), data: { type: 'data-message', data: toWidgetMessage(context, message) } };
  }
}

/** Stops the answer in progress in a conversation of the visitor. Throws 404. */
export async function stopAgent(visitor: Visitor, body: unknown): Promise<void> {
  const { conversationId } = parseInput(z.object({ conversationId: z.string() }), body);
  await stopTurn(visitor.context, conversationId);
}

const opinion = z.object({
  messageId: z.string(),
  rating: z.enum(['like', 'dislike']).nullable(),
  comment: optionalText(2_000).optional(),
});

const verdict = z.object({ conversationId: z.string(), satisfaction: z.unknown(), comment: z.unknown().optional() });

/**
 * Stores how satisfied the visitor was with a conversation. Throws 400, 404, and 409 before its end and a day after the
 * first answer.
 */
export async function rateConversation(visitor: Visitor, body: unknown): Promise<void> {
  const { conversationId: id, satisfaction, comment } = parseInput(verdict, body);
  const given = { satisfaction, comment } as Parameters<typeof answerSatisfaction>[2];
  const { status } = await findConversation(visitor, id);
  if (status !== 'resolved')
    throw conflict('The conversation has not ended: satisfaction can be given once it is resolved.');
  await answerSatisfaction(visitor.context, { ...ownConversation(visitor), id }, given);
}

/** Stores the visitor's rating of an answer; null removes it. Throws 404. */
export async function rateAnswer(visitor: Visitor, body: unknown): Promise<void> {
  const { messageId: id, rating, comment } = parseInput(opinion, body);
  const { workspaceId } = visitor.context.viewer;
  const { count } = await visitor.context.database.message.updateMany({
    where: { workspaceId, id, role: 'assistant', conversation: ownConversation(visitor) },
    data: { feedback: rating ? { rating, comment: comment ?? null } : jsonNull, rating },
  });
  if (count === 0) throw notFound('Message');
}
