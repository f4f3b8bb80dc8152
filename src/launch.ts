/**
 * The entry point of `npm start`: sets the flags and variables that Node and malloc only read at process start, then
 * execs the gateway, so that signals reach it directly. Where exec is unavailable (Windows), it spawns the gateway and
 * forwards signals.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openBundle } from './bundle/bundle.ts';
import { startEnvironment, startFlags } from './config/start-settings.ts';

const main = openBundle('gateway')(new URL('main.ts', import.meta.url));

const command = [process.execPath, ...startFlags, fileURLToPath(main), ...process.argv.slice(2)];
const env = { ...startEnvironment, ...process.env };

if (process.platform !== 'win32') process.execve?.(process.execPath, command, env);

const child = spawn(process.execPath, command.slice(1), { env, stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => process.exit(code ?? 1));
