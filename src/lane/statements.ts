import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Binding } from './binding.ts';
import { Recent } from './recent.ts';
import { compact, type Slot, type Sql } from './sql.ts';

/** A statement, and the name under which connections prepare it, once it came twice. */
export type Statement = { text: string; name: string | null };

type Pool = Pick<pg.Pool, 'connect'>;
type Guts = { connection?: { parsedStatements?: Record<string, string> } };

/** Statements of one plan that are kept: one for each way in which its arguments shape it. */
const perPlan = 50;
/** Prepared statements that one connection keeps at most. */
const perConnection = 200;

/** A statement with slots. What the slots say for one run tells its text, which so is put together only once. */
export class Template {
  readonly #parts: Sql;
  readonly #slots: Slot[];
  readonly #statements = new Recent<Statement>(perPlan);

  constructor(parts: Sql) {
    this.#parts = compact(parts);
    this.#slots = this.#parts.filter((part) => typeof part === 'function');
  }

  /** The statement of a run. It is prepared from the second time on, so that one of a kind leaves nothing behind. */
  for(binding: Binding): Statement {
    const said = this.#slots.map((slot) => slot(binding));
    let isNew = false;
    const statement = this.#statements.get(said.join('\n'), () => {
      isNew = true;
      return { text: this.#write(said), name: null };
    });
    if (!isNew) statement.name ??= nameOf(statement.text);
    return statement;
  }

  #write(said: string[]): string {
    let slot = 0;
    return this.#parts.map((part) => (typeof part === 'string' ? part : said[slot++])).join('');
  }
}

/** Made of the text: another version of the gateway, or of the database, never meets another statement of this name. */
const nameOf = (text: string) => `lane_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;

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
