import { APICallError, RetryError } from 'ai';
import { ParleyError } from '../../core/errors.ts';
import type { ProviderFailure } from '../types.ts';
import { safeCode, safeWords } from './provider-words.ts';

type Situation = { timedOut: boolean; stopped: boolean; secret: string | null };

/** A failed try, judged. */
export type Failed = {
  error: ParleyError;
  /** Why, in few words and without what the provider said. */
  reason: string;
  /** What the provider said of it, for owners and the log; null when it said nothing. */
  told: Omit<ProviderFailure, 'provider'> | null;
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
    told: situation.timedOut || situation.stopped ? null : toldBy(error, situation),
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
  if (typeof status === 'number' && status >= 300) return `HTTP ${status}`;
  if (typeof status === 'number') return 'an answer that cannot be read';
  return isPassing(error) ? 'the connection failed' : 'an answer that cannot be read';
}

/**
 * A failure of the model in words of the service: 504 `model_timeout`, 503 `unavailable` when the caller's signal
 * stopped the turn, 502 `model_error` otherwise. What the provider said is the cause, for the log, without the key and
 * without what it repeats of the conversation.
 */
export function modelFailure(error: unknown, situation: Situation): ParleyError {
  if (error instanceof ParleyError) return error;
  const { timedOut, stopped } = situation;
  const cause = causeOf(error, situation);
  if (stopped) return new ParleyError('unavailable', 'The reply was stopped before it was done.', { cause });
  if (timedOut) {
    const message = 'The model did not answer in time. What was said is kept: ask again.';
    return new ParleyError('model_timeout', message, { cause });
  }
  const status = statusOf(error);
  if (APICallError.isInstance(error) && status === 429) {
    const message = 'The model has too much to do at the moment. What was said is kept: ask again in a while.';
    return new ParleyError('model_error', message, { cause, headers: retryAfter(error) });
  }
  return new ParleyError('model_error', sentenceFor(isKeyRefused(error) ? 401 : status), { cause });
}

/** What no repetition mends is not to be asked again. */
function sentenceFor(status: number | null): string {
  const kept = 'What was said is kept: the operator of the service has to mend that.';
  if (status === 401 || status === 403) return `The model refuses the key that the service has for it. ${kept}`;
  if (status === 402) return `The account that the service has with the model is not paid. ${kept}`;
  if (status === 404) return `The model is not where the service looks for it. ${kept}`;
  if (status !== null && status >= 300 && status < 400) return `The model has moved to another address. ${kept}`;
  return 'The model failed to answer. What was said is kept: ask again.';
}

/** Google says 400 to a wrong key. */
const isKeyRefused = (error: unknown): boolean =>
  APICallError.isInstance(error) &&
  error.statusCode === 400 &&
  /API_KEY_INVALID|API key not valid/.test(error.responseBody ?? '');

function statusOf(error: unknown): number | null {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' ? status : null;
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

/** Only these words and the status: the error of the SDK also holds the prompt, the headers and the whole answer. */
function causeOf(error: unknown, situation: Situation): Error {
  const { status, reason } = toldBy(error, situation);
  return new Error([status === null ? [] : `HTTP ${status}`, reason ?? []].flat().join(': '));
}

/** What a provider said of a failure. Where there is no request to compare it with, only its code is taken. */
function toldBy(error: unknown, { secret }: Pick<Situation, 'secret'>): Omit<ProviderFailure, 'provider'> {
  if (error instanceof ParleyError)
    return { status: null, reason: error.originalError?.message ?? error.message, requestId: null };
  if (!APICallError.isInstance(error)) {
    const { type, code } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
    const name = error instanceof Error ? error.name : null;
    const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined)?.code : null;
    const codes = [name, ...[type, code, cause].map((given) => safeCode(given, null))];
    return { status: statusOf(error), reason: joined(codes), requestId: null };
  }
  const { requestBodyValues: prompt, statusCode: status = null, responseHeaders: headers = {} } = error;
  const { type, code, status: word } = errorIn(error.data ?? parsed(error.responseBody));
  const words = safeWords(error.message, { secret, prompt });
  const moved = status !== null && status >= 300 && status < 400 ? placeOf(headers.location, error.url) : null;
  const codes = [type, code, word].map((given) => safeCode(given, prompt));
  const requestId = requestIds.map((name) => headers[name]).find((id) => id && /^[\w.:/-]{1,128}$/.test(id)) ?? null;
  return {
    status,
    reason: joined([...codes, moved && `redirects to ${moved}, which is not followed`, words]),
    requestId: secret && requestId?.includes(secret) ? null : requestId,
  };
}

/** How providers, and the proxies before them, name the id by which their support finds a request. */
const requestIds = ['x-request-id', 'request-id', 'x-goog-request-id', 'apim-request-id', 'x-amzn-requestid', 'cf-ray'];

const joined = (words: (string | null | undefined)[]): string | null => {
  const reason = [...new Set(words.filter(Boolean))].join(': ').slice(0, 400);
  return reason || null;
};

/** The error in a body: OpenAI and Anthropic hold `{error: {type, code}}`, Google `{error: {status}}`. */
function errorIn(body: unknown): Record<string, unknown> {
  const { error } = (body ?? {}) as { error?: unknown };
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

/** Where a redirect leads, without what its query may hold. */
function placeOf(location: string | undefined, from: string): string {
  const url = location && URL.canParse(location, from) ? new URL(location, from) : null;
  return url ? `${url.origin}${url.pathname}`.slice(0, 200) : 'nowhere';
}
