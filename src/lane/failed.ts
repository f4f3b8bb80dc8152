import { GraphQLError } from 'graphql';
import { failureOf } from '../graphql/failure.ts';
import type { Selected } from './selection.ts';

export type Log = Parameters<typeof failureOf>[1];

/**
 * It is not for the resolvers to try again, and this is the answer: what was written cannot be told, or whether it was is
 * not known; or the time that a statement has is over, which asking once more would only double, when the database has
 * most to do.
 */
export class Failed extends GraphQLError {
  constructor(cause: unknown, log: Log, field?: Pick<Selected, 'key' | 'nodes'>) {
    const failure = failureOf(cause, log);
    const { http: _, ...extensions } = failure.extensions;
    const place = field && { nodes: field.nodes, path: [field.key] };
    super(failure.message, { ...place, originalError: failure, extensions });
  }

  /** The body of a response. */
  get body(): string {
    return JSON.stringify({ errors: [this], data: null });
  }
}

/** Whether the server ended a statement, or nobody waited longer for it or for a connection. */
export const isOutOfTime = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as Error & { code?: string }).code === '57014' ||
    /^(?:Query read timeout|timeout exceeded when trying to connect)/.test(error.message));
