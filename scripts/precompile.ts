/**
 * Starts the gateway once, on a folder of its own, so that V8 keeps the compiled code: otherwise the first
 * start compiles it. Where that fails, the first start is slower, no more.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const longestMs = 120_000;
// No setting of the gateway that will run.
const { PATH, HOME, TMPDIR, SystemRoot } = process.env;

const folder = mkdtempSync(path.join(tmpdir(), 'parley-precompile-'));
const gateway = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--import', './scripts/ready.js', 'src/launch.ts'],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH, HOME, TMPDIR, SystemRoot, DATA_DIR: folder, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: longestMs,
  },
);
createInterface({ input: gateway.stdout }).on('line', (line) => {
  if (line.includes('Parley is ready')) gateway.kill();
});
await once(gateway, 'close');
rmSync(folder, { recursive: true, force: true });
