import type { Context } from '../../src/context.ts';

/** The methods of Prisma's model delegates that lists use. */
export type Delegate = {
  findMany(query: object): Promise<Record<string, unknown>[]>;
  findFirst(query: object): Promise<Record<string, unknown> | null>;
  count(query: object): Promise<number>;
};

/** Returns Prisma's delegate of a model: `agent` for `Agent`. */
export function delegateOf(context: Context, model: string): Delegate {
  const name = model.slice(0, 1).toLowerCase() + model.slice(1);
  return (context.database as unknown as Record<string, Delegate>)[name] as Delegate;
}
