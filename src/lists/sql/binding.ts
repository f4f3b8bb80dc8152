import type { GraphQLSchema, VariableValues } from 'graphql';
import pg from 'pg';
import type { Context } from '../../context.ts';
import type { Write } from '../../database/query/write.ts';

const noVariables: VariableValues = { sources: {}, coerced: {} };

/** One run of a plan: its context and variables, and the parameters of the statement. */
export class Binding {
  readonly context: Context;
  readonly schema: GraphQLSchema;
  readonly variables: VariableValues;
  readonly values: unknown[] = [];
  /** The write of a mutation, once it is prepared. */
  change: Write | null = null;
  readonly #placeholders = new Map<string, string>();
  readonly #kept = new Map<object, unknown>();
  #aliases = 0;

  constructor(context: Context, schema: GraphQLSchema, variables: VariableValues = noVariables) {
    this.context = context;
    this.schema = schema;
    this.variables = variables;
  }

  /**
   * Returns the placeholder of a value, cast to a PostgreSQL type. Equal strings share a parameter. Of a large
   * workspace, returns its id: the plan that PostgreSQL keeps of the statement is made for it then.
   */
  value(value: unknown, type: string): string {
    const { viewer, largeWorkspaces } = this.context;
    if (value === viewer.workspaceId && type === 'text' && largeWorkspaces.has(viewer.workspaceId))
      return `${pg.escapeLiteral(viewer.workspaceId)}::text`;
    const key = typeof value === 'string' ? `${type} ${value}` : null;
    const known = key === null ? undefined : this.#placeholders.get(key);
    if (known) return known;
    const placeholder = this.own(value, type);
    if (key !== null) this.#placeholders.set(key, placeholder);
    return placeholder;
  }

  /**
   * Like `value`, but always a new parameter, so that the text of the statement does not depend on which values are
   * equal.
   */
  own(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }

  /** Memoizes `make` per owner for this run. */
  once<Value>(owner: object, make: () => Value): Value {
    if (!this.#kept.has(owner)) this.#kept.set(owner, make());
    return this.#kept.get(owner) as Value;
  }

  /** Writes a part that depends on the run. A `Recorder` leaves it to each run. */
  later(slot: SqlPart): string {
    return slot(this);
  }

  /** Returns an alias that is unique in this statement. */
  alias(): string {
    this.#aliases += 1;
    return `s${this.#aliases}`;
  }

  /** Renders a part of a statement for these values. */
  write(parts: Sql): string {
    let written = '';
    for (const part of parts) written += typeof part === 'string' ? part : part(this);
    return written;
  }
}

/**
 * What a text is written with that may be written once for all runs. It gives no access to a run: what depends on one
 * is written by `later`.
 */
export type TextBinding = Pick<Binding, 'value' | 'own' | 'later' | 'alias'>;

/** A part of a statement that is known only at run time: returns SQL, and may add parameters to the binding. */
export type SqlPart = (binding: Binding) => string;

/** A statement, or a part of one: constant text with slots. */
export type Sql = readonly (string | SqlPart)[];
