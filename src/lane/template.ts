import { hash } from 'node:crypto';
import type { Binding } from './binding.ts';
import { Recent } from './recent.ts';
import { compact, type Slot, type Sql } from './sql.ts';

/** A statement, and the name under which connections prepare it, once it came twice. */
export type Statement = { text: string; name: string | null };

/** Statements of one plan that are kept: one for each way in which its arguments shape it. */
const perPlan = 50;

/** A statement with slots. What the slots say for one run tells its text, which so is put together only once. */
export class Template {
  readonly #parts: Sql;
  readonly #slots: Slot[];
  readonly #statements = new Recent<Statement>(perPlan);
  #latest: { said: string[]; statement: Statement } | null = null;

  constructor(parts: Sql) {
    this.#parts = compact(parts);
    this.#slots = this.#parts.filter((part) => typeof part === 'function');
  }

  /** The statement of a run. It is prepared from the second time on, so that one of a kind leaves nothing behind. */
  for(binding: Binding): Statement {
    const said = this.#slots.map((slot) => slot(binding));
    if (!this.#latest || !isSame(this.#latest.said, said)) {
      let isNew = false;
      const statement = this.#statements.get(said.join('\n'), () => {
        isNew = true;
        return { text: this.#write(said), name: null };
      });
      this.#latest = { said, statement };
      if (isNew) return statement;
    }
    const { statement } = this.#latest;
    statement.name ??= nameOf(statement.text);
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
