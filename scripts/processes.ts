import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';

type Options = { cwd: string; env?: NodeJS.ProcessEnv; shell?: boolean };

/**
 * Runs a program, showing its output only if it fails. Throws an `Error` with the command and its exit code or signal.
 */
export async function execute(command: string, args: string[], options: Options): Promise<void> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => output.push(bytes));
  const [code, signal] = await once(child, 'close');
  if (code === 0) return;
  process.stderr.write(Buffer.concat(output));
  throw new Error(`${[path.basename(command), ...args].join(' ')} ended with ${signal ?? code}`);
}

/** Runs npm: the one that started this process, or the one on the PATH. Throws like `execute`. */
export function npm(args: string[], cwd: string): Promise<void> {
  const own = process.env.npm_execpath;
  if (own?.endsWith('npm-cli.js')) return execute(process.execPath, [own, ...args], { cwd });
  return execute('npm', args, { cwd, shell: process.platform === 'win32' });
}

/** The path of a program that an installed package provides. */
export function programOf(root: string, name: string, program: string): string {
  const folder = path.join(root, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return path.join(folder, typeof bin === 'string' ? bin : bin[program]);
}
