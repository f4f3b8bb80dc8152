import type { Context } from '../../context.ts';
import type { Agent } from '../../database/generated/prisma/client.ts';
import type { Reply, ReplyRequest } from '../../model/service.ts';
import { fold } from '../../text/fold.ts';
import { queryWords } from '../../text/lexemes.ts';
import { readContent } from '../attachments/content.ts';
import type { Retrieval } from '../conversations/message-references.ts';
import { numbersOf, traceOf } from '../conversations/message-trace.ts';
import type { AskedQuestion } from '../knowledge/gap-notes.ts';
import { gapReason } from '../knowledge/gap-reason.ts';
import { retrievePassages } from '../knowledge/knowledge-bases.ts';
import type { Tags } from '../shared/tags.ts';
import type { ReplyMessage, TurnReply, TurnReplyRequest } from './attempt.ts';
import { turnLog } from './failure.ts';
import { readHistory } from './history.ts';
import { maxSteps, stepMessages, toolsOf } from './tools.ts';

/** How many passages the model is given. */
const passageCount = 6;

/**
 * Generates the agent's reply: retrieves passages, calls the model, and runs the plugins that it calls. Stores nothing.
 * Throws 502, 503 and 504.
 */
export async function generateReply(context: Context, turnRequest: TurnReplyRequest): Promise<TurnReply> {
  const { agent, turn, signal, onText } = turnRequest;
  if (turn.silent) return { messages: [], reply: null };
  if (agent.status === 'paused')
    return { messages: [{ content: agent.off ?? '', metadata: { paused: true } }], reply: null };
  const started = performance.now();
  const prepared = await requestOf(context, turnRequest);
  const request = { ...prepared, isFollowed: turn.streamUntil !== null, signal, log: turnLog(context.log, turn) };
  const retrievalMs = performance.now() - started;
  const reply = await context.model.stream(request, onText);
  return { messages: [...stepMessages(reply), replyMessage(agent, request, reply, retrievalMs)], reply };
}

type PreparedRequest = ReplyRequest & { hasBases: boolean; retrieval: Retrieval; question?: AskedQuestion };

async function requestOf(context: Context, turnRequest: TurnReplyRequest): Promise<PreparedRequest> {
  const { agent, baseIds, request: options, conversation, turn, extraction } = turnRequest;
  const { messages, earlier } = await readHistory(context, turn, conversation, turnRequest.history);
  const { transcribed: history, modelHistory } = await readContent(context, turnRequest, messages);
  const questions = history
    .filter(({ role, content }) => role === 'user' && content)
    .map(({ content }) => content ?? '');
  const question = questionOf(questions);
  const visitor = extraction.begin(history);
  // The tags of a message cannot override the agent's own.
  const scope = { baseIds, tags: { ...options.sourceTags, ...(agent.sourceTags as Tags) } };
  const retrieved = await retrievePassages(context, scope, question, passageCount);
  // A question that finds nothing by itself may find something together with the one before it.
  const { passages, ...retrieval } =
    retrieved.passages.length > 0 || baseIds.length === 0 || questions.length < 2
      ? retrieved
      : await retrievePassages(context, scope, questions.slice(-2).join('\n'), passageCount);
  return {
    agent,
    visitor: await visitor,
    stage: conversation.stage,
    format: options.format ?? (options.jsonSchema ? 'json' : 'markdown'),
    jsonSchema: options.jsonSchema ?? null,
    summary: conversation.summary,
    earlier,
    history: modelHistory,
    hasBases: baseIds.length > 0,
    passages,
    retrieval,
    question: messages.findLast(({ role, content }) => role === 'user' && content !== null),
    tools: toolsOf(context, turnRequest),
    maxSteps: maxSteps[agent.behaviorType],
  };
}

function replyMessage(agent: Agent, request: PreparedRequest, reply: Reply, retrievalMs: number): ReplyMessage {
  const { passages } = request;
  const passageById = new Map(passages.map((passage) => [passage.id, passage]));
  const references = reply.references.map((reference) => {
    const { title, url, place } = passageById.get(reference.passageId) ?? {};
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
    gap: gapReason(request, reply, request.hasBases),
    question: request.question,
    trace,
  };
}

/** How a follow-up starts, in English, Portuguese and Spanish. */
const startsAsFollowUp =
  /^\W*(and|but|or|also|then|what about|how about|e|mas|ou|tambem|entao|y|pero|o|tambien|entonces)\b/;
/** Words that refer to an earlier message. */
const refers =
  /\b(it|its|they|them|their|that|those|this|these|there|ones?|isso|disso|nisso|isto|ele|ela|eles|elas|dele|dela|deles|delas|eso|esto|ello|el|ella|ellos|ellas|alli)\b/;
/** A question with more words is complete by itself. */
const maxFollowUpWords = 3;

/**
 * Returns the text to search for: the last of these questions, along with the one before if it is a short follow-up
 * ("and in Brazil?", "do you ship it?").
 */
function questionOf(questions: string[]): string {
  const [before, question = ''] = questions.length > 1 ? questions.slice(-2) : ['', questions[0]];
  if (!before) return question;
  const folded = fold(question);
  const isFollowUp = startsAsFollowUp.test(folded) || refers.test(folded);
  // To count its words takes far longer than to see how it is written.
  return isFollowUp && queryWords(question).length <= maxFollowUpWords ? `${before}\n${question}` : question;
}
