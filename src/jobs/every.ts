/** Runs `work`, which must not throw, now and then every `ms` milliseconds without overlap, until `close`. */
export function every(ms: number, work: () => Promise<void>): { first: Promise<void>; close(): Promise<void> } {
  const first = work();
  let working = first;
  let isClosed = false;
  const interval = setInterval(() => {
    working = working.then(() => (isClosed ? undefined : work()));
  }, ms).unref();
  return {
    /** Resolves once `work` has run for the first time. */
    first,
    close() {
      isClosed = true;
      clearInterval(interval);
      return working;
    },
  };
}
