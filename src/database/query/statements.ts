import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { retryDeadlocks } from '../deadlock.ts';
import type { Pool, Use } from '../pool.ts';
import { queryText } from './text-query.ts';

/** A statement that returns a single text, and its name as a prepared statement, which it gets on its second use. */
export type Statement = { text: string; name: string | null };
type Send = (statement: Statement, values: unknown[]) => Promise<string | null>;
type ClientInternals = { connection?: { parsedStatements?: Record<string, string> } };

/**
 * Maximum number of prepared statements per connection, and total length of their texts; the server uses more memory
 * for each.
 */
const perConnection = { max: 200, maxSize: 2_000_000 };

/** A statement that takes longer than this uses an unshared connection the next time, in milliseconds. */
const slowMs = 50;

/** How often the server may not know a name, or already know it, before statements are no longer prepared. */
const maxFailures = 3;

/** How often a statement may be prepared again because its tables have changed. */
const renewals = 5;

/**
 * Runs statements that return a single text, each prepared once per connection. A prepared statement that has become
 * invalid is run again unprepared, which is safe even for writes: the server reports it before execution.
 */
export class Statements {
  readonly #pool: Pick<Pool, 'lease' | 'read'>;
  readonly #prepared = new WeakMap<pg.ClientBase, LRUCache<string, number>>();
  /** How often each has been invalidated by a schema change. */
  readonly #renewed = new LRUCache<string, number>({ max: 1_000 });
  readonly #slow = new WeakSet<Statement>();
  #surprises = 0;

  constructor(pool: Pick<Pool, 'lease' | 'read'>) {
    this.#pool = pool;
  }

  /**
   * Resolves with the text that a read returns, or null. It shares a connection, unless the statement is new or slow.
   */
  read(statement: Statement, values: unknown[]): Promise<string | null> {
    const isQuick = statement.name !== null && !this.#slow.has(statement);
    return this.#pool.read((pool) => this.#run(pool, statement, values, isQuick ? 'shared read' : 'read'));
  }

  /** Like `read`, for a write: on an unshared connection, so that no other statement can leave its outcome in doubt. */
  write(statement: Statement, values: unknown[]): Promise<string | null> {
    return retryDeadlocks(() => this.#run(this.#pool, statement, values, 'write'));
  }

  /**
   * Runs `work`, which begins and commits its own transaction, on an unshared connection, where `send` runs statements.
   * If it throws, the transaction is rolled back; a connection in an unknown state is not reused.
   */
  async withConnection<Result>(work: (client: pg.ClientBase, send: Send) => Promise<Result>): Promise<Result> {
    const { client, release } = await this.#pool.lease('write');
    let isBroken = false;
    try {
      return await work(client, (statement, values) => this.#sendIn(client, statement, values));
    } catch (error) {
      await client.query('ROLLBACK').catch(() => (isBroken = true));
      throw error;
    } finally {
      release(isBroken);
    }
  }

  /** Runs a statement in a transaction, which cannot go on if it fails. */
  async #sendIn(client: pg.ClientBase, statement: Statement, values: unknown[]): Promise<string | null> {
    const name = this.#nameOf(statement);
    try {
      return await this.#send(client, statement.text, values, name);
    } catch (error) {
      if (name) this.#hasBecomeWrong(client, statement, name, error);
      throw error;
    }
  }

  async #run(pool: Pick<Pool, 'lease'>, statement: Statement, values: unknown[], use: Use): Promise<string | null> {
    const { client, release } = await pool.lease(use);
    const name = this.#nameOf(statement);
    try {
      return await this.#send(client, statement.text, values, name);
    } catch (error) {
      if (!name || !this.#hasBecomeWrong(client, statement, name, error)) throw error;
      return await this.#send(client, statement.text, values, null);
    } finally {
      if (release() > slowMs) this.#slow.add(statement);
      else this.#slow.delete(statement);
    }
  }

  #send(client: pg.ClientBase, text: string, values: unknown[], name: string | null): Promise<string | null> {
    if (name) this.#note(client, name, text.length);
    return queryText(client, text, values, name);
  }

  #nameOf({ name }: Statement): string | null {
    if (!name || this.#surprises >= maxFailures) return null;
    const times = this.#renewed.get(name) ?? 0;
    if (times === 0) return name;
    return times < renewals ? `${name}_${times}` : null;
  }

  /** Whether only the prepared statement was invalid, so that it was never executed. */
  #hasBecomeWrong(client: pg.ClientBase, statement: Statement, name: string, error: unknown): boolean {
    const { code, routine } = error as Partial<pg.DatabaseError>;
    // A pooler may assign another connection to each transaction: its server does not know the name, or already knows
    // it.
    if (code === '42P05') this.#surprises += 1;
    if (code === '26000' && this.#forgetAll(client, name)) this.#surprises += 1;
    if (code === '26000' || code === '42P05') return true;
    if (code !== '0A000' || routine !== 'RevalidateCachedQuery') return false;
    // All statements in flight fail for the same change. A new name is prepared anew on every connection.
    const times = this.#renewed.get(statement.name ?? '') ?? 0;
    if (statement.name && name === this.#nameOf(statement)) this.#renewed.set(statement.name, times + 1);
    return true;
  }

  /** Records that the connection has a prepared statement; evicts the least recently used ones above the limit. */
  #note(client: pg.ClientBase, name: string, length: number): void {
    const names = this.#prepared.get(client) ?? this.#namesFor(client);
    if (names.get(name) === undefined) names.set(name, length);
  }

  #namesFor(client: pg.ClientBase): LRUCache<string, number> {
    const names = new LRUCache<string, number>({
      ...perConnection,
      sizeCalculation: (length) => length,
      disposeAfter: (_length, name, reason) => {
        if (reason !== 'evict' || !this.#forget(client, name)) return;
        client.query(`DEALLOCATE "${name}"`).catch(() => {});
      },
    });
    this.#prepared.set(client, names);
    return names;
  }

  /**
   * A server that has lost one prepared statement has lost all. Returns false if a concurrent failure has already told
   * so.
   */
  #forgetAll(client: pg.ClientBase, name: string): boolean {
    const isFirst = this.#forget(client, name);
    for (const other of this.#prepared.get(client)?.keys() ?? []) this.#forget(client, other);
    return isFirst;
  }

  /** Makes node-postgres forget a prepared statement; returns false if it did not know it. */
  #forget(client: pg.ClientBase, name: string): boolean {
    this.#prepared.get(client)?.delete(name);
    const { parsedStatements } = (client as ClientInternals).connection ?? {};
    if (!parsedStatements?.[name]) return false;
    delete parsedStatements[name];
    return true;
  }
}
