import type { Context } from '../context.ts';

/** A value within the result's data, by a path of keys through no list; an empty path is the data itself. */
export type Picked = {
  path: readonly string[];
  /** Text to put around each item of a connection's `nodes`, such as an envelope. */
  around?: readonly [before: string, after: string];
};

/** Values as JSON; null where the parent is null. */
export type Texts = readonly (string | null)[];

/**
 * Resolves with the picked values in order as JSON, null for a missing one; null as a whole if it cannot run the query.
 */
export type Picker = (variables: Record<string, unknown>, context: Context) => Promise<Texts | null>;
