import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { startEnvironment, startFlags } from '../../src/start-settings.ts';

export type Gateway = {
  // biome-ignore lint/suspicious/noExplicitAny: the shape is the caller's own
  // oxlint-disable-next-line typescript/no-explicit-any
  ask(path: string, body?: object): Promise<any>;
  /** Megabytes that it holds now, and the most since the last `forget`. */
  memory(): { now: number; most: number };
  forget(): void;
  stop(): Promise<void>;
};

/** Starts the gateway as `npm start` does, with the demo workspace, whose owner asks. */
export async function startGateway(settings: Record<string, string>): Promise<Gateway> {
  const env = { PATH: process.env.PATH, ...startEnvironment, ...settings, PORT: '0', DEMO: 'true', LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [...startFlags, 'src/main.ts'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await addressOf(child);
  const token = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'src/cli/token.ts'],
    { env },
  );
  const headers = { authorization: `Bearer ${token.stdout.trim()}`, 'content-type': 'application/json' };
  const status = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024;
  return {
    async ask(path, body) {
      const response = await fetch(url + path, {
        headers,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
      return answer;
    },
    memory: () => ({ now: status('VmRSS'), most: status('VmHWM') }),
    // Has Linux count the most anew.
    forget: () => writeFileSync(`/proc/${child.pid}/clear_refs`, '5'),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  for await (const line of lines) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url) return url;
  }
  throw new Error('The gateway did not start.');
}
