import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { memoize } from '../../core/lazy.ts';
import type { Pool } from '../pool.ts';
import { type Setting, settingsOf } from '../settings/transaction-settings.ts';
import type { Sql } from '../sql.ts';
import { type Statement, Statements } from './statements.ts';

/** How many texts are known. Those of turns and the like are few: they differ by columns, not by values. */
const maxTexts = 200;

/** `settings`: those that its triggers read. */
type Known = { statement: Statement; settings: Setting[] };

/** The statements of one pool that are prepared once they are repeated. Each returns one row with one JSON text. */
class Prepared {
  readonly #statements: Statements;
  readonly #known = new LRUCache<string, Known>({ max: maxTexts });

  constructor(pool: Pool) {
    this.#statements = new Statements(pool);
  }

  async read(text: string, values: unknown[]): Promise<string | null> {
    return this.#statements.read(this.#find(text).statement, values);
  }

  /**
   * Runs a `SELECT` without `FROM` that writes. The settings that triggers read are set in columns of its own, since
   * triggers run last.
   */
  async write(text: string, values: unknown[]): Promise<string | null> {
    const { statement, settings } = this.#find(text);
    const given = settings.flatMap(({ name, value }) => {
      const current = value();
      return current === null ? [] : [{ name, value: current }];
    });
    if (given.length === 0) return this.#statements.write(statement, values);
    const columns = given
      .map(({ name }, index) => `, set_config('${name}', $${values.length + index + 1}, true)`)
      .join('');
    const withSettings = this.#find(text + columns).statement;
    return this.#statements.write(withSettings, [...values, ...given.map(({ value }) => value)]);
  }

  #find(text: string): Known {
    const known = this.#known.get(text);
    if (!known) {
      const found: Known = { statement: { text, name: null }, settings: settingsOf(text) };
      this.#known.set(text, found);
      return found;
    }
    nameOnce(known.statement);
    return known;
  }
}

/** Names a statement that is repeated, by which it is prepared. */
function nameOnce(statement: Statement): void {
  statement.name ??= `joint_${hash('sha256', statement.text, 'base64url').slice(0, 22)}`;
}

const preparedOn = memoize((pool: Pool) => new Prepared(pool));

/** Resolves with the JSON that a read returns in its only column, parsed; null if it finds no row. */
export async function readJson<Json>(pool: Pool, { text, values }: Pick<Sql, 'text' | 'values'>): Promise<Json | null> {
  const json = await preparedOn(pool).read(text, values);
  return json === null ? null : (JSON.parse(json) as Json);
}

/** The same of a `SELECT` without `FROM` that writes. */
export async function writeJson<Json>(pool: Pool, text: string, values: unknown[]): Promise<Json | null> {
  const json = await preparedOn(pool).write(text, values);
  return json === null ? null : (JSON.parse(json) as Json);
}
