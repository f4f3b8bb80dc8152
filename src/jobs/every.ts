/** Does work, which throws nothing, now and then every so many milliseconds, one time after the other, until `close`. */
export function every(ms: number, work: () => Promise<void>): { first: Promise<void>; close(): Promise<void> } {
  const first = work();
  let working = first;
  let isClosed = false;
  const interval = setInterval(() => {
    working = working.then(() => (isClosed ? undefined : work()));
  }, ms).unref();
  return {
    /** Resolves when the work was done for the first time. */
    first,
    close() {
      isClosed = true;
      clearInterval(interval);
      return working;
    },
  };
}
