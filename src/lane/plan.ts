import { complexityFromQuery } from '@pothos/plugin-complexity';
import type { GraphQLSchema, VariableValues } from 'graphql';
import { limits } from '../auth/limits.ts';
import type { Context } from '../context.ts';
import { Compiler } from './compile.ts';
import type { Finishers } from './finish.ts';
import type { Models } from './models.ts';
import type { Operation } from './operation.ts';
import { Recent } from './recent.ts';
import { Refuse, refuse } from './refuse.ts';
import { fieldsOf } from './selection.ts';
import { Template } from './template.ts';

/** A compiled operation: the statement, and what JavaScript does with its answer. */
export type Plan = { template: Template; finishers: Finishers };
export type Graph = { schema: GraphQLSchema; models: Models };

/** The plans of one operation: one for each way in which its `@skip` and `@include` are decided. */
export class Plans {
  readonly #plans = new Recent<Plan | Refuse>(16);

  /** The plan for these variables. Throws `Refuse`, which is remembered too. */
  for(graph: Graph, operation: Operation, variables: VariableValues): Plan {
    const key = operation.deciding.map((name) => String(variables.coerced[name])).join();
    const plan = this.#plans.get(key, () => compile(graph, operation, variables));
    if (plan instanceof Refuse) throw plan;
    return plan;
  }
}

function compile({ schema, models }: Graph, operation: Operation, variables: VariableValues): Plan | Refuse {
  try {
    const query = schema.getQueryType() ?? refuse('no queries');
    const source = { schema, fragments: operation.fragments, variables };
    const compiler = new Compiler(source, models);
    const parts = compiler.statement(query, fieldsOf(source, query, [operation.node.selectionSet]));
    return { template: new Template(parts), finishers: compiler.finishers };
  } catch (error) {
    if (error instanceof Refuse) return error;
    throw error;
  }
}

/** Refuses an operation that is larger than the limits: the same sum that the resolvers are guarded by. */
export function checkSize(
  { schema }: Graph,
  { document }: Operation,
  variables: Record<string, unknown>,
  ctx: Context,
): void {
  const { complexity, depth, breadth } = complexityFromQuery(document, { schema, ctx, variables });
  const { query } = limits;
  if (complexity > query.complexity || depth > query.depth || breadth > query.breadth) refuse('a large operation');
}
