import cluster from 'node:cluster';
import { once } from 'node:events';
import { type Config, readConfig } from './config/config.ts';
import { heapFlags } from './config/heap-flags.ts';
import { optimizeSooner } from './config/v8-flags.ts';
import { fullDisk, isDiskFull } from './core/full-disk.ts';
import { createLog } from './http/log/request-log.ts';
import type { Primary } from './workers/worker.ts';

/** Errors that the operator can fix: reported without a stack. By name, since a primary does not load all of them. */
const expectedErrors = new Set([
  'ConfigError',
  'FolderInUseError',
  'UnwritableFolderError',
  'UnusableFolderError',
  'DatabaseUnreachableError',
  'MigrationError',
  'QueueError',
  'WorkerEndedError',
]);

/** Runs the gateway until `stop` aborts, then exits. If it cannot start, says why and sets a failing exit code. */
export async function run(stop: AbortSignal, primary: Primary | null): Promise<void> {
  // Node's own report names places in the bundle.
  process.on('uncaughtExceptionMonitor', (err) => createLog('fatal').fatal({ err }, 'Parley crashed'));
  try {
    const config = readConfig(process.env);
    const close = config.workers > 1 && cluster.isPrimary ? await supervise(config, stop) : await serve(stop, primary);
    await close();
    process.exit();
  } catch (error) {
    if (stop.aborted && error === stop.reason) process.exit(0);
    reportFailure(error);
    if (stop.aborted || primary) process.exit(1);
    process.exitCode = 1;
  }
}

/**
 * Says why the gateway cannot start, whatever the log level: as a line of the log, and as text on a terminal. An error
 * that the operator can fix has no stack.
 */
function reportFailure(error: unknown): void {
  const reason = reasonOf(error);
  const { stdout, stderr } = process;
  if (!stdout.isTTY) createLog('fatal').fatal(reason ? { reason } : { err: error }, 'Parley cannot start');
  if (stdout.isTTY || stderr.isTTY) {
    console.error(reason ? `Parley cannot start: ${reason}` : error);
  }
}

/** What the operator can do; null for an error of the gateway's own. */
function reasonOf(error: unknown): string | null {
  if (isDiskFull(error)) return fullDisk;
  // Callers get a 503; the reason is its cause.
  const [known] = [error, (error as { originalError?: unknown } | null)?.originalError].filter(
    (one) => one instanceof Error && expectedErrors.has(one.name),
  );
  return known instanceof Error ? known.message : null;
}

/** Serves until the end, or until a successor has taken over. Returns the function that closes everything. */
async function serve(stop: AbortSignal, primary: Primary | null): Promise<() => Promise<void>> {
  const { start } = await import('./start.ts');
  const { close, drain, url } = await start(stop, primary);
  optimizeSooner();
  if (stop.aborted) return close;
  primary?.channel.notify('ready', url);
  const stopped = once(stop, 'abort');
  await Promise.race(primary ? [stopped, primary.replaced.then(drain)] : [stopped]);
  return close;
}

async function supervise(config: Config, stop: AbortSignal): Promise<() => Promise<void>> {
  const { startWorkers } = await import('./workers/primary.ts');
  const { close, failed } = await startWorkers(config, { stop, flags: heapFlags(config.workers, process.env) });
  if (!stop.aborted) await Promise.race([once(stop, 'abort'), failed]);
  return close;
}
