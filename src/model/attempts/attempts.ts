import { setTimeout as sleep } from 'node:timers/promises';
import { takeCause } from '../../core/causes.ts';
import { ParleyError } from '../../core/errors.ts';
import { telemetry } from '../../core/telemetry.ts';
import { inSpan, type Span } from '../../core/tracing.ts';
import { clock, Deadline } from '../../net/deadline.ts';
import type { Candidate, ModelAttempt, ModelLog } from '../types.ts';
import { describeAttempt, type ModelOperation } from './attempt-span.ts';
import { withAttempts } from './attempts-before.ts';
import { classifyFailure, type Failed } from './failures.ts';

/** What all attempts at one reply share. */
export type AttemptContext = {
  /** The deadline of the reply, by the clock of deadlines. */
  endsAt: number;
  /** The caller's signal: someone stopped the reply. */
  stop: AbortSignal | undefined;
  /** How often a transient failure is retried, after `backoffMs`, twice that and so on. */
  retries: number;
  backoffMs: number;
  /** The deadline is shorter than the service's own, so that a timeout says little about the model's health. */
  isShortened?: boolean;
  /** Default: `chat`. */
  operation?: ModelOperation;
  /** Every attempt is recorded here. */
  attempts: ModelAttempt[];
  /** Receives the reason of each failed attempt. */
  log?: ModelLog | undefined;
};

/**
 * `onStart` must be called on the first output: nothing is retried after it, since it may have been streamed already.
 */
export type Attempt = { signal: AbortSignal; onStart: () => void };

type Limits = Pick<AttemptContext, 'stop'> &
  Partial<Pick<AttemptContext, 'retries' | 'backoffMs' | 'isShortened' | 'operation' | 'log'>> & {
    /** For all attempts together. */
    timeoutMs: number;
  };

/** Starts the deadline and the state that attempts share. By default, nothing is retried. */
export const startAttempts = ({ timeoutMs, ...limits }: Limits): AttemptContext => ({
  retries: 0,
  backoffMs: 0,
  ...limits,
  endsAt: clock.now() + timeoutMs,
  attempts: [],
});

/** What is left of the time of a reply, in milliseconds. */
export const timeLeft = ({ endsAt }: AttemptContext): number => endsAt - clock.now();

/** What `tryModels` needs to know about a model. */
export type ModelTarget = Pick<Candidate, 'name' | 'provider' | 'secret' | 'breaker'> & { model?: string };
type Run<T, Model extends ModelTarget> = (candidate: Model, attempt: Attempt) => Promise<T>;

/** The longest delay that a model may ask for; beyond it, the next model is tried. */
const maxWaitMs = 10_000;

/**
 * Tries the first model, retrying transient failures (429, 5xx, network errors), then its fallback. All but the last
 * model get half of the remaining time to start. Throws the last failure: 502, 503 or 504.
 */
export async function tryModels<T, Model extends ModelTarget>(
  candidates: Model[],
  context: AttemptContext,
  run: Run<T, Model>,
): Promise<T> {
  let failed: Failed | undefined;
  for (const [index, candidate] of candidates.entries()) {
    const isLast = index === candidates.length - 1;
    const result = await tryModel(candidate, isLast, context, run);
    if ('value' in result) return result.value;
    failed = result.failed && (failed === undefined || result.failed.wasCalled) ? result.failed : failed;
    if (failed?.final) break;
  }
  throw withAttempts(
    failed?.error ?? new ParleyError('unavailable', 'No model is configured: the operator names one (MODELS).'),
    context.attempts,
  );
}

async function tryModel<T, Model extends ModelTarget>(
  candidate: Model,
  isLast: boolean,
  context: AttemptContext,
  run: Run<T, Model>,
): Promise<{ value: T } | { failed: Failed }> {
  for (let count = 0; ; count++) {
    const closed = candidate.breaker.enter();
    if (closed > 0) return { failed: breakerOpen(candidate, closed, context) };
    const result = await inSpan(
      () => describeAttempt(candidate, context.operation ?? 'chat'),
      (span) => tryOnce(candidate, isLast, context, run, span),
    );
    if ('value' in result) return result;
    const waitMs = result.failed.waitMs ?? context.backoffMs * 2 ** count * (0.75 + Math.random() / 2);
    const remainingMs = timeLeft(context);
    const mayRetry = result.failed.transient && !result.failed.final && count < context.retries;
    if (!mayRetry || waitMs > Math.min(maxWaitMs, remainingMs / 2)) return result;
    // If the reply is stopped here, the next attempt fails with the proper error.
    await sleep(waitMs, undefined, { ...(context.stop && { signal: context.stop }) }).catch(() => {});
  }
}

