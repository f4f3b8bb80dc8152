import { createHash } from 'node:crypto';
import type pg from 'pg';
import { Recent } from './recent.ts';

type Known = { name: string | null };
type Pool = Pick<pg.Pool, 'connect'>;
type Guts = { connection?: { parsedStatements?: Record<string, string> } };

/** Prepared statements that one connection keeps at most. */
const perConnection = 200;

/**
 * Runs statements that answer one text. What comes twice is prepared, once on each connection, under a name that is made
 * of its text: another version of the gateway, or of the database, never meets a statement of the same name.
 */
export class Statements {
  readonly #pool: Pool;
  readonly #known = new Recent<Known>(2_000);
  readonly #prepared = new WeakMap<pg.ClientBase, Map<string, true>>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The text that the statement answers; null when it answers none. */
  async read(text: string, values: unknown[]): Promise<string | null> {
    const name = this.#nameOf(text);
    const client = await this.#pool.connect();
    try {
      if (name) this.#makeRoom(client, name);
      const query = { text, values, rowMode: 'array' as const, ...(name && { name }) };
      const { rows } = await client.query<[string | null]>(query);
      return rows[0]?.[0] ?? null;
    } finally {
      client.release();
    }
  }

  #nameOf(text: string): string | null {
    let seen = true;
    const known = this.#known.get(text, () => {
      seen = false;
      return { name: null };
    });
    if (seen) known.name ??= `lane_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
    return known.name;
  }

  /** Notes that the connection has a statement, and forgets the one that it used least recently when it has many. */
  #makeRoom(client: pg.PoolClient, name: string): void {
    const names = this.#prepared.get(client) ?? new Map<string, true>();
    this.#prepared.set(client, names);
    names.delete(name);
    names.set(name, true);
    if (names.size <= perConnection) return;
    const [oldest] = names.keys();
    if (oldest === undefined) return;
    names.delete(oldest);
    const { parsedStatements } = (client as Guts).connection ?? {};
    if (!parsedStatements?.[oldest]) return;
    delete parsedStatements[oldest];
    client.query(`DEALLOCATE "${oldest}"`).catch(() => {});
  }
}
