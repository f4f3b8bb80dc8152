import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { KillPoint } from './kill-points.ts';

export type GatewayProcess = {
  url: string;
  /** Opens GraphiQL with a token, once. */
  address: string;
  child: ChildProcess;
  /** Has it die at a statement from now on. */
  arm(point: KillPoint): void;
  /** Resolves when it has ended. */
  exited: Promise<unknown>;
  /** Kills it, unless it is dead, and waits for its end. */
  kill(signal?: NodeJS.Signals): Promise<void>;
};

/** Starts the gateway as a process of its own. */
export async function startGateway(env: NodeJS.ProcessEnv): Promise<GatewayProcess> {
  const args = ['--disable-warning=ExperimentalWarning', '--import', './test/support/kill-points.ts', 'src/main.ts'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const address = /http:\/\/127\.0\.0\.1:\d+\/graphql.*/.exec(line)?.[0];
    if (address) {
      const arm = (point: KillPoint) => void child.send(point, () => {});
      return { url: new URL(address).origin, address, child, exited, kill, arm };
    }
  }
  throw new Error('The gateway did not start.');
}

/** A token of the demo workspace's owner. */
export async function ownerToken(env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', 'src/cli/token.ts'];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
}
