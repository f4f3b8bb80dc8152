import { APICallError } from '@ai-sdk/provider';
import { ParleyError } from '../../core/errors.ts';
import { parsedJson } from '../../core/json.ts';
import { type Refusal, refusalIn, refused } from '../providers/refusals.ts';
import type { ProviderFailure } from '../types.ts';
import { safeCode, safeWords } from './provider-words.ts';

type Situation = { timedOut: boolean; stopped: boolean; secret: string | null };

/** A failed attempt, classified. */
export type Failed = {
  error: ParleyError;
  /** The reason in a few words, without what the provider said. */
  reason: string;
  /** What the provider reported, for owners and the log; null if nothing. */
  failure: Omit<ProviderFailure, 'provider'> | null;
  /** Transient: rate limiting, the network or an error of the provider's own. A retry may succeed. */
  transient: boolean;
  timedOut: boolean;
  /** The delay that the provider asks for, in milliseconds; null if none. */
  waitMs: number | null;
  /** Nothing else may be tried. */
  final: boolean;
  /** False if the breaker was open and the model was not called. */
  wasCalled: boolean;
};

/** Classifies a failure: whether to retry it, and what the caller is told. */
export function classifyFailure(error: unknown, situation: Situation): Failed {
  const failure = {
    error: modelFailure(error, situation),
    failure: situation.timedOut || situation.stopped ? null : failureOf(error, situation),
    timedOut: situation.timedOut,
    waitMs: APICallError.isInstance(error) ? waitOf(error) : null,
    final: false,
    wasCalled: true,
  };
  if (situation.stopped) return { ...failure, reason: 'stopped', transient: false };
  if (situation.timedOut) return { ...failure, reason: 'timeout', transient: false };
  if (failure.error.code in refusalReasons)
    return { ...failure, reason: refusalReasons[failure.error.code as Refusal], transient: false };
  if (error instanceof ParleyError) return { ...failure, reason: 'an answer that cannot be used', transient: false };
  return { ...failure, reason: reasonOf(error), transient: isTransient(error) };
}

const refusalReasons: Record<Refusal, string> = {
  content_filtered: 'a content filter',
  model_refused: 'the model declined',
  context_overflow: 'a conversation that is too long',
};

function isTransient(error: unknown): boolean {
  if (hasRetryable(error)) return error.isRetryable;
  // The connection broke mid-response.
  return error instanceof TypeError || (error instanceof Error && 'code' in error);
}

/** A failed call, or an error that the provider sent within the stream. */
const hasRetryable = (error: unknown): error is { isRetryable: boolean } =>
  typeof error === 'object' && error !== null && 'isRetryable' in error && typeof error.isRetryable === 'boolean';

function reasonOf(error: unknown): string {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status === 'number' && status >= 300) return `HTTP ${status}`;
  if (typeof status === 'number') return 'an answer that cannot be read';
  if (isTransient(error)) return 'the connection failed';
  return APICallError.isInstance(error) ? 'an error within the answer' : 'an answer that cannot be read';
}

/**
 * Converts a failure of the model to one of our errors: 504 `model_timeout`, 503 `unavailable` if the caller's signal
 * stopped the turn, 502 `model_error` otherwise. `cause` carries the provider's message for the log, without the API
 * key and without parts of the conversation that it quotes.
 */
export function modelFailure(error: unknown, situation: Situation): ParleyError {
  if (error instanceof ParleyError) return error;
  const { timedOut, stopped } = situation;
  if (stopped)
    return new ParleyError(
      'unavailable',
      'The reply was stopped before it was complete: send the message again for another.',
    );
  const cause = causeOf(error, situation);
  if (timedOut) {
    const message = 'The model did not respond in time. The messages are stored: try again.';
    return new ParleyError('model_timeout', message, { cause });
  }
  const status = statusOf(error);
  const refusal = APICallError.isInstance(error) && !isKeyRefused(error) ? refusalIn(status, saidBy(error)) : null;
  if (refusal) return refused(refusal, cause);
  if (APICallError.isInstance(error) && status === 429) {
    const message = 'The model is overloaded at the moment. The messages are stored: try again later.';
    return new ParleyError('model_error', message, { cause, headers: retryAfter(error) });
  }
  return new ParleyError('model_error', sentenceFor(isKeyRefused(error) ? 401 : status), { cause });
}

/** Failures that a retry cannot fix do not suggest one. */
function sentenceFor(status: number | null): string {
  const contentKept = 'The messages are stored. The operator of the service must fix this.';
  if (status === 401 || status === 403) return `The model provider rejects the API key of the service. ${contentKept}`;
  if (status === 402) return `The account of the service at the model provider has no credit. ${contentKept}`;
  if (status === 404) return `The model was not found at its configured address. ${contentKept}`;
  if (status !== null && status >= 300 && status < 400) return `The model has moved to another address. ${contentKept}`;
  return 'The model failed to respond. The messages are stored: try again.';
}

