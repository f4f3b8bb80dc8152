/** How long a graceful shutdown may take, in milliseconds: supervisors usually send SIGKILL after ten seconds. */
const graceMs = 9_500;
/** How often to check whether npm is still running, in milliseconds. */
const lookMs = 250;

/**
 * Listens for the signals that ask a process to end, including the SIGHUP of a closed terminal. The first one aborts
 * the returned signal; a second one, or a shutdown that takes too long, exits at once. `primary`: aborted by a worker's
 * primary process, which gets the signals of a terminal too, so that a worker leaves these to it.
 */
export function listenForSignals(primary?: AbortSignal): AbortSignal {
  const stop = new AbortController();
  const end = (): void => {
    setTimeout(() => process.exit(1), graceMs).unref();
    stop.abort();
  };
  const onSignal = (): void => {
    // A worker may get SIGTERM from a supervisor of all processes and from its primary.
    if (!stop.signal.aborted) end();
    else if (!primary) process.exit(1);
  };
  process.on('SIGTERM', onSignal);
  for (const name of ['SIGINT', 'SIGHUP']) process.on(name, primary ? () => {} : onSignal);
  primary?.addEventListener('abort', onSignal);
  if (process.env.npm_lifecycle_event && !primary) onOrphaned(() => !stop.signal.aborted && onSignal());
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
