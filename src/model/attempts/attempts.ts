import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyError } from '../../core/errors.ts';
import { telemetry } from '../../core/telemetry.ts';
import type { Candidate } from '../models.ts';
import type { ModelAttempt, ModelLog } from '../types.ts';
import { withAttempts } from './attempts-before.ts';
import { type Failed, judge } from './failures.ts';

/** What all attempts at one reply share. */
export type Course = {
  /** Aborts at the deadline of the reply, `endsAt` (epoch milliseconds). */
  deadline: AbortSignal;
  endsAt: number;
  /** The caller's signal: someone stopped the reply. */
  stop: AbortSignal | undefined;
  /** How often a transient failure is retried, after `backoffMs`, twice that and so on. */
  retries: number;
  backoffMs: number;
  /** The deadline is shorter than the service's own, so that a timeout says little about the model's health. */
  hurried?: boolean;
  /** Every attempt is recorded here. */
  attempts: ModelAttempt[];
  /** Receives the reason of each failed attempt. */
  log?: ModelLog | undefined;
};

/** `began` must be called on the first output: nothing is retried after it, since it may have been streamed already. */
export type Try = { signal: AbortSignal; began: () => void };

/** What `tryModels` needs to know about a model. */
export type ModelTarget = Pick<Candidate, 'name' | 'provider' | 'secret' | 'breaker'>;
type Run<T, Model extends ModelTarget> = (candidate: Model, attempt: Try) => Promise<T>;

/** The longest delay that a model may ask for; beyond it, the next model is tried. */
const longestWaitMs = 10_000;

/**
 * Tries the first model, retrying transient failures (429, 5xx, network errors), then its fallback. All but the last
 * model get half of the remaining time to start. Throws the last failure: 502, 503 or 504.
 */
export async function tryModels<T, Model extends ModelTarget>(
  candidates: Model[],
  course: Course,
  run: Run<T, Model>,
): Promise<T> {
  let failed: Failed | undefined;
  for (const [index, candidate] of candidates.entries()) {
    const isLast = index === candidates.length - 1;
    const tried = await tryModel(candidate, isLast, course, run);
    if ('value' in tried) return tried.value;
    failed = tried.failed && (failed === undefined || tried.failed.asked) ? tried.failed : failed;
    if (failed?.final) break;
  }
  throw withAttempts(failed?.error ?? new ParleyError('unavailable', 'No model is configured.'), course.attempts);
}

async function tryModel<T, Model extends ModelTarget>(
  candidate: Model,
  isLast: boolean,
  course: Course,
  run: Run<T, Model>,
): Promise<{ value: T } | { failed: Failed }> {
  for (let count = 0; ; count++) {
    const closed = candidate.breaker.enter();
    if (closed > 0) return { failed: resting(candidate, closed, course) };
    const tried = await tryOnce(candidate, isLast, course, run);
    if ('value' in tried) return tried;
    const wait = tried.failed.waitMs ?? course.backoffMs * 2 ** count * (0.75 + Math.random() / 2);
    const left = course.endsAt - Date.now();
    const again = tried.failed.passing && !tried.failed.final && count < course.retries;
    if (!again || wait > Math.min(longestWaitMs, left / 2)) return tried;
    // If the reply is stopped or the deadline passes here, the next attempt fails with the proper error.
    await sleep(wait, undefined, { signal: AbortSignal.any(signalsOf(course)) }).catch(() => {});
  }
}

async function tryOnce<T, Model extends ModelTarget>(
  candidate: Model,
  isLast: boolean,
  course: Course,
  run: Run<T, Model>,
): Promise<{ value: T } | { failed: Failed }> {
  const started = performance.now();
  const hadWholeTime = isLast && !course.hurried && course.attempts.every(({ outcome }) => outcome === 'resting');
  const patience = new AbortController();
  const timer = isLast ? undefined : setTimeout(() => patience.abort(), (course.endsAt - Date.now()) / 2);
  let begun = false;
  const began = () => {
    begun = true;
    clearTimeout(timer);
  };
  const note = (outcome: ModelAttempt['outcome'], failed?: Failed) => {
    const elapsed = performance.now() - started;
    const ms = Math.round(elapsed);
    telemetry.modelCall.publish(() => ({ model: candidate.name, outcome, seconds: elapsed / 1_000 }));
    course.attempts.push({
      model: candidate.name,
      outcome,
      reason: failed?.reason ?? null,
      ms,
      ...told(candidate, failed),
    });
  };
  try {
    const value = await run(candidate, { signal: AbortSignal.any([...signalsOf(course), patience.signal]), began });
    const stopped = course.stop?.aborted ?? false;
    if (stopped) candidate.breaker.left();
    else candidate.breaker.succeeded();
    note(stopped ? 'stopped' : 'answered');
    return { value };
  } catch (thrown) {
    const over = course.deadline.aborted;
    const stopped = (course.stop?.aborted ?? false) && !over;
    const failed = judge(thrown, { timedOut: over || patience.signal.aborted, stopped, secret: candidate.secret });
    // All agents share the breaker: a caller that stops early or streams a long reply says nothing about the model's
    // health.
    const isUnwell = failed.timedOut ? hadWholeTime && !begun : failed.passing;
    if (isUnwell) candidate.breaker.failed(failed.waitMs ?? undefined);
    else candidate.breaker.left();
    note(stopped ? 'stopped' : 'failed', failed);
    if (!stopped) report(candidate, failed, course);
    return { failed: { ...failed, final: begun || stopped || over } };
  } finally {
    clearTimeout(timer);
  }
}

const told = ({ provider }: ModelTarget, failed: Failed | undefined): Pick<ModelAttempt, 'failure'> =>
  failed?.told ? { failure: { provider, ...failed.told } } : {};

/** Logs a failure for the operator, who must learn of a wrong API key, for example. */
function report({ name, provider }: ModelTarget, { reason, told }: Failed, { log }: Course): void {
  const said = told && { status: told.status, providerSays: told.reason, providerRequestId: told.requestId };
  log?.warn({ model: name, provider, reason, ...said }, 'a model failed');
}

const signalsOf = ({ deadline, stop }: Course): AbortSignal[] => (stop ? [deadline, stop] : [deadline]);

function resting(candidate: ModelTarget, ms: number, { attempts }: Course): Failed {
  const reason = 'failed several times in a row';
  attempts.push({ model: candidate.name, outcome: 'resting', reason, ms: 0 });
  telemetry.modelCall.publish(() => ({ model: candidate.name, outcome: 'resting', seconds: 0 }));
  const message =
    'The model failed several times in a row and is not called for a while. The messages are stored: try again later.';
  const headers = { 'retry-after': String(Math.ceil(ms / 1_000)) };
  const error = new ParleyError('unavailable', message, { headers });
  return { error, reason, told: null, passing: false, timedOut: false, waitMs: null, final: false, asked: false };
}
