import { setTimeout as sleep } from 'node:timers/promises';
import { type Schema as CheckerSchema, Validator } from '@cfworker/json-schema';
import type { JsonValue } from '../model/types.ts';
import { FetchFailure } from '../net/fetch-failure.ts';
import type { FetchAnswer, GuardedFetch } from '../net/guarded-fetch.ts';
import {
  type Arguments,
  buildRequest,
  type PluginRequest,
  type Token,
  TokenOfAnotherServer,
  UnusableArguments,
} from './build-request.ts';
import type { Operation, Schema } from './types.ts';

type CallOptions = {
  fetch: GuardedFetch;
  token: Token | null;
  /** Per attempt. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

/**
 * The result of a call, with a text for the model. `status`: the API's status code; null without a response. `reason`:
 * why the API failed, for the log, without what it sent.
 */
export type CallResult = { failed: boolean; sent: boolean; status: number | null; text: string; reason?: string };

const maxBytes = 256_000;
const pauseMs = 300;

/**
 * Calls an operation. Failures are reported in the result: it rejects only if the signal aborts. Only reads are
 * retried, once, if that may help.
 */
export async function callOperation(operation: Operation, args: Arguments, options: CallOptions): Promise<CallResult> {
  const issues = argumentIssues(operation.arguments, args);
  if (issues) return failure(`The call was not made because its arguments are invalid:\n${issues}`);
  try {
    const request = await buildRequest(operation, args, options.token);
    const mayRetry = operation.method === 'GET' || operation.method === 'HEAD';
    const answer = await send(request, options, mayRetry);
    const { status } = answer;
    const result = { failed: status >= 400, sent: true, status, text: readAnswer(answer) };
    return result.failed ? { ...result, reason: `HTTP ${status}` } : result;
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof UnusableArguments) return failure(`The call was not made: ${error.message}`);
    if (error instanceof TokenOfAnotherServer) {
      return { ...failure(`The call was not made: ${error.message}`), reason: error.message };
    }
    if (error instanceof FetchFailure) {
      return { ...failure(`The call failed: ${error.fact}`), sent: true, reason: error.message };
    }
    throw error;
  }
}

const failure = (text: string): CallResult => ({ failed: true, sent: false, status: null, text });

async function send(request: PluginRequest, options: CallOptions, mayRetry: boolean): Promise<FetchAnswer> {
  const { fetch, token, timeoutMs, signal } = options;
  const { url, ...rest } = request;
  const accept = 'application/json, text/*;q=0.9, */*;q=0.5';
  const once = () =>
    fetch(url, {
      ...rest,
      accept,
      timeoutMs,
      maxBytes,
      anyStatus: true,
      cut: true,
      whole: true,
      propagates: true,
      stays: token?.in === 'query',
      ...(signal && { signal }),
    });
  if (!mayRetry) return once();
  try {
    const answer = await once();
    if (![429, 502, 503, 504].includes(answer.status)) return answer;
  } catch (error) {
    if (!(error instanceof FetchFailure) || !error.retryable) throw error;
  }
  await sleep(pauseMs, null, { ...(signal && { signal }) });
  return once();
}

const maxIssues = 5;

/** Returns what is wrong with the arguments of a call, as a text for the model; null if they match the schema. */
export function argumentIssues(schema: Schema, args: JsonValue): string | null {
  const validator = new Validator(withoutPatterns(schema) as CheckerSchema, '2020-12', false);
  const { valid, errors } = validator.validate(args);
  if (valid) return null;
  // The innermost errors say what is wrong; outer ones only that something within is.
  const inner = errors.filter(
    ({ instanceLocation }) => !errors.some((other) => other.instanceLocation.startsWith(`${instanceLocation}/`)),
  );
  const lines = inner.map(
    ({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, '') || 'arguments'}: ${error}`,
  );
  return [...new Set(lines)].slice(0, maxIssues).join('\n');
}

/** Removes patterns: a foreign regular expression may run for years. The API checks its own. */
function withoutPatterns(value: JsonValue, named = false): JsonValue {
  if (Array.isArray(value)) return value.map((one) => withoutPatterns(one));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => named || (key !== 'pattern' && key !== 'patternProperties'));
  return Object.fromEntries(kept.map(([key, held]) => [key, withoutPatterns(held, !named && key === 'properties')]));
}

/** How much of a response a model is shown. */
const maxCharacters = 7_500;

/**
 * Returns a response as text for the model: JSON without white space, other text unchanged, and for anything else a
 * description.
 */
export function readAnswer({ status, contentType, bytes, cut = false }: FetchAnswer): string {
  const bodyText = bytes.byteLength === 0 ? '(no content)' : bodyOf(contentType, bytes, cut);
  const clipped = clip(bodyText);
  const note = cut || clipped !== bodyText ? `\n[truncated: the response was longer; request less]` : '';
  return `${status >= 400 ? `The API responded with ${status}:\n` : ''}${clipped}${note}`;
}

function bodyOf(contentType: string, bytes: Uint8Array, cut: boolean): string {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const isText = type === '' || /^text\/|[/+](?:json|xml|yaml|x-ndjson|javascript|x-www-form-urlencoded)$/.test(type);
  const isMedia = /^(?:image|audio|video|font)\//.test(type);
  const text = isText ? decode(contentType, bytes) : isMedia ? null : decodeUtf8(bytes, cut);
  if (text === null) return `[${type}, ${bytes.byteLength} bytes, which cannot be shown]`;
  // NUL cannot be stored in the database, and no text contains it.
  if (text.includes('\0')) return `[${bytes.byteLength} bytes that are not text]`;
  if (cut || !/^[\s\ufeff]*[[{"]/.test(text)) return text.trim();
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.trim();
  }
}

/** Text under a type that says nothing of it, such as JSON as `application/octet-stream`; null if it is none. */
function decodeUtf8(bytes: Uint8Array, cut: boolean): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
    return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

function decode(contentType: string, bytes: Uint8Array): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** The beginning of a text, without a lone surrogate at its end. */
const clip = (text: string): string =>
  text.length <= maxCharacters ? text : text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '');
