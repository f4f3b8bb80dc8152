import { ParleyError } from '../../core/errors.ts';
import { askStreamed, askWhole, type Generated } from '../attempts/ask.ts';
import { type Course, type Try, tryModels } from '../attempts/attempts.ts';
import { modelFailure } from '../attempts/failures.ts';
import type { Candidate, Models } from '../models.ts';
import { noResult } from '../prompt/history.ts';
import { ableToSee } from '../prompt/media.ts';
import { fitPrompt } from '../prompt/prompt.ts';
import { addUsage, costOf, noUsage, unknownUsage } from '../prompt/tokens.ts';
import { createSieve } from '../restricted/keep-grounded.ts';
import { knowsNothing } from '../restricted/nothing-known.ts';
import { Verdicts, type VerifyingModel } from '../restricted/verifier.ts';
import type {
  HistoryMessage,
  ModelLog,
  PromptSize,
  Reply,
  ReplyRequest,
  ReplyStep,
  TokenUsage,
  ToolCall,
  ToolResult,
} from '../types.ts';
import type { Answering } from './cite.ts';
import { type ModelResult, readReply, UnusableJson, usageOf } from './read-reply.ts';
import { withoutMarks } from './references.ts';
import { writeAlong } from './stream-text.ts';

/** The default limit on rounds of tool calls before the model has to reply. */
const mostSteps = 8;

export type Options = {
  models: Models;
  timeoutMs: number;
  retries: number;
  backoffMs: number;
  /** How much of a conversation is sent, in estimated tokens. */
  historyTokens: number;
  /** Judges what replies of restricted agents state. */
  verifier?: VerifyingModel | null;
  log?: ModelLog | undefined;
};
type Tell = (piece: string) => void;
type Answered = {
  said: ModelResult;
  text: string;
  usage: TokenUsage;
  prompt: PromptSize;
  candidate: Candidate;
  verdicts: Verdicts | null;
};

/**
 * Starts the deadline and the state that the attempts at a reply share. `patienceMs` caps the timeout of agent and
 * service.
 */
export function startCourse(
  options: Options,
  request: Pick<ReplyRequest, 'agent' | 'signal' | 'log'>,
  patienceMs = Number.POSITIVE_INFINITY,
): Course {
  const timeoutMs = Math.min(options.timeoutMs, request.agent.timeoutMs ?? options.timeoutMs, patienceMs);
  return {
    deadline: AbortSignal.timeout(timeoutMs),
    endsAt: Date.now() + timeoutMs,
    stop: request.signal,
    retries: options.retries,
    backoffMs: options.backoffMs,
    hurried: timeoutMs < options.timeoutMs,
    attempts: [],
    log: request.log ?? options.log,
  };
}

/**
 * Gets a reply from the agent's model or its fallback, running the tools that have `execute` and continuing with their
 * results as long as the model calls them. `tell` receives the content as it is streamed. Throws 502, 503 or 504.
 */
export async function converse(options: Options, request: ReplyRequest, tell: Tell | null): Promise<Reply> {
  const started = performance.now();
  const course = startCourse(options, request);
  const steps: ReplyStep[] = [];
  const clean = request.format === 'html' ? (await import('./html.ts')).cleanHtml : undefined;
  let usage = noUsage;
  let cost: number | null = 0;
  const chosen = ableToSee(options.models.candidatesOf(request.agent), request.history);
  const quoting = options.models.choices.filter(({ provider }) => provider === 'embedded');
  let candidates = knowsNothing(request) ? quoting : chosen;
  let firstTokenMs: number | null = null;
  const began = () => {
    firstTokenMs ??= Math.round(performance.now() - started);
  };
  const reply = ({ candidate, prompt }: Answered, said: ModelResult): Reply => ({
    model: candidate.name,
    ...said,
    steps,
    usage,
    cost,
    prompt,
    attempts: course.attempts,
    firstTokenMs: tell && firstTokenMs,
    totalMs: Math.round(performance.now() - started),
  });
  for (let step = 0; ; step++) {
    const asked: Answering = {
      ...request,
      ...(clean && { clean }),
      history: [...request.history, ...steps.flatMap(messagesOf)],
      ...offer(request, step),
    };
    const tellStep = tell && apart(tell, step > 0 && steps.some(({ content }) => content));
    const answered = await tryModels(candidates, course, (candidate, attempt) =>
      askOnce(options, candidate, asked, { ...attempt, began: () => [began(), attempt.began()] }, tellStep),
    );
    const { said, candidate } = answered;
    const spent = [costOf(answered.usage, candidate.price), answered.verdicts?.cost ?? 0];
    usage = [answered.usage, answered.verdicts?.usage ?? noUsage].reduce(addUsage, usage);
    cost = spent.reduce((sum, each) => (sum === null || each === null ? null : sum + each), cost);
    const calls = said.toolCalls ?? [];
    const own = calls.filter(({ name }) => asked.tools.some((tool) => tool.name === name && tool.execute));
    if (own.length === 0) return reply(answered, said);
    const results = await runTools(asked, own, course);
    steps.push({ content: withoutMarks(answered.text).trim() || null, toolCalls: own, results });
    if (request.signal?.aborted && !tell) throw modelFailure(request.signal.reason, stoppedHere);
    if (request.signal?.aborted) return reply(answered, stoppedBefore);
    const others = calls.filter((call) => !own.includes(call));
    if (others.length > 0) return reply(answered, { ...said, toolCalls: others });
    // Stay with the model that responded; those that failed before it are not tried again in this reply.
    candidates = candidates.slice(candidates.indexOf(candidate));
  }
}

