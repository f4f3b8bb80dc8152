import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { bundled } from './bundled.ts';
import type { ReplyMessage, TaskMessage } from './protocol.ts';

export type ChildLimits = {
  /** Limits of V8's heap, and of the whole process, in megabytes. */
  heapMb: number;
  memoryMb: number;
  /** Folders, besides `src` and `node_modules`, that tasks may be loaded from; for tests. */
  folders: URL[];
};

/** Why a child ended unasked. `memory`: it exceeded its limit. */
export type ChildExit = { cause: 'memory' | 'crash' | 'unstarted'; detail: string };

type Handlers = { onReply: (reply: ReplyMessage) => void; onDeath: (death: ChildExit) => void };

/**
 * A process that parses untrusted files, for one workspace. It has no secrets, writes no files and opens no
 * connections.
 */
export class ReaderChild {
  readonly workspaceId: string;
  readonly #process: ChildProcess;
  #handlers: Handlers | null = null;
  #errors = '';

  constructor(workspaceId: string, limits: ChildLimits) {
    this.workspaceId = workspaceId;
    this.#process = spawn(process.execPath, argumentsOf(limits), {
      env: environment,
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      windowsHide: true,
    });
    alive.add(this.#process);
    this.#lowerPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    const { stdin, stderr } = this.#process;
    // If the child dies during a write, its exit reports that.
    stdin?.on('error', () => {});
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-errorCharacters);
    });
    this.#process.on('message', (reply: ReplyMessage) => this.#handlers?.onReply(reply));
    this.#process.on('error', ({ message }) => this.#die('unstarted', message));
    this.#process.on('close', (code, signal) => {
      // A SIGKILL from anyone but us is most likely the out-of-memory killer.
      const isMemory = signal === 'SIGKILL' || /heap out of memory|allocation failed/i.test(this.#errors);
      this.#die(isMemory ? 'memory' : 'crash', `${signal ?? `exit code ${code}`} ${this.#errors}`.trim());
    });
    this.#keepProcessAlive(false);
  }

  get isAlive(): boolean {
    return this.#process.connected;
  }

  /** Sends a task. The bytes are piped to the child without a copy, and their buffer is freed once they are written. */
  run(task: TaskMessage, bytes: Uint8Array | null, handlers: Handlers): void {
    this.#handlers = handlers;
    this.#keepProcessAlive(true);
    this.#process.send(task, () => {});
    if (bytes?.length) this.#process.stdin?.write(bytes, () => detach(bytes));
  }

  /** Ignores further messages, and no longer keeps the gateway's process alive. */
  release(): void {
    this.#handlers = null;
    this.#keepProcessAlive(false);
  }

  usage(): Promise<Usage | null> {
    return usageOf(this.#process.pid ?? 0);
  }

  /** Lowers its priority so that it runs only on idle CPU. Irreversible: raising a priority again takes privileges. */
  yieldToOthers(): void {
    this.#lowerPriority(constants.priority.PRIORITY_LOW);
  }

  end(): void {
    this.release();
    this.#process.kill('SIGKILL');
  }

  #lowerPriority(priority: number): void {
    try {
      if (this.#process.pid) setPriority(this.#process.pid, priority);
    } catch {
      // It has already exited.
    }
  }

  #die(cause: ChildExit['cause'], detail: string): void {
    alive.delete(this.#process);
    const handlers = this.#handlers;
    this.#handlers = null;
    handlers?.onDeath({ cause, detail });
  }

  #keepProcessAlive(isHeld: boolean): void {
    const { stdin, stderr, channel } = this.#process;
    for (const held of [
      this.#process,
      channel,
      stdin as Duplex & Refable,
      stderr as Duplex & Refable,
    ] as (Refable | null)[]) {
      if (isHeld) held?.ref?.();
      else held?.unref?.();
    }
  }
}

/** Frees the memory of `bytes`, unless they share a pooled Buffer with others. */
function detach({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && !buffer.detached) buffer.transfer(0);
}

type Refable = { ref?(): void; unref?(): void };

const errorCharacters = 4_000;

/** If the gateway exits, its children are killed, even before they notice that it is gone. */
const alive = new Set<ChildProcess>();
process.on('exit', () => alive.forEach((child) => child.kill('SIGKILL')));

/** Nothing of the gateway's environment, which holds secrets, nor of its flags, which suit another kind of process. */
const environment = {
  TZ: 'UTC',
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

function argumentsOf({ heapMb, memoryMb, folders }: ChildLimits): string[] {
  return [
    `--max-old-space-size=${heapMb}`,
    '--max-semi-space-size=8',
    '--v8-pool-size=1',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    '--permission',
    '--allow-worker',
    ...[...code, ...folders.map((folder) => fileURLToPath(folder))].map(
      (folder) => `--allow-fs-read=${path.join(folder, '*')}`,
    ),
    `--allow-fs-read=${path.join(root, 'package.json')}`,
    fileURLToPath(bundled(new URL('child-main.ts', import.meta.url))),
    String(memoryMb),
  ];
}

const root = realpathSync(fileURLToPath(new URL('../../', import.meta.url)));
const packages = (findPackageJSON('unpdf', import.meta.url) ?? '').split(`${path.sep}unpdf${path.sep}`)[0] ?? '';
/** The code of the gateway and of its packages: anything beside it, such as the data folder, must stay unreadable. */
const code = [path.join(root, 'src'), path.join(root, 'node_modules'), packages].filter((folder) => existsSync(folder));

/** Resident memory and CPU time of a process. */
type Usage = { rssMb: number; cpuMs: number };

/** Linux reports CPU times in ticks of 1/100 s (USER_HZ), however the kernel was built. */
const tickMs = 10;

/** Returns the usage of another process from `/proc`; null where that is unavailable. */
async function usageOf(pid: number): Promise<Usage | null> {
  try {
    const [status, stat] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    const rss = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    // The program's name, in parentheses, may contain spaces; utime and stime are the 12th and 13th fields after it.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return rss === undefined
      ? null
      : { rssMb: (Number(rss) * 1_024) / 1e6, cpuMs: (Number(user) + Number(system)) * tickMs };
  } catch {
    return null;
  }
}
