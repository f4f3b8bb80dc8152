import { ParleyError } from '../../core/errors.ts';
import { withTimeout } from '../../net/deadline.ts';
import { generateStreamed, generateWhole } from '../attempts/ask.ts';
import { type Attempt, type AttemptContext, startAttempts, timeLeft, tryModels } from '../attempts/attempts.ts';
import { modelFailure } from '../attempts/failures.ts';
import { type Generated, usageOf } from '../attempts/generate.ts';
import type { Models } from '../models.ts';
import { noResult } from '../prompt/history.ts';
import { ableToReadMedia } from '../prompt/media.ts';
import { fitPrompt } from '../prompt/prompt.ts';
import { addUsage, noUsage, unknownUsage, usageCost } from '../prompt/tokens.ts';
import { withoutMarks } from '../reply/references.ts';
import { createGroundingFilter } from '../restricted/keep-grounded.ts';
import { hasNoSources } from '../restricted/nothing-known.ts';
import { Verdicts, type VerifyingModel } from '../restricted/verifier.ts';
import type {
  Candidate,
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
import { type ModelResult, readReply, UnusableJson, unchecked } from './read-reply.ts';
import { streamContent } from './stream-text.ts';

/** How often a model may repair calls that cannot be made, in one reply. */
const maxRepairs = 2;
/** The default limit on rounds of tool calls before the model has to reply. */
const defaultMaxSteps = 8;

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
type OnText = (piece: string) => void;
type Answered = {
  result: ModelResult;
  text: string;
  usage: TokenUsage;
  prompt: PromptSize;
  candidate: Candidate;
  verdicts: Verdicts | null;
};

/** Starts the attempts at a reply. `maxTimeoutMs` caps the timeout of agent and service. */
export function startReplyAttempts(
  options: Options,
  request: Pick<ReplyRequest, 'agent' | 'signal' | 'log'>,
  maxTimeoutMs = Number.POSITIVE_INFINITY,
): AttemptContext {
  const timeoutMs = Math.min(options.timeoutMs, request.agent.timeoutMs ?? options.timeoutMs, maxTimeoutMs);
  return startAttempts({
    timeoutMs,
    stop: request.signal,
    retries: options.retries,
    backoffMs: options.backoffMs,
    isShortened: timeoutMs < options.timeoutMs,
    log: request.log ?? options.log,
  });
}

/**
 * Gets a reply from the agent's model or its fallback, running the tools that have `execute` and continuing with their
 * results as long as the model calls them. `onText` receives the content as it is streamed. Throws 502, 503 or 504.
 */
export async function converse(options: Options, request: ReplyRequest, onText: OnText | null): Promise<Reply> {
  const started = performance.now();
  const context = startReplyAttempts(options, request);
  const steps: ReplyStep[] = [];
  const clean = request.format === 'html' ? (await import('../reply/html.ts')).cleanHtml : undefined;
  let usage = noUsage;
  let cost: number | null = 0;
  const chosen = ableToReadMedia(options.models.candidatesOf(request.agent), request.history);
  const quoting = options.models.choices.filter(({ provider }) => provider === 'embedded');
  let candidates = hasNoSources(request) ? quoting : chosen;
  let repairs = 0;
  let firstTokenMs: number | null = null;
  const onStart = () => {
    firstTokenMs ??= Math.round(performance.now() - started);
  };
  const reply = ({ candidate, prompt }: Answered, result: ModelResult): Reply => ({
    model: candidate.name,
    ...result,
    steps,
    usage,
    cost,
    prompt,
    attempts: context.attempts,
    firstTokenMs: onText && firstTokenMs,
    totalMs: Math.round(performance.now() - started),
  });
  for (let step = 0; ; step++) {
    const stepRequest: Answering = {
      ...request,
      ...(clean && { clean }),
      history: [...request.history, ...steps.flatMap(messagesOf)],
      ...offer(request, step),
      repairsCalls: repairs < maxRepairs && request.tools.length > 0,
    };
    const onStepText = onText && asNewParagraph(onText, step > 0 && steps.some(({ content }) => content));
    const answered = await tryModels(candidates, context, (candidate, attempt) =>
      generateOnce(
        options,
        candidate,
        stepRequest,
        { ...attempt, onStart: () => [onStart(), attempt.onStart()] },
        onStepText,
      ),
    );
    const { candidate } = answered;
    const { broken = [], ...result } = answered.result;
    const stepCost = [usageCost(answered.usage, candidate.price), answered.verdicts?.cost ?? 0];
    usage = [answered.usage, answered.verdicts?.usage ?? noUsage].reduce(addUsage, usage);
    cost = stepCost.reduce((sum, each) => (sum === null || each === null ? null : sum + each), cost);
    const calls = result.toolCalls ?? [];
    const serverCalls = calls.filter(({ name }) =>
      stepRequest.tools.some((tool) => tool.name === name && tool.execute),
    );
    if (serverCalls.length === 0 && (calls.length > 0 || broken.length === 0)) return reply(answered, result);
    if (broken.length > 0) repairs++;
    const toolCalls = [...serverCalls, ...broken.map(({ id, name }) => ({ id, name, arguments: {} }))];
    const refused = broken.map(({ id, name, why }) => ({ toolCallId: id, name, content: why }));
    const results = [...(await runTools(stepRequest, serverCalls, context)), ...refused];
    steps.push({ content: withoutMarks(answered.text).trim() || null, toolCalls, results });
    if (request.signal?.aborted && !onText) throw modelFailure(request.signal.reason, stoppedSituation);
    if (request.signal?.aborted) return reply(answered, stoppedResult);
    const callerCalls = calls.filter((call) => !serverCalls.includes(call));
    if (callerCalls.length > 0) return reply(answered, { ...result, toolCalls: callerCalls });
    // Stay with the model that responded; those that failed before it are not tried again in this reply.
    candidates = candidates.slice(candidates.indexOf(candidate));
  }
}

const stoppedSituation = { timedOut: false, stopped: true, secret: null };
const stoppedResult: ModelResult = {
  content: '',
  toolCalls: null,
  references: [],
  finish: 'stopped',
  ...unchecked,
};

/** A request as one attempt makes it. `repaired`: it already tells the model what was wrong with its JSON. */
type StepRequest = Answering & { repaired?: boolean };

async function generateOnce(
  options: Options,
  candidate: Candidate,
  stepRequest: StepRequest,
  { signal, onStart }: Attempt,
  onText: OnText | null,
): Promise<Answered> {
  const prompt = fitPrompt(stepRequest, options.historyTokens, candidate.contextTokens);
  // A passage that was not sent cannot be cited.
  const passages = stepRequest.passages.slice(0, prompt.size.shown);
  const grounded = isGrounded(stepRequest, candidate);
  const verdicts = grounded ? verdictsOf(options, stepRequest, signal) : null;
  const request = { ...stepRequest, passages, grounded, verdicts };
  const quotes = candidate.provider === 'embedded';
  const call = { model: await candidate.load(request), reads: candidate.reads, prompt, quotes };
  const answer = (generated: Generated, result: ModelResult): Answered => {
    const text = request.grounded ? createGroundingFilter(request).push(generated.text.trim(), true) : generated.text;
    return { result, text, usage: usageOf(generated), prompt: prompt.size, candidate, verdicts };
  };
  const readOrRepair = async (generated: Generated): Promise<Answered> => {
    try {
      if (verdicts) await judgeAll(request, generated, verdicts);
      return answer(generated, readReply(request, generated));
    } catch (error) {
      if (!(error instanceof UnusableJson) || request.repaired) throw error;
      const repairRequest = { ...withRepair(request, generated.text, error.validationErrors), repaired: true };
      const repaired = await generateOnce(options, candidate, repairRequest, { signal, onStart }, onText);
      return { ...repaired, usage: addUsage(usageOf(generated), repaired.usage) };
    }
  };
  if (!onText) return readOrRepair(await generateWhole(call, request, signal));
  const text = streamContent(request, onText);
  const stopped = () => request.signal?.aborted ?? false;
  let generated: Generated;
  try {
    generated = await generateStreamed(call, request, signal, { onStart, text: text.push });
  } catch (error) {
    if (!stopped()) throw error;
    return {
      result: text.stopped(),
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
  if (read.result.content === null) text.written();
  else if (!request.repaired) text.end(read.result.content);
  return read;
}

const verdictsOf = ({ verifier, log }: Options, request: StepRequest, signal: AbortSignal): Verdicts | null =>
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
const isGrounded = ({ agent, unchecked }: StepRequest, { provider }: Candidate): boolean =>
  agent.freedom === 'restricted' && !unchecked && provider !== 'embedded';

/** The request again, with the model's JSON and what is wrong with it appended. */
const withRepair = (request: StepRequest, text: string, validationErrors: string[]): StepRequest => ({
  ...request,
  originalHistory: request.history,
  history: [
    ...request.history,
    { role: 'assistant', content: text.slice(0, 20_000) },
    {
      role: 'user',
      content: `That JSON cannot be used:\n${validationErrors.join('\n')}\nGive the whole JSON again, corrected, and nothing else.`,
    },
  ],
});

/** Text after a tool call starts a new paragraph. */
function asNewParagraph(onText: OnText, isContinuation: boolean): OnText {
  let first = isContinuation;
  return (piece) => {
    onText(first ? `\n\n${piece}` : piece);
    first = false;
  };
}

/**
 * The tools for a step. After the last round, only the caller's tools may be called; some models still need the
 * definitions of tools called earlier.
 */
function offer(
  { tools, maxSteps = defaultMaxSteps }: ReplyRequest,
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
function runTools({ tools }: ReplyRequest, calls: ToolCall[], context: AttemptContext): Promise<ToolResult[]> {
  return Promise.all(
    calls.map(async ({ id, name, arguments: input }): Promise<ToolResult> => {
      const tool = tools.find((offered) => offered.name === name);
      try {
        const run = async (signal: AbortSignal) => (await tool?.execute?.(input, { callId: id, signal })) ?? '';
        return { toolCallId: id, name, content: await withTimeout(timeLeft(context), run, context.stop) };
      } catch (error) {
        const why = error instanceof ParleyError ? error.message : 'it could not be reached or failed.';
        return { toolCallId: id, name, content: `${noResult} ${why}` };
      }
    }),
  );
}
