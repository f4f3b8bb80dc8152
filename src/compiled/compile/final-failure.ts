import { GraphQLError } from 'graphql';
import type { ParleyError } from '../../core/errors.ts';
import { isTimeUp } from '../../database/deadline.ts';
import { failureOf } from '../../http/failure.ts';
import type { Root } from '../../lists/selection.ts';

export type Log = Parameters<typeof failureOf>[1];

/**
 * A failure that the resolvers must not retry, with its response: it is unknown whether or what was written; or a
 * statement has timed out, and running it again would double the load just when the database is busiest.
 */
export class FinalFailure extends GraphQLError {
  readonly failure: ParleyError;
  readonly #root: Root;

  /** All root fields have failed, since one statement serves them all. */
  constructor(cause: unknown, log: Log, root: Root) {
    const failure = failureOf(cause, log);
    const { http: _, ...extensions } = failure.extensions;
    super(failure.message, { originalError: failure, extensions });
    this.failure = failure;
    this.#root = root;
  }

  /** The response body: null for each field, each with an error. */
  get body(): string {
    const { message, extensions } = this;
    const selected = this.#root.selected.filter(({ field }) => field);
    const errors = selected.map(({ key, nodes }) => new GraphQLError(message, { nodes, path: [key], extensions }));
    const data = this.#root.selected.map(({ key, field }) => [key, field ? null : this.#root.type.name]);
    return JSON.stringify({ errors, data: Object.fromEntries(data) });
  }
}

/** Whether a statement, or the wait for a connection, has timed out. */
export const isOutOfTime = (error: unknown): boolean =>
  isTimeUp() || (error as { code?: string } | null)?.code === '57014';
