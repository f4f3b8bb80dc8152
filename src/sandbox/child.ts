import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ReplyMessage, TaskMessage } from './protocol.ts';
import { type Usage, usageOf } from './usage.ts';

export type ChildLimits = {
  /** Of V8's heap, and of the whole process, in megabytes. */
  heapMb: number;
  memoryMb: number;
  /** Folders beside `src` and `node_modules` that tasks may stand in; for tests. */
  folders: URL[];
};

/** Why a child ended that was not told to. `memory`: it took more than it may have. */
export type ChildDeath = { cause: 'memory' | 'crash' | 'unstarted'; detail: string };

type Handlers = { onReply: (reply: ReplyMessage) => void; onDeath: (death: ChildDeath) => void };

/** A process that reads what others wrote, for one workspace. It has no secrets, writes no files and opens no connections. */
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
    // A child that dies while it is written to says so by its exit.
    stdin?.on('error', () => {});
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-errorCharacters);
    });
    this.#process.on('message', (reply: ReplyMessage) => this.#handlers?.onReply(reply));
    this.#process.on('error', ({ message }) => this.#die('unstarted', message));
    this.#process.on('close', (code, signal) => {
      // Whoever else kills a process does so for want of memory.
      const isMemory = signal === 'SIGKILL' || /heap out of memory|allocation failed/i.test(this.#errors);
      this.#die(isMemory ? 'memory' : 'crash', `${signal ?? `exit code ${code}`} ${this.#errors}`.trim());
    });
    this.#holdOpen(false);
  }

  get isAlive(): boolean {
    return this.#process.connected;
  }

  /** Sends a task. The bytes go to the child as they are, and are given back to the system once they are there. */
  ask(task: TaskMessage, bytes: Uint8Array | null, handlers: Handlers): void {
    this.#handlers = handlers;
    this.#holdOpen(true);
    this.#process.send(task, () => {});
    if (bytes?.length) this.#process.stdin?.write(bytes, () => detach(bytes));
  }

  /** Nobody listens to it any more: it does not keep the gateway from ending. */
  rest(): void {
    this.#handlers = null;
    this.#holdOpen(false);
  }

  usage(): Promise<Usage | null> {
    return usageOf(this.#process.pid ?? 0);
  }

  /** Has it compute only when nothing else does. There is no way back: what was lowered cannot be raised without rights. */
  yieldToOthers(): void {
    this.#lowerPriority(constants.priority.PRIORITY_LOW);
  }

  end(): void {
    this.rest();
    this.#process.kill('SIGKILL');
  }

  #lowerPriority(priority: number): void {
    try {
      if (this.#process.pid) setPriority(this.#process.pid, priority);
    } catch {
      // It is over already.
    }
  }

  #die(cause: ChildDeath['cause'], detail: string): void {
    alive.delete(this.#process);
    const handlers = this.#handlers;
    this.#handlers = null;
    handlers?.onDeath({ cause, detail });
  }

  #holdOpen(hold: boolean): void {
    const { stdin, stderr, channel } = this.#process;
    for (const held of [
      this.#process,
      channel,
      stdin as Duplex & Holder,
      stderr as Duplex & Holder,
    ] as (Holder | null)[]) {
      if (hold) held?.ref?.();
      else held?.unref?.();
    }
  }
}

/** A small Buffer of Node's is a part of a shared one, which stays. */
function detach({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && !buffer.detached) buffer.transfer(0);
}

type Holder = { ref?(): void; unref?(): void };

const errorCharacters = 4_000;

/** When the gateway ends in the middle of something, its children do too, even before they see that it is gone. */
const alive = new Set<ChildProcess>();
process.on('exit', () => alive.forEach((child) => child.kill('SIGKILL')));

/** Nothing of the gateway's own: its environment holds secrets, and its flags are for another kind of process. */
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
    fileURLToPath(new URL('child-main.ts', import.meta.url)),
    String(memoryMb),
  ];
}

const root = realpathSync(fileURLToPath(new URL('../../', import.meta.url)));
const packages = (findPackageJSON('unpdf', import.meta.url) ?? '').split(`${path.sep}unpdf${path.sep}`)[0] ?? '';
/** The code of the gateway and of its packages: what stands beside it, such as its data, is not to be read. */
const code = [path.join(root, 'src'), path.join(root, 'node_modules'), packages].filter((folder) => existsSync(folder));
