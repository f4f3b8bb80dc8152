import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { startEnvironment, startFlags } from '../../src/config/start-settings.ts';
import { gatewayFile } from '../contender.ts';
import { memoryOf } from './processes.ts';

const sampleIntervalMs = 200;

export type Gateway = {
  // oxlint-disable-next-line typescript/no-explicit-any
  ask(path: string, body?: object): Promise<any>;
  /** The memory of the gateway and its children in megabytes: now, and the maximum since the last `forget`. */
  memory(): { now: number; maximum: number };
  forget(): void;
  stop(): Promise<void>;
};

/** Starts the gateway as `npm start` does, with the demo workspace; requests are made as its owner. */
export async function startGateway(settings: Record<string, string>): Promise<Gateway> {
  const env = { PATH: process.env.PATH, ...startEnvironment, ...settings, PORT: '0', DEMO: 'true', LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [...startFlags, gatewayFile], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await addressOf(child);
  const token = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'src/cli/token.ts'],
    { env },
  );
  const headers = { authorization: `Bearer ${token.stdout.trim()}`, 'content-type': 'application/json' };
  let maximum = 0;
  // Linux records the peak of each process, but not of several together.
  const sample = () => {
    const held = memoryOf(child.pid as number);
    maximum = Math.max(maximum, held);
    return held;
  };
  const sampler = setInterval(sample, sampleIntervalMs);
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
    memory: () => ({ now: sample(), maximum }),
    forget() {
      maximum = 0;
    },
    async stop() {
      clearInterval(sampler);
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
