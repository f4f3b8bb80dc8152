import { ParleyError } from '../errors.ts';
import { askStreamed, askWhole, type Generated } from './ask.ts';
import { type Course, type Try, tryModels } from './attempts.ts';
import { modelFailure } from './failures.ts';
import type { Candidate, Models } from './models.ts';
import { readReply, type Said, usageOf } from './read-reply.ts';
import { withoutMarks } from './references.ts';
import { writeAlong } from './stream-text.ts';
import type { HistoryMessage, Reply, ReplyRequest, ReplyStep, TokenUsage, ToolCall, ToolResult } from './types.ts';

/** How often the model may call tools of the service before it has to answer. */
const maxSteps = 8;

type Options = { models: Models; timeoutMs: number; retries: number; backoffMs: number };
type Tell = (piece: string) => void;
type Answered = { said: Said; text: string; usage: TokenUsage; candidate: Candidate };

/**
 * Asks for a reply: the agent's model or its fallback, and again with the results of the tools that have `execute`, as
 * long as it calls them. `tell` hears the content while it is said. Throws 502, 503 and 504.
 */
export async function converse(options: Options, request: ReplyRequest, tell: Tell | null): Promise<Reply> {
  const started = performance.now();
  const timeoutMs = Math.min(options.timeoutMs, request.agent.timeoutMs ?? options.timeoutMs);
  const course: Course = {
    deadline: AbortSignal.timeout(timeoutMs),
    endsAt: Date.now() + timeoutMs,
    stop: request.signal,
    retries: options.retries,
    backoffMs: options.backoffMs,
    attempts: [],
  };
  const steps: ReplyStep[] = [];
  const usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };
  let candidates = options.models.candidatesOf(request.agent);
  let firstTokenMs: number | null = null;
  const began = () => {
    firstTokenMs ??= Math.round(performance.now() - started);
  };
  const reply = ({ said, candidate }: Answered, results: ToolResult[] = []): Reply => ({
    model: candidate.name,
    ...said,
    steps,
    results,
    usage,
    attempts: course.attempts,
    firstTokenMs: tell && firstTokenMs,
    totalMs: Math.round(performance.now() - started),
  });
  for (let step = 0; ; step++) {
    const asked: ReplyRequest = {
      ...request,
      history: [...request.history, ...steps.flatMap(messagesOf)],
      tools: request.tools.filter(({ execute }) => !execute || step < maxSteps),
    };
    const tellStep = tell && apart(tell, step > 0 && steps.some(({ content }) => content));
    const answered = await tryModels(candidates, course, (candidate, attempt) =>
      askOnce(candidate, asked, { ...attempt, began: () => [began(), attempt.began()] }, tellStep),
    );
    for (const key of Object.keys(usage) as (keyof TokenUsage)[]) usage[key] += answered.usage[key];
    const calls = answered.said.toolCalls ?? [];
    const own = calls.filter(({ name }) => asked.tools.some((tool) => tool.name === name && tool.execute));
    if (own.length === 0) return reply(answered);
    const results = await runTools(asked, own, course);
    if (own.length < calls.length) return reply(answered, results);
    steps.push({ content: withoutMarks(answered.text).trim() || null, toolCalls: calls, results });
    if (request.signal?.aborted && !tell) throw modelFailure(request.signal.reason, stoppedHere);
    if (request.signal?.aborted) return reply({ ...answered, said: stoppedBefore });
    // What has answered goes on; whoever failed before it is not asked again in this reply.
    candidates = candidates.slice(candidates.indexOf(answered.candidate));
  }
}

const stoppedHere = { timedOut: false, stopped: true, secret: null };
const stoppedBefore: Said = { content: '', toolCalls: null, references: [], finish: 'stopped' };

async function askOnce(
  candidate: Candidate,
  request: ReplyRequest,
  { signal, began }: Try,
  tell: Tell | null,
): Promise<Answered> {
  const asked = { model: await candidate.load(request), media: candidate.media };
  if (!tell) {
    const generated = await askWhole(asked, request, signal);
    return answer(generated, readReply(request, generated));
  }
  const text = writeAlong(request, tell);
  const stopped = () => request.signal?.aborted ?? false;
  let generated: Generated;
  try {
    generated = await askStreamed(asked, request, signal, { began, text: text.push });
  } catch (error) {
    if (!stopped()) throw error;
    return { said: text.stopped(), text: text.raw(), usage: noUsage, candidate };
  }
  if (stopped()) return answer(generated, text.stopped());
  const said = readReply(request, generated);
  if (said.content !== null) text.end(said.content);
  return answer(generated, said);

  function answer(generated: Generated, said: Said): Answered {
    return { said, text: generated.text, usage: usageOf(generated), candidate };
  }
}

const noUsage: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };

/** Text after a tool was called is told as a paragraph of its own. */
function apart(tell: Tell, follows: boolean): Tell {
  let first = follows;
  return (piece) => {
    tell(first ? `\n\n${piece}` : piece);
    first = false;
  };
}

const messagesOf = ({ content, toolCalls, results }: ReplyStep): HistoryMessage[] => [
  { role: 'assistant', content, toolCalls },
  ...results.map(({ toolCallId, name, content }) => ({ role: 'tool' as const, toolCallId, name, content })),
];

/** The answers of the service's own tools, side by side. One that fails is an answer too: the model says so. */
function runTools({ tools }: ReplyRequest, calls: ToolCall[], { deadline, stop }: Course): Promise<ToolResult[]> {
  const signal = stop ? AbortSignal.any([deadline, stop]) : deadline;
  return Promise.all(
    calls.map(async ({ id, name, arguments: input }): Promise<ToolResult> => {
      const tool = tools.find((offered) => offered.name === name);
      try {
        return { toolCallId: id, name, content: (await tool?.execute?.(input, { callId: id, signal })) ?? '' };
      } catch (error) {
        const why = error instanceof ParleyError ? error.message : 'it could not be reached or failed.';
        return { toolCallId: id, name, content: `The tool gave no result: ${why}` };
      }
    }),
  );
}
