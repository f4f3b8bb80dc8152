import { complexityFromQuery } from '@pothos/plugin-complexity';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import { limits } from '../core/limits.ts';
import type { Memory } from './memory.ts';
import { unsupported } from './unsupported.ts';

type Sized = { schema: GraphQLSchema; document: DocumentNode; variables: Record<string, unknown>; ctx: Context };

/** Whether one operation is within the limits: the same sum that the resolvers are guarded by, for each size once. */
export class Sizes {
  readonly #fits = new Map<string, boolean>();
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Refuses an operation that is larger than the limits. */
  check({ document, ...options }: Sized): void {
    const key = sizesIn(options.variables);
    const fits = this.#fits.get(key) ?? this.#keep(key, fitsLimits(document, options));
    if (!fits) unsupported('a large operation');
  }

  #keep(key: string, fits: boolean): boolean {
    if (key.length > longKey) return fits;
    this.#fits.set(key, fits);
    this.#memory.grow(100 + 2 * key.length);
    return fits;
  }
}

/** The sum is made anew for longer ones. */
const longKey = 10_000;

function fitsLimits(document: DocumentNode, options: Omit<Sized, 'document'>): boolean {
  const { complexity, depth, breadth } = complexityFromQuery(document, options);
  const { query } = limits;
  return complexity <= query.complexity && depth <= query.depth && breadth <= query.breadth;
}

/** What the sum can depend on: how many rows are asked for, never what a text says. */
const sizesIn = (variables: Record<string, unknown>): string =>
  Object.values(variables).every((value) => typeof value === 'string')
    ? Object.keys(variables).join()
    : JSON.stringify(variables, (_key, value: unknown) => (typeof value === 'string' ? '' : value));
