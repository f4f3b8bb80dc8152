/** How long a graceful shutdown may take, in milliseconds: supervisors usually send SIGKILL after ten seconds. */
const graceMs = 9_500;
/** How often to check whether npm is still running, in milliseconds. */
const lookMs = 250;

/**
 * Listens for the signals that ask a process to end, including the SIGHUP of a closed terminal. The first one aborts
 * the returned signal; a second one, or a shutdown that takes too long, exits at once.
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

/**
 * For a process under npm, which may be killed, or die of a SIGHUP, without forwarding it: treats its end as the
 * signal.
 */
function onOrphaned(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), lookMs).unref();
}
