import { serverUrls } from '../core/server-urls.ts';
import { Pool } from './pool.ts';
import type { Session } from './session.ts';

/** How often all servers are asked, in milliseconds. */
const intervalMs = 1_000;
/** How long a server may take to answer, in milliseconds. */
const limitMs = 1_500;

/** Null on a standby. Each promotion begins a new timeline. */
const timeline = `
  SELECT CASE WHEN pg_is_in_recovery() THEN NULL
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS "timeline"`;

/**
 * The servers that DATABASE_URL names, of which one is the primary. If there are several, they are all asked every
 * second; after a failover, the connections to the old primary are closed, and new ones lead to the new one.
 */
export class Servers {
  /** The URL of the primary, or of the last one that was known. */
  current: string;
  readonly #servers: { url: string; probe: Pool }[];
  readonly #sessions = new Set<Session>();
  #timeline = 0;
  #finding: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(databaseUrl: string) {
    const urls = serverUrls(databaseUrl);
    this.current = urls[0] as string;
    const limits = { connectionTimeoutMillis: limitMs, statementLimitMs: limitMs, application_name: 'parley' };
    const probeOf = (connectionString: string) => new Pool({ config: { connectionString, ...limits, max: 1 } });
    this.#servers = urls.length > 1 ? urls.map((url) => ({ url, probe: probeOf(url) })) : [];
  }

  /** Finds the primary, and follows it until `close`. Throws if no server accepts writes; a single one is not asked. */
  async follow(): Promise<void> {
    if (this.#servers.length === 0) return;
    await this.#find();
    if (this.#timeline === 0) throw new Error('none of these servers can be reached and accepts writes');
    this.#timer = setInterval(() => this.#findAgain(), intervalMs).unref();
  }

  /** Closes a connection when another server has become the primary. */
  add(session: Session): void {
    if (this.#servers.length === 0) return;
    this.#sessions.add(session);
    session.once('end', () => this.#sessions.delete(session));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#finding;
    await Promise.all(this.#servers.map(({ probe }) => probe.end()));
  }

  #findAgain(): void {
    this.#finding ??= this.#find().finally(() => {
      this.#finding = null;
    });
  }

  /** A former primary that is started again is on an older timeline than the one that was promoted. */
  async #find(): Promise<void> {
    const found = await Promise.all(
      this.#servers.map(async ({ url, probe }) => ({ url, timeline: await timelineOf(probe) })),
    );
    const [newest] = found.toSorted((a, b) => b.timeline - a.timeline);
    if (!newest || newest.timeline <= this.#timeline) return;
    this.#timeline = newest.timeline;
    if (newest.url === this.current) return;
    this.current = newest.url;
    const change = new Error('Connection terminated: another server has become the primary.');
    for (const session of this.#sessions) session.abandon(change);
  }
}

/** 0 if it does not answer or accepts no writes. */
async function timelineOf(probe: Pool): Promise<number> {
  const { rows } = await probe.query<{ timeline: number | null }>(timeline).catch(() => ({ rows: [] }));
  return rows[0]?.timeline ?? 0;
}

/** Returns the URL of the primary, of those that a URL names. Throws if there is none. */
export async function findPrimary(databaseUrl: string): Promise<string> {
  const servers = new Servers(databaseUrl);
  try {
    await servers.follow();
    return servers.current;
  } finally {
    await servers.close();
  }
}
