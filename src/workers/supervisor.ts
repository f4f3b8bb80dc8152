import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Exit, fork, type Member, WorkerLateError } from './members.ts';

export type SupervisorOptions = {
  /** How many workers there are. */
  count: number;
  log: Logger;
  /** Called for each worker process, before it runs. */
  onStart: (member: Member) => void;
  /** Called when all workers are down and cannot be started again. */
  onFailure: (error: Error) => void;
  /** How long a replaced worker may take to end its work, in milliseconds. */
  drainMs: number;
  /** How long a successor may take until it accepts requests, in milliseconds. */
  startMs?: number;
};

/** The delay before a worker is started again: doubled with each failure in succession. In milliseconds. */
const backOff = { first: 100, max: 10_000 };
/** A worker that has run this long has not failed at its start, in milliseconds. */
const stableMs = 30_000;
/** A successor that takes longer to start is given up: a migration that locks or rewrites large tables fits into it. */
const defaultStartMs = 600_000;
/** As many starts in succession may fail while no worker serves. */
const maxFailures = 5;

/** Starts workers, replaces those that die, and restarts them one after the other. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #members = new Set<Member>();
  readonly #failures = new Map<number, number>();
  #isStopping = false;
  #rolling: Promise<void> | null = null;
  #isRollingAgain = false;
  /** How many workers died and were started again. */
  restarts = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** All worker processes, including those that are starting or have been replaced. */
  get members(): Member[] {
    return [...this.#members];
  }

  /** The workers that accept requests. */
  get ready(): Member[] {
    return this.members.filter(({ isReady, isLeaving }) => isReady && !isLeaving);
  }

  /**
   * Starts the workers, the first alone: it migrates the database. Resolves with the service's URL. Throws
   * `WorkerEndedError` if one ends before it accepts requests.
   */
  async start(): Promise<string> {
    const first = this.#begin(1);
    const url = await first.ready;
    const others = Array.from({ length: this.#options.count - 1 }, (_, index) => this.#begin(index + 2));
    await Promise.all(others.map(({ ready }) => ready));
    for (const member of [first, ...others]) void this.#watch(member);
    return url;
  }

  /** Asks all workers to end, and resolves once they have, with the worst exit code. */
  async stop(): Promise<number> {
    this.#isStopping = true;
    const members = this.members;
    for (const member of members) {
      member.isLeaving = true;
      member.channel.notify('stop');
    }
    const exits = await Promise.all(members.map(({ exited }) => exited));
    return Math.max(0, ...exits.map(({ code }) => code ?? 1));
  }

  /**
   * Replaces the workers one after the other: each successor accepts requests before its predecessor stops accepting
   * them. A successor that cannot start, or not in time, leaves the rest as they are. A call during a restart begins
   * another after it.
   */
  async restart(): Promise<void> {
    if (this.#rolling) {
      this.#isRollingAgain = true;
      return this.#rolling;
    }
    this.#rolling = this.#roll();
    try {
      await this.#rolling;
    } finally {
      this.#rolling = null;
    }
  }

  async #roll(): Promise<void> {
    const { log } = this.#options;
    do {
      this.#isRollingAgain = false;
      log.info('restarting the workers one after the other');
      for (const old of this.ready.toSorted((a, b) => a.number - b.number)) {
        if (this.#isStopping) return;
        if (old.isLeaving || !this.#members.has(old)) continue;
        // From now on its end is expected: the successor stands in for it.
        old.isLeaving = true;
        const successor = this.#begin(old.number);
        try {
          await this.#readyInTime(successor);
        } catch (error) {
          log.error({ err: error, worker: old.number }, 'the restart was given up: a new worker cannot start');
          old.isLeaving = this.#isStopping;
          // Not awaited: it watches the worker until its end.
          if (!this.#members.has(old)) void this.#startAgain(old, await old.exited);
          return;
        }
        void this.#watch(successor);
        await this.#replace(old);
      }
      log.info('all workers have been restarted');
    } while (this.#isRollingAgain && !this.#isStopping);
  }

  /** Throws `WorkerEndedError`, or `WorkerLateError` after killing a worker that does not become ready in time. */
  async #readyInTime(member: Member): Promise<void> {
    const { startMs = defaultStartMs } = this.#options;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      // Its end is no surprise, and nothing is to be started in its place.
      member.isLeaving = true;
      late.reject(new WorkerLateError(member, startMs));
      member.kill();
    }, startMs);
    try {
      await Promise.race([member.ready, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #replace(member: Member): Promise<void> {
    const { drainMs } = this.#options;
    member.channel.notify('replaced');
    // The worker ends by itself within that time, and the grace of an ordinary end.
    const timer = setTimeout(() => member.kill(), drainMs + 15_000);
    await member.exited;
    clearTimeout(timer);
  }

  #begin(number: number): Member {
    const member = fork(number);
    this.#members.add(member);
    void member.exited.then(() => this.#members.delete(member));
    this.#options.onStart(member);
    return member;
  }

  /** Waits for the end of a worker that was ready, and starts it again unless its end is expected. */
  async #watch(member: Member): Promise<void> {
    const since = performance.now();
    const exit = await member.exited;
    if (member.isLeaving || this.#isStopping) return;
    if (performance.now() - since >= stableMs) this.#failures.delete(member.number);
    await this.#startAgain(member, exit);
  }

  async #startAgain(dead: Member, exit: Exit): Promise<void> {
    const { log, onFailure } = this.#options;
    const { number, pid } = dead;
    const failures = (this.#failures.get(number) ?? 0) + 1;
    this.#failures.set(number, failures);
    if (failures > maxFailures && this.ready.length === 0) {
      return onFailure(
        new Error(`Worker ${number} has ended ${failures} times in succession, and no other is running.`),
      );
    }
    const delayMs = Math.min(backOff.max, backOff.first * 2 ** (failures - 1));
    log.error({ worker: number, pid, ...exit, delayMs }, 'a worker has ended unexpectedly and is started again');
    await sleep(delayMs);
    if (this.#isStopping) return;
    this.restarts += 1;
    const successor = this.#begin(number);
    const begun = await successor.ready.then(
      () => true,
      () => false,
    );
    if (begun) return this.#watch(successor);
    if (!this.#isStopping) await this.#startAgain(successor, await successor.exited);
  }
}
