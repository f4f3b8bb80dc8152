import type { Context } from '../context.ts';

/** A value of the data, by the keys that lead to it, through no list; without keys, the data itself. */
export type Picked = {
  path: readonly string[];
  /** Text before and after each item of a connection's `nodes`: what shows it in another object. */
  around?: readonly [before: string, after: string];
};

/** Values as JSON; null for one whose parent is null. */
export type Texts = readonly (string | null)[];

/** Answers the picked values in their order as JSON, null for one that is not there; null as a whole when it leaves them. */
export type Picker = (variables: Record<string, unknown>, context: Context) => Promise<Texts | null>;