const stoppedHere = { timedOut: false, stopped: true, secret: null };
const stoppedBefore: ModelResult = { content: '', toolCalls: null, references: [], finish: 'stopped', withheld: 0 };

/** A request as one attempt makes it. `repaired`: it already tells the model what was wrong with its JSON. */
type Asking = Answering & { repaired?: boolean };

async function askOnce(
  options: Options,
  candidate: Candidate,
  given: Asking,
  { signal, began }: Try,
  tell: Tell | null,
): Promise<Answered> {
  const prompt = fitPrompt(given, options.historyTokens, candidate.contextTokens);
  // A passage that was not sent cannot be cited.
  const passages = given.passages.slice(0, prompt.size.shown);
  const grounded = isGrounded(given, candidate);
  const verdicts = grounded ? verdictsOf(options, given, signal) : null;
  const request = { ...given, passages, grounded, verdicts };
  const quotes = candidate.provider === 'embedded';
  const asked = { model: await candidate.load(request), reads: candidate.reads, prompt, quotes };
  const answer = (generated: Generated, said: ModelResult): Answered => {
    const text = request.grounded ? createSieve(request).push(generated.text.trim(), true) : generated.text;
    return { said, text, usage: usageOf(generated), prompt: prompt.size, candidate, verdicts };
  };
  const readOrRepair = async (generated: Generated): Promise<Answered> => {
    try {
      if (verdicts) await judgeAll(request, generated, verdicts);
      return answer(generated, readReply(request, generated));
    } catch (error) {
      if (!(error instanceof UnusableJson) || request.repaired) throw error;
      const again = { ...withRepair(request, generated.text, error.flaws), repaired: true };
      const repaired = await askOnce(options, candidate, again, { signal, began }, tell);
      return { ...repaired, usage: addUsage(usageOf(generated), repaired.usage) };
    }
  };
  if (!tell) return readOrRepair(await askWhole(asked, request, signal));
  const text = writeAlong(request, tell);
  const stopped = () => request.signal?.aborted ?? false;
  let generated: Generated;
  try {
    generated = await askStreamed(asked, request, signal, { began, text: text.push });
  } catch (error) {
    if (!stopped()) throw error;
    return {
      said: text.stopped(),
      text: text.written(),
      usage: unknownUsage,
      prompt: prompt.size,
      candidate,
      verdicts,
    };
  }
  if (stopped()) return answer(generated, text.stopped());
  await text.judged(generated.toolCalls.length > 0);
  if (stopped()) return answer(generated, text.stopped());
  const read = await readOrRepair(generated);
  if (read.said.content === null) text.written();
  else if (!request.repaired) text.end(read.said.content);
  return read;
}

const verdictsOf = ({ verifier, log }: Options, request: Asking, signal: AbortSignal): Verdicts | null =>
  verifier ? new Verdicts(request, { model: verifier, signal, log: request.log ?? log }) : null;

/** Has all sentences of a reply judged: reading it once finds them. */
async function judgeAll(request: Answering, generated: Generated, verdicts: Verdicts): Promise<void> {
  try {
    readReply(request, generated);
  } catch {
    // It is read again, and fails then.
  }
  await verdicts.settled();
}

/** Whether the server verifies the reply. The embedded model does nothing but quote. */
const isGrounded = ({ agent, unchecked }: Asking, { provider }: Candidate): boolean =>
  agent.freedom === 'restricted' && !unchecked && provider !== 'embedded';

/** The request again, with the model's JSON and what is wrong with it appended. */
const withRepair = (request: Asking, text: string, flaws: string[]): Asking => ({
  ...request,
  heard: request.history,
  history: [
    ...request.history,
    { role: 'assistant', content: text.slice(0, 20_000) },
    {
      role: 'user',
      content: `That JSON cannot be used:\n${flaws.join('\n')}\nGive the whole JSON again, corrected, and nothing else.`,
    },
  ],
});

/** Text after a tool call starts a new paragraph. */
function apart(tell: Tell, follows: boolean): Tell {
  let first = follows;
  return (piece) => {
    tell(first ? `\n\n${piece}` : piece);
    first = false;
  };
}

/**
 * The tools for a step. After the last round, only the caller's tools may be called; some models still need the
 * definitions of tools called earlier.
 */
function offer(
  { tools, maxSteps = mostSteps }: ReplyRequest,
  step: number,
): Pick<ReplyRequest, 'tools' | 'toolChoice'> {
  const offered = step < maxSteps ? tools : tools.filter(({ execute }) => !execute);
  return offered.length === 0 && tools.length > 0 ? { tools, toolChoice: 'none' } : { tools: offered };
}

const messagesOf = ({ content, toolCalls, results }: ReplyStep): HistoryMessage[] => [
  { role: 'assistant', content, toolCalls },
  ...results.map(({ toolCallId, name, content }) => ({ role: 'tool' as const, toolCallId, name, content })),
];

/** Runs the service's own tools concurrently. A failure is reported to the model as a result. */
function runTools({ tools }: ReplyRequest, calls: ToolCall[], { deadline, stop }: Course): Promise<ToolResult[]> {
  const signal = stop ? AbortSignal.any([deadline, stop]) : deadline;
  return Promise.all(
    calls.map(async ({ id, name, arguments: input }): Promise<ToolResult> => {
      const tool = tools.find((offered) => offered.name === name);
      try {
        return { toolCallId: id, name, content: (await tool?.execute?.(input, { callId: id, signal })) ?? '' };
      } catch (error) {
        const why = error instanceof ParleyError ? error.message : 'it could not be reached or failed.';
        return { toolCallId: id, name, content: `${noResult} ${why}` };
      }
    }),
  );
}
