import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, BenchRequest, Contender, Send } from './contender.ts';
import type { Question, Reading } from './probe.ts';

/** A running contender. */
export type Server = {
  contender: Contender;
  origin: string;
  /** Milliseconds from its start until it was ready. */
  startMs: number;
  send: Send;
  ask: (question: Question) => Promise<Reading>;
  stop: () => Promise<void>;
};

/** `folder` receives the process's log; `env` says where its data is; `flags` are for Node. */
export type StartOptions = { folder: string; env: Record<string, string>; flags?: string[] };

const here = import.meta.dirname;
const probe = new URL('probe.ts', import.meta.url).href;

/** Starts a contender as a child process, and waits until it is ready. */
export async function start(contender: Contender, { folder, env, flags = [] }: StartOptions): Promise<Server> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const log = openSync(path.join(folder, `${contender.name.replaceAll(/\W+/g, '-')}.log`), 'w');
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...(contender.flags ?? ['--disable-warning=ExperimentalWarning']),
      ...flags,
      '--import',
      probe,
      path.resolve(here, contender.file),
    ],
    {
      cwd: path.join(here, '..'),
      stdio: ['ignore', log, log, 'ipc'],
      env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env, ...contender.env },
    },
  );
  await untilReady(child, origin, contender);
  return {
    contender,
    origin,
    startMs: performance.now() - started,
    send: (ask) => send(origin, ask),
    ask: (question) => askChild(child, question),
    stop: () => stop(child),
  };
}

async function send(origin: string, { method, path, headers, body }: BenchRequest): Promise<Answer> {
  const response = await fetch(origin + path, { method, headers, body: typeof body === 'function' ? body() : body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  return { body: JSON.parse(text), compiled: response.headers.has('x-parley-compiled') };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address !== null && typeof address === 'object' ? address.port : 0;
}

async function untilReady(child: ChildProcess, origin: string, { ready, name }: Contender): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(10)) {
    if (hasEnded(child)) throw new Error(`${name} ended at its start: see its log`);
    const answered = await send(origin, ready).then(
      () => true,
      () => false,
    );
    if (answered) return;
  }
  child.kill();
  throw new Error(`${name} was not ready within a minute: see its log`);
}

function askChild(child: ChildProcess, question: Question): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error('A contender has ended: see its log'));
    if (hasEnded(child)) return end();
    child.once('exit', end);
    child.once('message', (reading) => {
      child.off('exit', end);
      resolve(reading as Reading);
    });
    child.send(question);
  });
}

/** A process that a signal ended has no exit code. */
const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 12_000);
  await ended;
  clearTimeout(killTimer);
}
