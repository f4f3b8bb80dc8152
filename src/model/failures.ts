import { APICallError, RetryError } from 'ai';
import { ParleyError } from '../errors.ts';

type Situation = { timedOut: boolean; stopped: boolean; secret: string | null };

/**
 * A failure of the model in words of the service: 504 `model_timeout`, 503 `unavailable` when the caller's signal
 * stopped the turn, 502 `model_error` otherwise. What the provider said is the cause, for the log, without the key.
 */
export function modelFailure(thrown: unknown, { timedOut, stopped, secret }: Situation): ParleyError {
  if (thrown instanceof ParleyError) return thrown;
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
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

function retryAfter({ responseHeaders }: APICallError): Record<string, string> {
  const seconds = responseHeaders?.['retry-after'] ?? '';
  return /^\d{1,4}$/.test(seconds) ? { 'retry-after': seconds } : {};
}

/** Only the words and the status: the error of the SDK also holds the prompt, the headers and the whole answer. */
function causeOf(error: unknown, secret: string | null): Error {
  const status = APICallError.isInstance(error) && error.statusCode ? `HTTP ${error.statusCode}: ` : '';
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const said = `${status}${words}`.slice(0, 1_000);
  return new Error(secret ? said.replaceAll(secret, '***') : said);
}
