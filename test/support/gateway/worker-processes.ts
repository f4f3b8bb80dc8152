import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openBundle } from '../../../src/bundle/bundle.ts';
import { freePort } from './free-port.ts';

const main = new URL('../../../src/main.ts', import.meta.url);

/** A gateway of several worker processes. */
export type WorkerProcesses = {
  url: string;
  metricsUrl: string;
  primary: ChildProcess;
  /** What it has printed on standard output, the log included, and on standard error. */
  lines: string[];
  errors: string[];
  /** The process ids of its workers, by their number. */
  pids(): Map<number, number>;
  exited: Promise<unknown>;
  /** Ends it, and waits for its exit; returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/** Starts a gateway with `WORKERS`, and waits until all accept requests. Throws what it printed if it ends before. */
export async function startWorkerProcesses(env: NodeJS.ProcessEnv): Promise<WorkerProcesses> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const settings = { PORT: String(port), METRICS_PORT: String(metricsPort), WORKERS: '2', LOG_LEVEL: 'info', ...env };
  const args = ['--disable-warning=ExperimentalWarning', fileURLToPath(openBundle('gateway')(main))];
  const primary = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(primary, 'exit');
  const [lines, errors] = [primary.stdout, primary.stderr].map((output) => {
    const texts: string[] = [];
    createInterface({ input: output }).on('line', (line) => texts.push(line));
    return texts;
  }) as [string[], string[]];
  const ready = new Promise<void>((resolve) => {
    primary.stdout.on('data', () => lines.some((line) => line.includes('Parley is ready')) && resolve());
  });
  await Promise.race([ready, exited]);
  if (primary.exitCode !== null || primary.signalCode !== null) throw new Error([...lines, ...errors].join('\n'));
  return {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    primary,
    lines,
    errors,
    pids: () => workersOf(primary.pid ?? 0),
    exited,
    async stop(signal = 'SIGTERM') {
      if (primary.exitCode === null && primary.signalCode === null) primary.kill(signal);
      await exited;
      return primary.exitCode;
    },
  };
}

/** Reads Linux's list of children: workers are numbered by an argument. */
function workersOf(pid: number): Map<number, number> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  const numbered = children.map((child): [number, number] => {
    const [, number] = /--worker=(\d+)/.exec(readFileSync(`/proc/${child}/cmdline`, 'utf8')) ?? [];
    return [Number(number), child];
  });
  return new Map(numbered);
}