/** The codes and words of an error, to be searched only: they may quote the conversation. */
function saidBy({ message, responseBody, data }: APICallError): string {
  const { error: _, ...rest } = (data ?? parsedJson(responseBody ?? '') ?? {}) as Record<string, unknown>;
  const { type, code, innererror } = { ...rest, ...errorIn(data ?? parsedJson(responseBody ?? '')) } as Record<
    string,
    unknown
  >;
  return [type, code, innererror && JSON.stringify(innererror), message].filter(Boolean).join(' ');
}

/** Google reports an invalid API key as 400. */
const isKeyRefused = (error: unknown): boolean =>
  APICallError.isInstance(error) &&
  error.statusCode === 400 &&
  /API_KEY_INVALID|API key not valid/.test(error.responseBody ?? '');

function statusOf(error: unknown): number | null {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' ? status : null;
}

/** The model's output cannot be used. `why` is for the log. */
export const unusableAnswer = (message: string, why: string): ParleyError =>
  new ParleyError('model_error', message, { cause: new Error(why) });

function retryAfter(error: APICallError): Record<string, string> {
  const wait = waitOf(error);
  return wait === null ? {} : { 'retry-after': String(Math.min(9_999, Math.ceil(wait / 1_000))) };
}

/** The delay in `Retry-After`, as seconds or a date, or in the more precise `retry-after-ms`. */
function waitOf({ responseHeaders }: APICallError): number | null {
  const millis = Number.parseFloat(responseHeaders?.['retry-after-ms'] ?? '');
  if (millis >= 0) return millis;
  const header = responseHeaders?.['retry-after'] ?? '';
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1_000;
  const until = Date.parse(header);
  return Number.isNaN(until) ? null : Math.max(0, until - Date.now());
}

/**
 * Keeps the status and the sanitized message only: the SDK's error also carries the prompt, the headers and the whole
 * response.
 */
function causeOf(error: unknown, situation: Situation): Error {
  const { status, reason } = failureOf(error, situation);
  return new Error([status === null ? [] : `HTTP ${status}`, reason ?? []].flat().join(': '));
}

/** What a provider reported about a failure. Without a request to compare it with, only error codes are kept. */
function failureOf(error: unknown, { secret }: Pick<Situation, 'secret'>): Omit<ProviderFailure, 'provider'> {
  if (error instanceof ParleyError)
    return { status: null, reason: error.originalError?.message ?? error.message, requestId: null };
  if (!APICallError.isInstance(error)) {
    const { type, code } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
    const name = error instanceof Error ? error.name : null;
    const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined)?.code : null;
    const codes = [name, ...[type, code, cause].map((header) => safeCode(header, null))];
    return { status: statusOf(error), reason: joined(codes), requestId: null };
  }
  const { requestBodyValues: prompt, statusCode: status = null, responseHeaders: headers = {} } = error;
  const { type, code, status: statusWord } = errorIn(error.data ?? parsedJson(error.responseBody ?? ''));
  const words = safeWords(error.message, { secret, prompt });
  const redirectTarget =
    status !== null && status >= 300 && status < 400 ? redirectTargetOf(headers.location, error.url) : null;
  const codes = [type, code, statusWord].map((header) => safeCode(header, prompt));
  const requestId = requestIds.map((name) => headers[name]).find((id) => id && /^[\w.:/-]{1,128}$/.test(id)) ?? null;
  return {
    status,
    reason: joined([...codes, redirectTarget && `redirects to ${redirectTarget}, which is not followed`, words]),
    requestId: secret && requestId?.includes(secret) ? null : requestId,
  };
}

/** Headers in which providers, and the proxies in front of them, send the id that their support can look up. */
const requestIds = ['x-request-id', 'request-id', 'x-goog-request-id', 'apim-request-id', 'x-amzn-requestid', 'cf-ray'];

const joined = (words: (string | null | undefined)[]): string | null => {
  const reason = [...new Set(words.filter(Boolean))].join(': ').slice(0, 400);
  return reason || null;
};

/**
 * The error object of a response body: `{error: {type, code}}` with OpenAI and Anthropic, `{error: {status}}` with
 * Google.
 */
function errorIn(body: unknown): Record<string, unknown> {
  const { error } = (body ?? {}) as { error?: unknown };
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
}

/** The target of a redirect, without its query string. */
function redirectTargetOf(location: string | undefined, from: string): string {
  const url = location && URL.canParse(location, from) ? new URL(location, from) : null;
  return url ? `${url.origin}${url.pathname}`.slice(0, 200) : 'nowhere';
}
