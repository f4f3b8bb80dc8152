import { setTimeout as sleep } from 'node:timers/promises';
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
import { argumentIssues } from './check-arguments.ts';
import { readAnswer } from './read-answer.ts';
import type { Operation } from './types.ts';

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
