import { hash } from 'node:crypto';
import type { Statement } from '../../database/query/statements.ts';
import type { Binding, Sql, SqlPart } from '../../lists/sql/binding.ts';
import { compact } from '../../lists/sql/sql.ts';

/** The memory of an operation and all that is derived from it, in bytes; `grow` adds to it. */
export type Memory = { readonly bytes: number; grow(bytes: number): void };

/** Longer statements are neither cached nor prepared, since connections keep what they have prepared. */
const longText = 65_536;

/** A statement with slots. The slots' text determines the statement, so each variant is assembled once. */
export class Template {
  readonly #parts: Sql;
  readonly #slots: SqlPart[];
  readonly #memory: Memory;
  /** One for each variant that the arguments lead to. */
  readonly #statements = new Map<string, Statement>();
  #latest: { texts: string[]; statement: Statement } | null = null;

  constructor(parts: Sql, memory: Memory) {
    this.#memory = memory;
    this.#parts = compact(parts);
    this.#slots = this.#parts.filter((part) => typeof part === 'function');
  }

  /**
   * Returns the statement of a run. It is prepared from its second use on, so one-off statements leave nothing behind.
   */
  for(binding: Binding): Statement {
    const texts = this.#slots.map((slot) => slot(binding));
    if (!this.#latest || !isSame(this.#latest.texts, texts)) {
      const key = texts.join('\n');
      const cached = this.#statements.get(key);
      if (!cached) return this.#make(key, texts);
      this.#latest = { texts, statement: cached };
    }
    const { statement } = this.#latest;
    statement.name ??= nameOf(statement.text);
    return statement;
  }

  /** Its estimated size in bytes, without its statements, which are added as they are created. */
  get bytes(): number {
    const texts = this.#parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
    return 2_000 + 2 * texts + 1_000 * this.#slots.length;
  }

  #make(key: string, texts: string[]): Statement {
    const statement = { text: this.#write(texts), name: null };
    if (statement.text.length > longText) return statement;
    this.#statements.set(key, statement);
    // The statement, its key, and as much again for the comparison with the next run.
    this.#memory.grow(500 + 2 * (statement.text.length + 2 * key.length));
    return statement;
  }

  #write(texts: string[]): string {
    let slot = 0;
    return this.#parts.map((part) => (typeof part === 'string' ? part : texts[slot++])).join('');
  }
}

const isSame = (one: string[], other: string[]) => one.every((text, index) => text === other[index]);

/**
 * Derived from the text, so that other versions of the gateway or the schema never use this name for another statement.
 */
const nameOf = (text: string) => `compiled_${hash('sha256', text, 'base64url').slice(0, 22)}`;
