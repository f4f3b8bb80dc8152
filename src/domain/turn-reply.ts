import type { Context } from '../context.ts';
import type { Agent, Conversation, Message, Turn } from '../database/generated/prisma/client.ts';
import type { Reply, ReplyRequest } from '../model/service.ts';
import { summarizeWhenFull } from './conversation-summary.ts';
import { retrievePassages } from './knowledge-bases.ts';
import type { Hearing } from './lead-capture.ts';
import { traceOf } from './message-trace.ts';
import type { Spoken } from './turn-end.ts';
import type { Turn as Asked } from './turn-input.ts';
import type { Part } from './turn-parts.ts';
import { mostSteps, stepMessages, toolsOf } from './turn-tools.ts';

/** How many passages the model is given, and how many messages of the past that its summary does not hold. */
const passageCount = 6;
const historyCount = 100;

/** An open turn that is to be answered. What is said goes to `say` while it is said; `signal` ends it. */
export type Speaking = {
  agent: Agent;
  asked: Asked;
  conversation: Conversation;
  turn: Turn;
  signal: AbortSignal;
  /** Listens for what the visitor says of themself. */
  hearing: Hearing;
  say: (piece: string) => void;
  /** Hears the calls of the agent's plugins and their results, as parts of the stream. */
  tell: (part: Part) => void;
};

/**
 * What the agent answers, oldest first: retrieves, asks the model, and calls plugins as it asks for. Nothing is stored.
 * Throws 502, 503 and 504.
 */
export async function speak(context: Context, speaking: Speaking): Promise<Spoken[]> {
  const { agent, turn, signal, say } = speaking;
  if (turn.silent) return [];
  if (agent.status === 'paused') return [{ content: agent.off ?? '', metadata: { paused: true } }];
  const started = performance.now();
  const request = { ...(await requestOf(context, speaking)), signal };
  const retrievalMs = performance.now() - started;
  const reply = await context.model.stream(request, say);
  await summarizeWhenFull(context, speaking.conversation, reply);
  return [...stepMessages(reply), spoken(agent, request, reply, retrievalMs)];
}

/**
 * The conversation behind its summary up to what is to be answered; what was said since, when it is tried again, is not
 * part of it.
 */
function historyOf(
  { database }: Context,
  { workspaceId, conversationId, heardTo }: Turn,
  { summarizedTo }: Conversation,
): Promise<Message[]> {
  const where = { workspaceId, conversationId, position: { gte: summarizedTo, lte: heardTo } };
  return database.message
    .findMany({ where, orderBy: { position: 'desc' }, take: historyCount })
    .then((messages) => messages.reverse());
}

async function requestOf(context: Context, speaking: Speaking): Promise<ReplyRequest> {
  const { agent, asked, conversation, turn, hearing } = speaking;
  const history = await historyOf(context, turn, conversation);
  const questions = history
    .filter(({ role, content }) => role === 'user' && content)
    .map(({ content }) => content ?? '');
  const question = questions.at(-1) ?? '';
  const visitor = hearing.begin(history);
  const found = await retrievePassages(context, agent.id, question, passageCount);
  // A short follow-up ("and on Sundays?") says too little alone.
  const passages =
    found.length > 0 || questions.length < 2
      ? found
      : await retrievePassages(context, agent.id, questions.slice(-2).join('\n'), passageCount);
  return {
    agent,
    visitor: await visitor,
    stage: conversation.stage,
    format: asked.format ?? (asked.jsonSchema ? 'json' : 'markdown'),
    jsonSchema: asked.jsonSchema ?? null,
    summary: conversation.summary,
    history: history as unknown as ReplyRequest['history'],
    passages,
    tools: await toolsOf(context, speaking),
    maxSteps: mostSteps[agent.behaviorType],
  };
}

function spoken(agent: Agent, request: ReplyRequest, reply: Reply, retrievalMs: number): Spoken {
  const { passages } = request;
  const places = new Map(passages.map((passage) => [passage.id, passage]));
  const references = reply.references.map((reference) => {
    const { title, url, place } = places.get(reference.passageId) ?? {};
    return { ...reference, title: title ?? null, url: url ?? null, place: place ?? {} };
  });
  return {
    content: reply.toolCalls?.length ? null : reply.content,
    toolCalls: reply.toolCalls?.length ? reply.toolCalls : null,
    metadata: {
      model: reply.model,
      ...(agent.references && { references }),
      ...(reply.finish === 'stopped' && { stopped: true }),
    },
    ...reply.usage,
    stopped: reply.finish === 'stopped',
    trace: traceOf(request, reply, retrievalMs),
  };
}
