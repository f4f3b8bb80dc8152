import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
  type VariableValues,
} from 'graphql';
import type { ListRule } from '../database/query/list.ts';
import { Compiler } from './compile/compile.ts';
import { type Mutation, mutationOf } from './compile/mutation.ts';
import type { PostProcessors } from './compile/post-process.ts';
import { fieldsOf, type Root } from './compile/selection.ts';
import type { Memory } from './memory.ts';
import type { Models } from './sql/models.ts';
import { Template } from './sql/template.ts';
import { orUnsupported, UnsupportedQuery, unsupported } from './unsupported.ts';

/**
 * A compiled operation: its root type and fields, the statement, the post-processing of its result, and the write of a
 * mutation.
 */
export type Plan = {
  root: Root;
  template: Template;
  postProcessors: PostProcessors;
  mutation: Mutation | null;
  /** The rule of the first list that is grouped. */
  grouped: ListRule | null;
};
/** The input of compilation. */
export type PlanSource = {
  node: OperationDefinitionNode;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The variables of `@skip` and `@include`: each combination of their values has its own plan. */
  deciding: string[];
  memory: Memory;
};
export type Graph = { schema: GraphQLSchema; models: Models };

/** The plans of one operation: one for each outcome of its `@skip` and `@include`. */
export class Plans {
  readonly #plans = new Map<string, Plan | UnsupportedQuery>();

  /** Returns the plan for these variables. Throws `UnsupportedQuery`, which is cached too. */
  for(graph: Graph, operation: PlanSource, variables: VariableValues): Plan {
    const key = operation.deciding.map((name) => String(variables.coerced[name])).join();
    const plan = this.#plans.get(key) ?? this.#keep(key, compile(graph, operation, variables), operation);
    if (plan instanceof UnsupportedQuery) throw plan;
    return plan;
  }

  #keep(key: string, plan: Plan | UnsupportedQuery, { memory }: PlanSource): Plan | UnsupportedQuery {
    this.#plans.set(key, plan);
    memory.grow(2 * key.length + (plan instanceof UnsupportedQuery ? 1_000 : plan.template.bytes));
    return plan;
  }
}

function compile({ schema, models }: Graph, operation: PlanSource, variables: VariableValues): Plan | UnsupportedQuery {
  return orUnsupported(() => {
    const { node, fragments, memory } = operation;
    const type = schema.getRootType(node.operation) ?? unsupported(`no ${node.operation}`);
    const source = { schema, fragments, variables };
    const selected = fieldsOf(source, type, [node.selectionSet]);
    const compiler = new Compiler(source, models);
    const mutation = node.operation === OperationTypeNode.MUTATION ? mutationOf(type, selected) : null;
    const parts = mutation ? compiler.mutation(mutation) : compiler.statement(type, selected);
    const template = new Template(parts, memory);
    return {
      root: { type, selected },
      template,
      postProcessors: compiler.postProcessors,
      mutation,
      grouped: compiler.grouped[0] ?? null,
    };
  });
}
