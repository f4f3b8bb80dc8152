import { type GraphQLSchema, OperationTypeNode, type VariableValues } from 'graphql';
import { Compiler } from './compile.ts';
import type { Finishers } from './finish.ts';
import type { Models } from './models.ts';
import { type Mutation, mutationOf } from './mutation.ts';
import type { Operation } from './operation.ts';
import { orRefuse, Refuse, refuse } from './refuse.ts';
import { fieldsOf, type Root } from './selection.ts';
import { Template } from './template.ts';

/**
 * A compiled operation: its root type and the fields of it, the statement, what JavaScript does with its answer, and of a
 * mutation what is to be written.
 */
export type Plan = {
  root: Root;
  template: Template;
  finishers: Finishers;
  mutation: Mutation | null;
};
export type Graph = { schema: GraphQLSchema; models: Models };

/** The plans of one operation: one for each way in which its `@skip` and `@include` are decided. */
export class Plans {
  readonly #plans = new Map<string, Plan | Refuse>();

  /** The plan for these variables. Throws `Refuse`, which is remembered too. */
  for(graph: Graph, operation: Operation, variables: VariableValues): Plan {
    const key = operation.deciding.map((name) => String(variables.coerced[name])).join();
    const plan = this.#plans.get(key) ?? this.#keep(key, compile(graph, operation, variables), operation);
    if (plan instanceof Refuse) throw plan;
    return plan;
  }

  #keep(key: string, plan: Plan | Refuse, { memory }: Operation): Plan | Refuse {
    this.#plans.set(key, plan);
    memory.grow(2 * key.length + (plan instanceof Refuse ? 1_000 : plan.template.bytes));
    return plan;
  }
}

function compile({ schema, models }: Graph, operation: Operation, variables: VariableValues): Plan | Refuse {
  return orRefuse(() => {
    const { node, fragments, memory } = operation;
    const type = schema.getRootType(node.operation) ?? refuse(`no ${node.operation}`);
    const source = { schema, fragments, variables };
    const selected = fieldsOf(source, type, [node.selectionSet]);
    const compiler = new Compiler(source, models);
    const mutation = node.operation === OperationTypeNode.MUTATION ? mutationOf(type, selected) : null;
    const parts = mutation ? compiler.mutation(mutation) : compiler.statement(type, selected);
    const template = new Template(parts, memory);
    return { root: { type, selected }, template, finishers: compiler.finishers, mutation };
  });
}
