/** Does work now and then every so many milliseconds, one time after the other, until `close`. A failure is for `onFailure`. */
export function every(
  ms: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): { close(): Promise<void> } {
  let working = Promise.resolve();
  const next = () => {
    working = working.then(work).catch(onFailure);
  };
  next();
  const interval = setInterval(next, ms).unref();
  return {
    close() {
      clearInterval(interval);
      return working;
    },
  };
}
