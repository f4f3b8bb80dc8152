/**
 * Runs `work`, which must not throw, now and then every `ms` milliseconds without overlap, until `close`: that aborts
 * the signal, and waits for what has begun.
 */
export function every(
  ms: number,
  work: (signal: AbortSignal) => Promise<void>,
): { first: Promise<void>; close(): Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;
  const first = work(signal);
  let working = first;
  const interval = setInterval(() => {
    working = working.then(() => (signal.aborted ? undefined : work(signal)));
  }, ms).unref();
  return {
    /** Resolves once `work` has run for the first time. */
    first,
    close() {
      closing.abort();
      clearInterval(interval);
      return working;
    },
  };
}
