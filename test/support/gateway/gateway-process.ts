import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { KillPoint } from '../faults/kill-points.ts';

export type GatewayProcess = {
  url: string;
  child: ChildProcess;
  /** Makes it die at a statement from now on. */
  arm(point: KillPoint): void;
  /** Resolves when the process has exited. */
  exited: Promise<unknown>;
  /** Kills the process, unless it is dead, and waits for its exit. */
  kill(signal?: NodeJS.Signals): Promise<void>;
};

/**
 * `imports`: modules to preload, with paths from the root. `cwd`: of another checkout. `errors`: where standard error
 * goes.
 */
export type StartOptions = { imports?: string[]; errors?: 'inherit' | 'ignore' | 'pipe'; cwd?: string };

/** A gateway process that may not listen yet. */
export type BegunGateway = Omit<GatewayProcess, 'url'> & {
  /** Rejects if the process exits before it listens. */
  listening: Promise<GatewayProcess>;
};

const killPoints = path.join(import.meta.dirname, '../faults/kill-points.ts');

/** Starts the gateway as a child process, without waiting. From its sources: modules are preloaded that it shares. */
export function beginGateway(env: NodeJS.ProcessEnv, { imports = [], errors = 'inherit', cwd }: StartOptions = {}) {
  const loaded = [killPoints, ...imports].flatMap((file) => ['--import', file]);
  const args = ['--disable-warning=ExperimentalWarning', ...loaded, 'src/main.ts'];
  const child = spawn(process.execPath, args, { env, cwd, stdio: ['ignore', 'pipe', errors, 'ipc'] });
  const exited = once(child, 'exit');
  const begun = {
    child,
    exited,
    arm: (point: KillPoint) => void child.send(point, () => {}),
    async kill(signal: NodeJS.Signals = 'SIGKILL') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
  return { ...begun, listening: urlOf(child).then((url) => ({ ...begun, url })) } satisfies BegunGateway;
}

/** Starts the gateway as a child process, and waits until it listens. */
export const startGateway = (env: NodeJS.ProcessEnv, options?: StartOptions): Promise<GatewayProcess> =>
  beginGateway(env, options).listening;

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout as NodeJS.ReadableStream })) {
    const url = /(http:\/\/127\.0\.0\.1:\d+)\/graphql/.exec(line)?.[1];
    if (!url) continue;
    // Discard the log: a full pipe would block the process.
    stdout?.resume();
    return url;
  }
  throw new Error('The gateway did not start.');
}

/** A token of the demo workspace's owner. */
export async function ownerToken(env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', 'src/cli/token.ts'];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
}
