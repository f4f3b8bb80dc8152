import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import { type Json, objectOr } from '../providers/wire.ts';

const early = 'the stream ended before the reply was complete';

/** A stream that ended, or was interrupted, before the reply was complete: the same attempt may succeed again. */
export const interruptedStream = (requestBodyValues: unknown): APICallError =>
  new APICallError({ message: early, url: '', requestBodyValues, isRetryable: true });

/**
 * An error within a stream as that of a call, if a provider has sent it. It carries the prompt, which tells the
 * provider's own words from what it repeats of the conversation.
 */
export function streamError(error: unknown, requestBodyValues: unknown): unknown {
  if (InvalidResponseDataError.isInstance(error)) return interruptedStream(requestBodyValues);
  if (error instanceof Error) return error;
  const sent = objectOr(error);
  const nested = [objectOr(sent.response).error, sent.error].find((each) => typeof each === 'object' && each !== null);
  const details = { ...sent, ...objectOr(nested) };
  const { message, type, code, isRetryable = details.is_retryable } = details;
  if (typeof message !== 'string') return error;
  const statusCode = statusOf(details) ?? passing[message.trim().toLowerCase()];
  return new APICallError({
    message,
    url: '',
    requestBodyValues,
    data: { error: { type, code } },
    ...(statusCode && { statusCode }),
    ...(typeof isRetryable === 'boolean' && { isRetryable }),
  });
}

/** What providers say without a code when they fail for a while. */
const passing: Record<string, number> = {
  overloaded: 503,
  'overloaded error': 503,
  'model overloaded': 503,
  'internal server error': 500,
  'service unavailable': 503,
};

const statusOf = ({ statusCode, status_code, status, code }: Json): number | undefined =>
  [statusCode, status_code, status, code].map(statusIn).find(Boolean);

function statusIn(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}
