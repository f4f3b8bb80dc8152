/**
 * What `npm start` runs: sets what Node and malloc read when a process begins, and becomes the gateway, so that a signal to
 * this process is one to the gateway. Where a process cannot replace itself (Windows), it passes signals on.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startEnvironment, startFlags } from './config/start-settings.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

const command = [process.execPath, ...startFlags, pathOf('main.ts'), ...process.argv.slice(2)];
const env = { NODE_COMPILE_CACHE: pathOf('../node_modules/.cache/node'), ...startEnvironment, ...process.env };

if (process.platform !== 'win32') process.execve?.(process.execPath, command, env);

const child = spawn(process.execPath, command.slice(1), { env, stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => process.exit(code ?? 1));
