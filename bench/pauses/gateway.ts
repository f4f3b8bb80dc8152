import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startEnvironment, startFlags } from '../../src/config/start-settings.ts';
import { gatewayFile } from '../contender.ts';

const run = promisify(execFile);

export type Gateway = {
  // oxlint-disable-next-line typescript/no-explicit-any
  ask(query: string, variables?: object): Promise<any>;
  /** Runs a command of the gateway, such as `backup`, and returns what it printed. */
  command(name: string, ...args: string[]): Promise<string>;
  stop(): Promise<void>;
};

export type GatewayOptions = { dataDir: string; port: string; workspaceId: string; log: string };

/**
 * Starts the gateway as `npm start` does, and waits until it answers; requests are made as the owner of a workspace.
 */
export async function startGateway({ dataDir, port, workspaceId, log }: GatewayOptions): Promise<Gateway> {
  const env = { PATH: process.env.PATH, ...startEnvironment, DATA_DIR: dataDir, PORT: port, LOG_LEVEL: 'debug' };
  const child = spawn(process.execPath, [...startFlags, gatewayFile], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => child.kill());
  child.stdout.pipe(createWriteStream(log, { flags: 'a' }));
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, child);
  const command = async (name: string, ...args: string[]) => {
    const { stdout } = await run(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', `src/cli/${name}.ts`, ...args],
      { env },
    );
    return stdout.trim();
  };
  const token = await command('token', '--workspace', workspaceId, '--ttl', '86400');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    async ask(query, variables) {
      const body = JSON.stringify({ query, variables });
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
      const answer = await response.json();
      if (!response.ok || answer.errors) throw new Error(`${query}: ${JSON.stringify(answer)}`);
      return answer.data;
    },
    command,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isReady = await fetch(`${url}/ready`)
      .then(({ ok }) => ok)
      .catch(() => false);
    if (isReady) return;
    await sleep(50);
  }
  throw new Error('The gateway did not start.');
}
