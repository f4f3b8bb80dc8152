import type { GraphQLSchema, VariableValues } from 'graphql';
import type { Context } from '../context.ts';
import type { Write } from '../database/query/write.ts';

/** One run of a plan: who asks, with which variables, and the values that the statement takes. */
export class Binding {
  readonly context: Context;
  readonly schema: GraphQLSchema;
  readonly variables: VariableValues;
  readonly values: unknown[] = [];
  /** What a mutation writes, once it is prepared. */
  change: Write | null = null;
  readonly #placeholders = new Map<string, string>();
  readonly #kept = new Map<object, unknown>();
  #aliases = 0;

  constructor(context: Context, schema: GraphQLSchema, variables: VariableValues) {
    this.context = context;
    this.schema = schema;
    this.variables = variables;
  }

  /** The placeholder of a value, with the type that it has in PostgreSQL. The same text twice is one parameter. */
  value(value: unknown, type: string): string {
    const key = typeof value === 'string' ? `${type} ${value}` : null;
    const known = key === null ? undefined : this.#placeholders.get(key);
    if (known) return known;
    const placeholder = this.own(value, type);
    if (key !== null) this.#placeholders.set(key, placeholder);
    return placeholder;
  }

  /** The same for a value of its own parameter, so that the text of a statement does not tell which values are equal. */
  own(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }

  /** What `make` made the first time that it was asked for in this run. */
  once<Value>(owner: object, make: () => Value): Value {
    if (!this.#kept.has(owner)) this.#kept.set(owner, make());
    return this.#kept.get(owner) as Value;
  }

  /** A name that no other table of this statement has. */
  alias(): string {
    this.#aliases += 1;
    return `s${this.#aliases}`;
  }

  /** The text of a part of a statement, for these values. */
  write(parts: Sql): string {
    let written = '';
    for (const part of parts) written += typeof part === 'string' ? part : part(this);
    return written;
  }
}

/** What of a statement is known only when it runs: it answers SQL, and gives values to the binding. */
export type Slot = (binding: Binding) => string;

/** A statement, or a part of one: fixed text, and slots between. */
export type Sql = readonly (string | Slot)[];
