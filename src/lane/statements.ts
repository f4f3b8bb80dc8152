import type pg from 'pg';
import type { Statement } from './template.ts';

type Pool = Pick<pg.Pool, 'connect'>;
type Guts = { connection?: { parsedStatements?: Record<string, string> } };

/** Prepared statements that one connection keeps at most. */
const perConnection = 200;

/** Runs statements that answer one text, each prepared once on each connection. */
export class Statements {
  readonly #pool: Pool;
  readonly #prepared = new WeakMap<pg.ClientBase, Map<string, true>>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The text that the statement answers; null when it answers none. */
  async read({ text, name }: Statement, values: unknown[]): Promise<string | null> {
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
