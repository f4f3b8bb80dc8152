import type { ParleyError } from './errors.ts';
import { redact } from './redact.ts';

type Write = (details: object, message: string) => void;
export type CauseLog = { error: Write; warn: Write };

const logged = new WeakSet<ParleyError>();

/** Whether the failure has a cause that is not in the log yet; from now on, it counts as logged. */
export function takeCause(failure: ParleyError): boolean {
  if (!failure.originalError || logged.has(failure)) return false;
  logged.add(failure);
  return true;
}

/**
 * Logs why a request failed, of which the caller gets less: once for each error, however many places handle it. An
 * error without a cause says all there is to say, and is not logged.
 */
export function logCause(failure: ParleyError, log: CauseLog): void {
  if (!takeCause(failure)) return;
  const details = { cause: `${failure.code}: ${redact(rootOf(failure).message).slice(0, 200)}`, err: failure };
  if (failure.status >= 500) log.error(details, 'a request failed');
  else log.warn(details, 'a request was refused');
}

/** The innermost cause that says something. */
function rootOf(failure: ParleyError): Error {
  let root: Error = failure;
  let next: unknown = failure.originalError;
  for (let depth = 0; next instanceof Error && depth < 5; depth++) {
    if (next.message) root = next;
    next = next.cause;
  }
  return root;
}
