import { ParleyError } from '../../core/errors.ts';
import { telemetry } from '../../core/telemetry.ts';
import { currentStaleness, isTimeUp } from '../deadline.ts';
import type { Pool, ReadRouter } from '../pool.ts';
import { closePostgres, openPostgres, type Postgres } from '../postgres.ts';

const defaultIntervalMs = 500;

type Position = { position: string; timeline: number; system: string };

const primaryPosition = `
  SELECT (pg_current_wal_lsn() - '0/0')::text AS "position", system_identifier::text AS "system",
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS "timeline"
  FROM pg_control_system()`;
/** The timeline is that of the last restart point: after a failover, the standby is unused until its next one. */
const standbyPosition = `
  SELECT pg_is_in_recovery() AS "isStandby", (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0')::text AS "position",
    system_identifier::text AS "system", timeline_id AS "timeline"
  FROM pg_control_system(), pg_control_checkpoint()`;

export type StandbyOptions = {
  /** A postgres:// URL. */
  url: string;
  /** Called when it begins or ceases to be usable, with the reason why it is not. */
  onChange?: (problem: string | null) => void;
  /** How often the positions of both servers are compared, in milliseconds. */
  intervalMs?: number;
};

/**
 * A standby with a connection pool of its own, which serves the reads of requests that accept stale data while it is no
 * further behind the primary than they accept. It may be away at any time, then the primary serves them.
 */
export class Standby implements ReadRouter {
  readonly #options: StandbyOptions;
  readonly #primary: Pool;
  readonly #workers: number;
  readonly #lag = new Lag();
  readonly #timer: NodeJS.Timeout;
  /** Fail the reads in flight. */
  readonly #waiting = new Set<(error: Error) => void>();
  #postgres: Postgres | null = null;
  #sampling: Promise<void> | null = null;
  /** Undefined until it is known. */
  #problem: string | null | undefined;

  /** `primary` is the pool over which the primary is asked for its position, `workers` as for `openPostgres`. */
  constructor(options: StandbyOptions, primary: Pool, workers = 1) {
    this.#options = options;
    this.#primary = primary;
    this.#workers = workers;
    const { intervalMs = defaultIntervalMs } = options;
    this.#timer = setInterval(() => this.#sample(), intervalMs).unref();
    this.#sample();
  }

