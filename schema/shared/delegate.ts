import type { Context } from '../../src/context.ts';

/** What lists ask of a model of Prisma's, whichever it is. */
export type Delegate = {
  findMany(query: object): Promise<Record<string, unknown>[]>;
  findFirst(query: object): Promise<Record<string, unknown> | null>;
  count(query: object): Promise<number>;
};

/** The client's own object for a model: `agent` for `Agent`. */
export function delegateOf(context: Context, model: string): Delegate {
  const name = model.slice(0, 1).toLowerCase() + model.slice(1);
  return (context.database as unknown as Record<string, Delegate>)[name] as Delegate;
}
