import type { Pool } from './pool.ts';
import type { Session } from './session.ts';

/** How often connections are checked, in milliseconds. */
const intervalMs = 1_000;
/** After this many checks without a byte received, the server is asked about the connection. */
const maxSilentChecks = 2;
/** The server must deny a connection this often in a row: a statement or its result may be on the way. */
const maxDenials = 2;
/** Tolerance when comparing the server's age of a connection with ours, in milliseconds. */
const toleranceMs = 10_000;

type Backend = { pid: number; state: string; ageMs: number };
type Silence = { bytes: number; checks: number; denials: number };

/**
 * Detects dead connections that nobody has closed, such as after a silent failover: a statement is in flight, no byte
 * arrives, and the server, asked over another connection, is not working on it. (It is if the statement waits for a
 * lock.) A dead connection is abandoned, its backend terminated, and the idle connections are tested.
 */
export class Watch {
  readonly #probe: Pool;
  readonly #sessions = new Set<Session>();
  readonly #silences = new WeakMap<Session, Silence>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  /** `probe` is the pool over which the server is asked. */
  constructor(probe: Pool) {
    this.#probe = probe;
    this.#timer = setInterval(() => void this.#check(), intervalMs).unref();
  }

  add(session: Session): void {
    this.#sessions.add(session);
    session.once('end', () => this.#sessions.delete(session));
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** Closes all connections; their statements in flight fail with `error`. */
  abandonAll(error: Error): void {
    for (const session of this.#sessions) session.abandon(error);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    const silent = [...this.#sessions].filter((session) => this.#isSilent(session));
    if (silent.length === 0) return;
    this.#isChecking = true;
    try {
      await this.#verify(silent);
    } catch {
      // The server cannot be asked either: the deadlines of the waiting callers apply.
    }
    this.#isChecking = false;
  }

  #isSilent(session: Session): boolean {
    const bytes = session.bytesRead;
    const silence = this.#silences.get(session);
    if (!session.isWaiting || silence?.bytes !== bytes) {
      this.#silences.set(session, { bytes, checks: 0, denials: 0 });
      return false;
    }
    silence.checks += 1;
    return silence.checks >= maxSilentChecks;
  }

  async #verify(silent: Session[]): Promise<void> {
    const { rows } = await this.#probe.query<Backend>(
      `SELECT pid, state, extract(epoch FROM clock_timestamp() - backend_start)::float8 * 1000 AS "ageMs"
       FROM pg_stat_activity WHERE pid = ANY($1) AND state IS NOT NULL`,
      [silent.map(({ pid }) => pid)],
    );
    for (const session of silent) {
      const backend = rows.find(({ pid, ageMs }) => pid === session.pid && isNear(ageMs, session.ageMs));
      if (backend && !backend.state.startsWith('idle')) continue;
      const silence = this.#silences.get(session);
      if (!silence || silence.bytes !== session.bytesRead || ++silence.denials < maxDenials) continue;
      session.abandon(new Error('Connection terminated: the server does not know of its statement.'));
      // With a type, since Citus has another function of this name.
      if (backend) await this.#probe.query('SELECT pg_terminate_backend($1::int)', [backend.pid]);
      for (const other of this.#sessions) if (!other.isWaiting) other.query('SELECT 1').catch(() => {});
    }
  }
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) < toleranceMs;