  get host(): string {
    return new URL(this.#options.url).host;
  }

  /** How far it is behind the primary at most, in milliseconds; null if it is unknown or it cannot be used. */
  get ageMs(): number | null {
    return this.#problem === null ? this.#lag.ageMs(performance.now()) : null;
  }

  get connections(): { idle: number; used: number } {
    const { totalCount = 0, idleCount = 0 } = this.#postgres?.pool ?? {};
    return { idle: idleCount, used: totalCount - idleCount };
  }

  /** Runs a read on the standby if its request accepts that; otherwise, or if it fails there, on the primary. */
  async read<T>(work: (pool: Pool) => Promise<T>, primary: Pool): Promise<T> {
    const staleness = currentStaleness();
    if (!staleness || staleness.isOver) return work(primary);
    const { ageMs } = this;
    if (!this.#postgres || ageMs === null || ageMs > staleness.maxMs) {
      staleness.isOver = true;
      telemetry.staleRead.publish(() => ({ outcome: 'behind' }));
      return work(primary);
    }
    try {
      const result = await this.#untilSilent(work(this.#postgres.pool));
      staleness.ageMs = Math.max(staleness.ageMs ?? 0, ageMs);
      telemetry.staleRead.publish(() => ({ outcome: 'standby' }));
      return result;
    } catch (error) {
      if (error instanceof ParleyError || isTimeUp()) throw error;
      // The connection was lost, replay removed the rows that it read, or a migration has not arrived.
      staleness.isOver = true;
      telemetry.staleRead.publish(() => ({ outcome: 'failed' }));
      return work(primary);
    }
  }

  /** Resolves with a read; rejects as soon as the standby turns out not to answer. */
  async #untilSilent<T>(read: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#waiting.add(reject);
    try {
      return await Promise.race([read, promise]);
    } finally {
      this.#waiting.delete(reject);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sampling;
    if (this.#postgres) await closePostgres(this.#postgres);
  }

  #sample(): void {
    this.#sampling ??= this.#compare()
      .then((problem) => this.#report(problem))
      .finally(() => {
        this.#sampling = null;
      });
  }

  /** Returns why the standby cannot be used; null if it can, undefined if that is not known yet. */
  async #compare(): Promise<string | null | undefined> {
    const at = performance.now();
    const written = await positionOf<Position>(this.#primary, primaryPosition).catch(() => null);
    if (written) this.#lag.wrote(at, BigInt(written.position));
    try {
      this.#postgres ??= await openPostgres(this.#options.url, {
        workers: this.#workers,
        setting: 'DATABASE_READ_URL',
      });
      const reached = await positionOf<Position & { isStandby: boolean }>(this.#postgres.probe, standbyPosition);
      const problem = reached.isStandby ? this.#difference(written, reached) : 'it is not a standby';
      if (problem) this.#lag.forget();
      else this.#lag.replayed(BigInt(reached.position));
      return problem;
    } catch (error) {
      const silence = new Error('Connection terminated: the standby does not answer.');
      this.#postgres?.watch.abandonAll(silence);
      for (const reject of this.#waiting) reject(silence);
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** While the primary is away, or late because the process has just started, nothing changes. */
  #difference(primary: Position | null, standby: Position): string | null | undefined {
    if (!primary) return this.#problem;
    if (standby.system !== primary.system) return 'it is not a copy of the server of DATABASE_URL';
    if (standby.timeline === primary.timeline) return null;
    return `it is on timeline ${standby.timeline}, the primary on ${primary.timeline}: it has not followed a failover yet`;
  }

  #report(problem: string | null | undefined): void {
    if (problem === undefined || problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onChange?.(problem);
  }
}

async function positionOf<Row extends Position>(pool: Pool, statement: string): Promise<Row> {
  const { rows } = await pool.query<Row>(statement);
  return rows[0] as Row;
}

/** How many positions of the primary are kept while the standby has not reached them. */
const maxSamples = 1_000;

/**
 * Computes how far a standby is behind its primary, from positions in the primary's write-ahead log and the times at
 * which they were read. Times are in milliseconds, of one clock that never jumps.
 */
export class Lag {
  /** Positions that the standby has not reached, oldest first. */
  #samples: { at: number; position: bigint }[] = [];
  /** At least this far apart, in milliseconds, except for the last. */
  #gapMs = 0;
  #reachedAt: number | null = null;

  /** Everything committed before `at` is within the first `position` bytes of the log. */
  wrote(at: number, position: bigint): void {
    const [previous, last] = [this.#samples.at(-2), this.#samples.at(-1)];
    if (last && (last.position === position || (previous && last.at - previous.at < this.#gapMs))) this.#samples.pop();
    this.#samples.push({ at, position });
    if (this.#samples.length <= maxSamples) return;
    // The further the standby is behind, the less precise its age has to be.
    this.#gapMs = 2 * (this.#gapMs || 500);
    this.#samples = this.#samples.filter((_, index) => index % 2 === 0);
  }

  /** The standby has replayed the first `position` bytes of the log. */
  replayed(position: bigint): void {
    const isReached = (sample: { position: bigint }) => sample.position <= position;
    this.#reachedAt = this.#samples.findLast(isReached)?.at ?? this.#reachedAt;
    this.#samples = this.#samples.filter((sample) => !isReached(sample));
    if (this.#samples.length === 0) this.#gapMs = 0;
  }

  /** Nothing is known any more. */
  forget(): void {
    this.#samples = [];
    this.#reachedAt = null;
  }

  /** By how much the standby is behind at `now`, at most; null if that is unknown. */
  ageMs(now: number): number | null {
    return this.#reachedAt === null ? null : now - this.#reachedAt;
  }
}