async function tryOnce<T, Model extends ModelTarget>(
  candidate: Model,
  isLast: boolean,
  context: AttemptContext,
  run: Run<T, Model>,
  span: Span | null,
): Promise<{ value: T } | { failed: Failed }> {
  const started = performance.now();
  const hadFullTimeout =
    isLast && !context.isShortened && context.attempts.every(({ outcome }) => outcome === 'resting');
  const deadline = new Deadline(timeLeft(context) / (isLast ? 1 : 2), context.stop);
  let hasStarted = false;
  const onStart = () => {
    if (!hasStarted && !isLast) deadline.restart(timeLeft(context));
    hasStarted = true;
  };
  const record = (outcome: ModelAttempt['outcome'], failed?: Failed) => {
    const elapsed = performance.now() - started;
    const ms = Math.round(elapsed);
    telemetry.modelCall.publish(() => ({ model: candidate.name, outcome, seconds: elapsed / 1_000 }));
    context.attempts.push({
      model: candidate.name,
      outcome,
      reason: failed?.reason ?? null,
      ms,
      ...failureField(candidate, failed),
    });
  };
  try {
    const value = await deadline.wait(run(candidate, { signal: deadline.signal, onStart }));
    const stopped = context.stop?.aborted ?? false;
    if (stopped) candidate.breaker.abandoned();
    else candidate.breaker.succeeded();
    record(stopped ? 'stopped' : 'answered');
    return { value };
  } catch (error) {
    const timedOut = deadline.hasPassed && (isLast || hasStarted);
    const stopped = (context.stop?.aborted ?? false) && !timedOut;
    const failed = classifyFailure(error, {
      timedOut: deadline.hasPassed,
      stopped,
      secret: candidate.secret,
    });
    // All agents share the breaker: a caller that stops early or streams a long reply says nothing about the model's
    // health.
    const isUnhealthy = failed.timedOut ? hadFullTimeout && !hasStarted : failed.transient;
    if (isUnhealthy) candidate.breaker.failed(failed.waitMs ?? undefined);
    else candidate.breaker.abandoned();
    record(stopped ? 'stopped' : 'failed', failed);
    if (!stopped) span?.fail(failed.failure?.status ? String(failed.failure.status) : failed.reason);
    if (!stopped) report(candidate, failed, context);
    return { failed: { ...failed, final: hasStarted || stopped || timedOut } };
  } finally {
    deadline.end();
  }
}

const failureField = ({ provider }: ModelTarget, failed: Failed | undefined): Pick<ModelAttempt, 'failure'> =>
  failed?.failure ? { failure: { provider, ...failed.failure } } : {};

/** Logs a failure for the operator, who must learn of a wrong API key, for example. */
function report({ name, provider }: ModelTarget, { error, reason, failure }: Failed, { log }: AttemptContext): void {
  if (!log) return;
  takeCause(error);
  const details = failure && {
    status: failure.status,
    providerSays: failure.reason,
    providerRequestId: failure.requestId,
  };
  const cause = `model ${name}: ${reason}`;
  log.warn({ cause, model: name, provider, reason, ...details }, 'a model failed');
}

function breakerOpen(candidate: ModelTarget, ms: number, { attempts }: AttemptContext): Failed {
  const reason = 'failed several times in a row';
  attempts.push({ model: candidate.name, outcome: 'resting', reason, ms: 0 });
  telemetry.modelCall.publish(() => ({ model: candidate.name, outcome: 'resting', seconds: 0 }));
  const message =
    'The model failed several times in a row and is not called for a while. The messages are stored: try again later.';
  const headers = { 'retry-after': String(Math.ceil(ms / 1_000)) };
  const error = new ParleyError('unavailable', message, { headers });
  return {
    error,
    reason,
    failure: null,
    transient: false,
    timedOut: false,
    waitMs: null,
    final: false,
    wasCalled: false,
  };
}
