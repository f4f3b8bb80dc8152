import { hash } from 'node:crypto';
import type { Binding, Slot, Sql } from './binding.ts';
import type { Memory } from './memory.ts';
import { compact } from './sql.ts';

/** A statement, and the name under which connections prepare it, once it came twice. */
export type Statement = { text: string; name: string | null };

/** Longer statements are written anew each time, and never prepared: connections keep what they have prepared. */
const longText = 65_536;

/** A statement with slots. What the slots say for one run tells its text, which so is put together only once. */
export class Template {
  readonly #parts: Sql;
  readonly #slots: Slot[];
  readonly #memory: Memory;
  /** One for each way in which the arguments shape it. */
  readonly #statements = new Map<string, Statement>();
  #latest: { said: string[]; statement: Statement } | null = null;

  constructor(parts: Sql, memory: Memory) {
    this.#memory = memory;
    this.#parts = compact(parts);
    this.#slots = this.#parts.filter((part) => typeof part === 'function');
  }

  /** The statement of a run. It is prepared from the second time on, so that one of a kind leaves nothing behind. */
  for(binding: Binding): Statement {
    const said = this.#slots.map((slot) => slot(binding));
    if (!this.#latest || !isSame(this.#latest.said, said)) {
      const key = said.join('\n');
      const known = this.#statements.get(key);
      if (!known) return this.#make(key, said);
      this.#latest = { said, statement: known };
    }
    const { statement } = this.#latest;
    statement.name ??= nameOf(statement.text);
    return statement;
  }

  /** Bytes that it takes, by estimate; its statements are told as they are made. */
  get bytes(): number {
    const texts = this.#parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
    return 2_000 + 2 * texts + 1_000 * this.#slots.length;
  }

  #make(key: string, said: string[]): Statement {
    const statement = { text: this.#write(said), name: null };
    if (statement.text.length > longText) return statement;
    this.#statements.set(key, statement);
    // The statement, its key, and as much again for what is compared with the next run.
    this.#memory.grow(500 + 2 * (statement.text.length + 2 * key.length));
    return statement;
  }

  #write(said: string[]): string {
    let slot = 0;
    return this.#parts.map((part) => (typeof part === 'string' ? part : said[slot++])).join('');
  }
}

const isSame = (one: string[], other: string[]) => one.every((text, index) => text === other[index]);

/** Made of the text: another version of the gateway, or of the database, never meets another statement of this name. */
const nameOf = (text: string) => `lane_${hash('sha256', text, 'base64url').slice(0, 22)}`;
