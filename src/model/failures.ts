import { APICallError, RetryError } from 'ai';
import { ParleyError } from '../errors.ts';

type Situation = { timedOut: boolean; stopped: boolean; secret: string | null };

/** A failed try, judged. */
export type Failed = {
  error: ParleyError;
  /** Why, in few words and without what the provider said. */
  reason: string;
  /** It may go well another time: too much to do, the network, the provider's own trouble. */
  passing: boolean;
  timedOut: boolean;
  /** How long the provider asks to be left alone, in milliseconds; null when it does not say. */
  waitMs: number | null;
  /** Nothing else is to be tried. */
  final: boolean;
  /** False when the model rested and was not asked. */
  asked: boolean;
};

/** What a failure means for the next try and for the caller. */
export function judge(thrown: unknown, situation: Situation): Failed {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  const told = {
    error: modelFailure(error, situation),
    timedOut: situation.timedOut,
    waitMs: APICallError.isInstance(error) ? waitOf(error) : null,
    final: false,
    asked: true,
  };
  if (situation.stopped) return { ...told, reason: 'stopped', passing: false };
  if (situation.timedOut) return { ...told, reason: 'no answer in time', passing: false };
  if (thrown instanceof ParleyError) return { ...told, reason: 'an answer that cannot be used', passing: false };
  return { ...told, reason: reasonOf(error), passing: isPassing(error) };
}

function isPassing(error: unknown): boolean {
  if (hasRetryable(error)) return error.isRetryable;
  // The connection broke while the answer came.
  return error instanceof TypeError || (error instanceof Error && 'code' in error);
}

/** A failed call, or a failure that the provider told within its stream. */
const hasRetryable = (error: unknown): error is { isRetryable: boolean } =>
  typeof error === 'object' && error !== null && 'isRetryable' in error && typeof error.isRetryable === 'boolean';

function reasonOf(error: unknown): string {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status === 'number' && status >= 400) return `HTTP ${status}`;
  if (typeof status === 'number') return 'an answer that cannot be read';
  return isPassing(error) ? 'the connection failed' : 'an answer that cannot be read';
}

/**
 * A failure of the model in words of the service: 504 `model_timeout`, 503 `unavailable` when the caller's signal
 * stopped the turn, 502 `model_error` otherwise. What the provider said is the cause, for the log, without the key.
 */
export function modelFailure(error: unknown, { timedOut, stopped, secret }: Situation): ParleyError {
  if (error instanceof ParleyError) return error;
  const cause = causeOf(error, secret);
  if (stopped) return new ParleyError('unavailable', 'The reply was stopped before it was done.', { cause });
  if (timedOut) {
    const message = 'The model did not answer in time. What was said is kept: ask again.';
    return new ParleyError('model_timeout', message, { cause });
  }
  if (APICallError.isInstance(error) && error.statusCode === 429) {
    const message = 'The model has too much to do at the moment. What was said is kept: ask again in a while.';
    return new ParleyError('model_error', message, { cause, headers: retryAfter(error) });
  }
  return new ParleyError('model_error', 'The model failed to answer. What was said is kept: ask again.', { cause });
}

/** An answer of the model that cannot be used. `why` is for the log. */
export const unusableAnswer = (message: string, why: string): ParleyError =>
  new ParleyError('model_error', message, { cause: new Error(why) });

function retryAfter(error: APICallError): Record<string, string> {
  const wait = waitOf(error);
  return wait === null ? {} : { 'retry-after': String(Math.min(9_999, Math.ceil(wait / 1_000))) };
}

/** What `Retry-After` asks for, in seconds or as a date, or its finer sister in milliseconds. */
function waitOf({ responseHeaders }: APICallError): number | null {
  const fine = Number.parseFloat(responseHeaders?.['retry-after-ms'] ?? '');
  if (fine >= 0) return fine;
  const given = responseHeaders?.['retry-after'] ?? '';
  if (/^\d+(\.\d+)?$/.test(given)) return Number(given) * 1_000;
  const until = Date.parse(given);
  return Number.isNaN(until) ? null : Math.max(0, until - Date.now());
}

/** Only the words and the status: the error of the SDK also holds the prompt, the headers and the whole answer. */
function causeOf(error: unknown, secret: string | null): Error {
  const status = APICallError.isInstance(error) && error.statusCode ? `HTTP ${error.statusCode}: ` : '';
  const said = `${status}${wordsOf(error)}`.slice(0, 1_000);
  return new Error(secret ? said.replaceAll(secret, '***') : said);
}

function wordsOf(error: unknown): string {
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return String(error);
}
