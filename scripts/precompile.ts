/**
 * Starts the gateway once, on a folder of its own, so that V8 keeps the compiled code: otherwise the first
 * start compiles it. Where that fails, the first start is slower, no more.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const longestMs = 120_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const stop = new AbortController();
// Not once: a terminal and npm may both send it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort(signal));

await precompile().catch((error: Error) => {
  if (!stop.signal.aborted) process.stderr.write(`The first start may take longer: ${error.message}\n`);
});
if (stop.signal.aborted) {
  // Ends this process as the signal would have without a listener.
  process.removeAllListeners(stop.signal.reason);
  process.kill(process.pid, stop.signal.reason);
}

async function precompile(): Promise<void> {
  // Beside the compiled code: where no folder can be made, that cannot be kept either.
  const cache = path.join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'precompile-'));
  try {
    await startOnce(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves once a gateway was ready and has ended. */
async function startOnce(folder: string): Promise<void> {
  // No setting of the gateway that will run. Under npm, it also ends if this process is killed.
  const { PATH, HOME, TMPDIR, SystemRoot } = process.env;
  const env = { PATH, HOME, TMPDIR, SystemRoot, DATA_DIR: folder, PORT: '0', npm_lifecycle_event: 'postinstall' };
  const gateway = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--import', './scripts/ready.js', 'src/launch.ts'],
    { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'], timeout: longestMs, killSignal: 'SIGKILL' },
  );
  stop.signal.addEventListener('abort', () => gateway.kill('SIGKILL'));
  let wasReady = false;
  // Where nothing could be spawned, there may be no output to read.
  gateway.once('spawn', () => {
    createInterface({ input: gateway.stdout }).on('line', (line) => {
      if (!line.includes('Parley is ready')) return;
      wasReady = true;
      gateway.kill();
    });
  });
  await once(gateway, 'close');
  if (!wasReady) throw new Error('the gateway, started once to keep its compiled code, did not become ready.');
}
