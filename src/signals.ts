/** How long an orderly end may take, in milliseconds: whoever asked for it waits ten seconds, and then kills. */
const graceMs = 9_500;
/** How soon the end of npm is noticed, in milliseconds. */
const lookMs = 250;

/**
 * Listens for the signals that ask a process to end, SIGHUP of a closed terminal among them. The first aborts the signal
 * that is returned; a second one ends the process at once, and so does an end that takes too long.
 */
export function listenForSignals(): AbortSignal {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(1);
    setTimeout(() => process.exit(1), graceMs).unref();
    stop.abort();
  };
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, onSignal);
  if (process.env.npm_lifecycle_event) onOrphaned(() => !stop.signal.aborted && onSignal());
  return stop.signal;
}

/** Under npm, which dies of a SIGHUP, or is killed, without passing it on: its end is the signal. */
function onOrphaned(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), lookMs).unref();
}
