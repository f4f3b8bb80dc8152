import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { openBundle } from '../bundle/bundle.ts';
import { Channel } from './channel.ts';
import { numberFlag } from './worker.ts';

/** How a process ended. `error`: why there was none. */
export type Exit = { code: number | null; signal: string | null; error?: string };

/** A worker process, as its primary sees it. */
export type Member = {
  number: number;
  pid: number;
  channel: Channel;
  isReady: boolean;
  /** Whether its end is expected: the service is ending, or a successor has taken over. */
  isLeaving: boolean;
  /** Resolves with its URL once it accepts requests. Rejects with `WorkerEndedError` if it ends before. */
  ready: Promise<string>;
  exited: Promise<Exit>;
  kill(): void;
};

/** A worker ended before it accepted requests. If it ended by itself, it has printed the reason. */
class WorkerEndedError extends Error {
  override name = 'WorkerEndedError';

  constructor(number: number, exit: Exit) {
    super(endOf(number, exit));
  }
}

function endOf(number: number, { code, signal, error }: Exit): string {
  if (error) return `The process of worker ${number} cannot be started: ${error}.`;
  if (!signal) return `Worker ${number} ended while it started (exit code ${code}); its own message says why.`;
  const isKill = signal === 'SIGKILL';
  const cause = isKill
    ? ' The system does so when memory runs out: see its log, and the memory limit of a container.'
    : '';
  return `Worker ${number} was ended by ${signal} while it started, not by itself.${cause}`;
}

/** A worker did not accept requests in time, and was killed. */
export class WorkerLateError extends Error {
  override name = 'WorkerLateError';

  constructor({ number, pid }: Pick<Member, 'number' | 'pid'>, limitMs: number) {
    super(
      `The new worker ${number} (process ${pid}) did not accept requests within ${limitMs / 1_000} s and was ended. The ` +
        'workers that served before still do. Its own messages say what it waited for, such as a migration that waits for ' +
        'a lock. Then send SIGUSR2 again.',
    );
  }
}

/** Starts a worker process. */
export function fork(number: number): Member {
  // Looked up anew: the gateway may have been upgraded in its place. The number is visible in the list of processes.
  const exec = fileURLToPath(openBundle('gateway')(new URL('../main.ts', import.meta.url)));
  cluster.setupPrimary({ exec, args: [`${numberFlag}${number}`] });
  const worker = cluster.fork();
  const channel = new Channel(portOf(worker));
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  const ended = async (): Promise<Exit> => {
    const exit = await exitOf(worker);
    member.isReady = false;
    channel.close();
    reject(new WorkerEndedError(number, exit));
    return exit;
  };
  const member: Member = {
    number,
    pid: worker.process.pid ?? 0,
    channel,
    isReady: false,
    isLeaving: false,
    ready,
    exited: ended(),
    kill: () => void worker.process.kill('SIGKILL'),
  };
  ready.catch(() => {});
  channel.handle('ready', (url: string) => {
    member.isReady = true;
    resolve(url);
  });
  return member;
}

/** Resolves when the process has ended, or could not be started. Never rejects. */
const exitOf = (worker: Worker): Promise<Exit> =>
  new Promise((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
    // Of a process that runs, it says that a signal or a message could not be sent.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) resolve({ code: null, signal: null, error: error.message });
    });
  });

const portOf = (worker: Worker) => ({
  send: (message: object) => void (worker.isConnected() && worker.send(message, () => {})),
  onMessage: (listener: (message: unknown) => void) => void worker.on('message', listener),
});
