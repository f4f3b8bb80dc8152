import type { Sql, SqlPart, TextBinding } from './binding.ts';
import { compact } from './sql.ts';

/** Stands for a slot in a recorded text; no text of a document contains it. */
const mark = '\u0000';
const marked = new RegExp(`${mark}(\\d+)${mark}`);

/**
 * Writes texts once for all runs of a plan: each run adds their values and writes their later parts anew. Aliases begin
 * with `prefix`, which sets them apart from those of the runs.
 */
export class Recorder implements TextBinding {
  readonly #prefix: string;
  readonly #slots: SqlPart[] = [];
  #aliases = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  value(value: unknown, type: string): string {
    return this.later((binding) => binding.value(value, type));
  }

  own(value: unknown, type: string): string {
    return this.later((binding) => binding.own(value, type));
  }

  later(slot: SqlPart): string {
    return `${mark}${this.#slots.push(slot) - 1}${mark}`;
  }

  alias(): string {
    this.#aliases += 1;
    return `${this.#prefix}r${this.#aliases}`;
  }

  /** Returns a text that was written with this recorder for `Binding.write`. */
  read(text: string): Sql {
    return compact(text.split(marked).map((part, index) => (index % 2 === 0 ? part : this.#slotAt(Number(part)))));
  }

  #slotAt(index: number): SqlPart {
    const slot = this.#slots[index];
    if (!slot) throw new Error('a text of another recorder');
    return slot;
  }
}
