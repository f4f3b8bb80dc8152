import type { GraphQLSchema, VariableValues } from 'graphql';
import { Compiler } from './compile.ts';
import type { Finishers } from './finish.ts';
import type { Models } from './models.ts';
import type { Operation } from './operation.ts';
import { Recent } from './recent.ts';
import { orRefuse, Refuse, refuse } from './refuse.ts';
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
  return orRefuse(() => {
    const query = schema.getQueryType() ?? refuse('no queries');
    const source = { schema, fragments: operation.fragments, variables };
    const compiler = new Compiler(source, models);
    const parts = compiler.statement(query, fieldsOf(source, query, [operation.node.selectionSet]));
    return { template: new Template(parts), finishers: compiler.finishers };
  });
}
