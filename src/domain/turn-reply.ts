import type { Context } from '../context.ts';
import type { Agent, Conversation, Turn } from '../database/generated/prisma/client.ts';
import type { Reply, ReplyRequest } from '../model/service.ts';
import { readContent } from './attachment-content.ts';
import { gapReason } from './gap-reason.ts';
import { retrievePassages } from './knowledge-bases.ts';
import type { Hearing } from './lead-capture.ts';
import type { Retrieval } from './message-references.ts';
import { traceOf } from './message-trace.ts';
import type { CallLog } from './turn-calls.ts';
import type { Spoken } from './turn-end.ts';
import { turnLog } from './turn-failure.ts';
import { readHistory } from './turn-history.ts';
import type { Turn as Asked } from './turn-input.ts';
import type { Part } from './turn-parts.ts';
import { mostSteps, stepMessages, toolsOf } from './turn-tools.ts';

/** How many passages the model is given. */
const passageCount = 6;

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
  /** Notes them, for when the turn fails. */
  calls: CallLog;
};

/** What an agent says, oldest first, and the model's reply that it was made of, if one was asked. */
export type Speech = { spoken: Spoken[]; reply: Reply | null };

/**
 * What the agent answers: retrieves, asks the model, and calls plugins as it asks for. Nothing is stored. Throws 502, 503
 * and 504.
 */
export async function speak(context: Context, speaking: Speaking): Promise<Speech> {
  const { agent, turn, signal, say } = speaking;
  if (turn.silent) return { spoken: [], reply: null };
  if (agent.status === 'paused')
    return { spoken: [{ content: agent.off ?? '', metadata: { paused: true } }], reply: null };
  const started = performance.now();
  const request = { ...(await requestOf(context, speaking)), signal, log: turnLog(context.log, turn) };
  const retrievalMs = performance.now() - started;
  const reply = await context.model.stream(request, say);
  return { spoken: [...stepMessages(reply), spoken(agent, request, reply, retrievalMs)], reply };
}

type Asking = ReplyRequest & { retrieval: Retrieval };

async function requestOf(context: Context, speaking: Speaking): Promise<Asking> {
  const { agent, asked, conversation, turn, hearing } = speaking;
  const { messages, earlier } = await readHistory(context, turn, conversation);
  const { said: history, shown } = await readContent(context, speaking, messages);
  const questions = history
    .filter(({ role, content }) => role === 'user' && content)
    .map(({ content }) => content ?? '');
  const question = questions.at(-1) ?? '';
  const visitor = hearing.begin(history);
  const found = await retrievePassages(context, agent.id, question, passageCount);
  // A short follow-up ("and on Sundays?") says too little alone.
  const { passages, ...retrieval } =
    found.passages.length > 0 || questions.length < 2
      ? found
      : await retrievePassages(context, agent.id, questions.slice(-2).join('\n'), passageCount);
  return {
    agent,
    visitor: await visitor,
    stage: conversation.stage,
    format: asked.format ?? (asked.jsonSchema ? 'json' : 'markdown'),
    jsonSchema: asked.jsonSchema ?? null,
    summary: conversation.summary,
    earlier,
    history: shown,
    passages,
    retrieval,
    tools: await toolsOf(context, speaking),
    maxSteps: mostSteps[agent.behaviorType],
  };
}

function spoken(agent: Agent, request: Asking, reply: Reply, retrievalMs: number): Spoken {
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
      finishReason: reply.finish,
      ...(agent.references && { references }),
      ...(reply.finish === 'stopped' && { stopped: true }),
    },
    ...reply.usage,
    stopped: reply.finish === 'stopped',
    gap: gapReason(request, reply),
    trace: traceOf(request, reply, retrievalMs),
  };
}
