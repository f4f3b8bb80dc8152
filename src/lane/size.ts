import { complexityFromQuery } from '@pothos/plugin-complexity';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { limits } from '../auth/limits.ts';
import type { Context } from '../context.ts';
import { Recent } from './recent.ts';
import { refuse } from './refuse.ts';

type Sized = { schema: GraphQLSchema; document: DocumentNode; variables: Record<string, unknown>; ctx: Context };

/** Whether one operation is within the limits: the same sum that the resolvers are guarded by, for each size once. */
export class Sizes {
  readonly #fits = new Recent<boolean>(100);

  /** Refuses an operation that is larger than the limits. */
  check({ document, ...options }: Sized): void {
    const fits = this.#fits.get(sizesIn(options.variables), () => {
      const { complexity, depth, breadth } = complexityFromQuery(document, options);
      const { query } = limits;
      return complexity <= query.complexity && depth <= query.depth && breadth <= query.breadth;
    });
    if (!fits) refuse('a large operation');
  }
}

/** What the sum can depend on: how many rows are asked for, never what a text says. */
const sizesIn = (variables: Record<string, unknown>): string =>
  Object.values(variables).every((value) => typeof value === 'string')
    ? Object.keys(variables).join()
    : JSON.stringify(variables, (_key, value: unknown) => (typeof value === 'string' ? '' : value));
