import { GraphQLError } from 'graphql';
import type { ParleyError } from '../core/errors.ts';
import { isTimeUp } from '../database/deadline.ts';
import { failureOf } from '../http/failure.ts';
import type { Root } from './selection.ts';

export type Log = Parameters<typeof failureOf>[1];

/**
 * It is not for the resolvers to try again, and this is the answer: what was written cannot be told, or whether it was is
 * not known; or the time that a statement has is over, which asking once more would only double, when the database has
 * most to do.
 */
export class FinalFailure extends GraphQLError {
  readonly failure: ParleyError;
  readonly #root: Root;

  /** One statement answers all fields of the root: all of them have failed. */
  constructor(cause: unknown, log: Log, root: Root) {
    const failure = failureOf(cause, log);
    const { http: _, ...extensions } = failure.extensions;
    super(failure.message, { originalError: failure, extensions });
    this.failure = failure;
    this.#root = root;
  }

  /** The body of a response: null for each field, with an error of its own. */
  get body(): string {
    const { message, extensions } = this;
    const asked = this.#root.selected.filter(({ field }) => field);
    const errors = asked.map(({ key, nodes }) => new GraphQLError(message, { nodes, path: [key], extensions }));
    const data = this.#root.selected.map(({ key, field }) => [key, field ? null : this.#root.type.name]);
    return JSON.stringify({ errors, data: Object.fromEntries(data) });
  }
}

/** Whether the server ended a statement, or nobody waited longer for it or for a connection. */
export const isOutOfTime = (error: unknown): boolean =>
  isTimeUp() || (error as { code?: string } | null)?.code === '57014';
