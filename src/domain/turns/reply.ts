import type { Context } from '../../context.ts';
import type { Agent } from '../../database/generated/prisma/client.ts';
import type { Reply, ReplyRequest } from '../../model/service.ts';
import { readContent } from '../attachments/content.ts';
import type { Retrieval } from '../conversations/message-references.ts';
import { numbersOf, traceOf } from '../conversations/message-trace.ts';
import { gapReason } from '../knowledge/gap-reason.ts';
import { askerOf, retrievePassages } from '../knowledge/knowledge-bases.ts';
import type { ReplyMessage, TurnReply, TurnReplyRequest } from './attempt.ts';
import { turnLog } from './failure.ts';
import { questionOf } from './follow-up.ts';
import { readHistory } from './history.ts';
import { mostSteps, stepMessages, toolsOf } from './tools.ts';

/** How many passages the model is given. */
const passageCount = 6;

/**
 * Generates the agent's reply: retrieves passages, calls the model, and runs the plugins that it calls. Stores nothing.
 * Throws 502, 503 and 504.
 */
export async function generateReply(context: Context, speaking: TurnReplyRequest): Promise<TurnReply> {
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

async function requestOf(context: Context, speaking: TurnReplyRequest): Promise<Asking> {
  const { agent, asked, conversation, turn, hearing } = speaking;
  const { messages, earlier } = await readHistory(context, turn, conversation);
  const { said: history, shown } = await readContent(context, speaking, messages);
  const questions = history
    .filter(({ role, content }) => role === 'user' && content)
    .map(({ content }) => content ?? '');
  const question = questionOf(questions);
  const visitor = hearing.begin(history);
  const asker = askerOf(agent, asked.sourceTags);
  const found = await retrievePassages(context, asker, question, passageCount);
  // A question that finds nothing by itself may find something together with the one before it.
  const { passages, ...retrieval } =
    found.passages.length > 0 || questions.length < 2
      ? found
      : await retrievePassages(context, asker, questions.slice(-2).join('\n'), passageCount);
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

function spoken(agent: Agent, request: Asking, reply: Reply, retrievalMs: number): ReplyMessage {
  const { passages } = request;
  const places = new Map(passages.map((passage) => [passage.id, passage]));
  const references = reply.references.map((reference) => {
    const { title, url, place } = places.get(reference.passageId) ?? {};
    return { ...reference, title: title ?? null, url: url ?? null, place: place ?? {} };
  });
  const trace = traceOf(request, reply, retrievalMs);
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
    ...numbersOf(trace),
    stopped: reply.finish === 'stopped',
    gap: gapReason(request, reply),
    trace,
  };
}
