import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
  type VariableValues,
} from 'graphql';
import type { ListRule } from '../lists/list.ts';
import { fieldsOf, type Root } from '../lists/selection.ts';
import type { Models } from '../lists/sql/models.ts';
import { orUnsupported, UnsupportedQuery, unsupported } from '../lists/unsupported.ts';
import type { Deferred } from './compile/deferred.ts';
import { type Mutation, mutationOf } from './compile/mutation.ts';
import type { PostProcessors } from './compile/post-process.ts';
import { Compiler } from './compile.ts';
import { type Memory, Template } from './sql/template.ts';

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
  /** The names of the fields that their resolvers answer, such as `Conversation.export`. */
  deferred: readonly string[];
  /** Whether the response contains the price of the operation. */
  selectsPrice: boolean;
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

/**
 * The plans of one operation: one for each outcome of its `@skip` and `@include`, and each set of fields that arguments
 * leave to their resolvers.
 */
export class Plans {
  readonly #plans = new Map<string, Plan | UnsupportedQuery>();
  readonly #numbers = new Map<FieldNode, number>();

  /** Returns the plan for these variables. Throws `UnsupportedQuery`, which is cached too. */
  for(graph: Graph, operation: PlanSource, variables: VariableValues, deferred: Deferred = none): Plan {
    const decided = operation.deciding.map((name) => String(variables.coerced[name])).join();
    const key =
      deferred.size === 0 ? decided : `${decided} ${[...deferred.keys()].map((node) => this.#numberOf(node)).join()}`;
    const plan = this.#plans.get(key) ?? this.#keep(key, compile(graph, operation, variables, deferred), operation);
    if (plan instanceof UnsupportedQuery) throw plan;
    return plan;
  }

  #numberOf(node: FieldNode): number {
    const number = this.#numbers.get(node) ?? this.#numbers.size;
    this.#numbers.set(node, number);
    return number;
  }

  #keep(key: string, plan: Plan | UnsupportedQuery, { memory }: PlanSource): Plan | UnsupportedQuery {
    this.#plans.set(key, plan);
    memory.grow(2 * key.length + (plan instanceof UnsupportedQuery ? 1_000 : plan.template.bytes));
    return plan;
  }
}

const none: Deferred = new Map();

function compile(
  { schema, models }: Graph,
  operation: PlanSource,
  variables: VariableValues,
  deferred: Deferred,
): Plan | UnsupportedQuery {
  return orUnsupported(() => {
    const { node, fragments, memory } = operation;
    const type = schema.getRootType(node.operation) ?? unsupported(`no ${node.operation}`);
    const source = { schema, fragments, variables, operationName: node.name?.value };
    const selected = fieldsOf(source, type, [node.selectionSet]);
    const compiler = new Compiler(source, models, deferred);
    const mutation = node.operation === OperationTypeNode.MUTATION ? mutationOf(type, selected) : null;
    const parts = mutation ? compiler.mutation(mutation) : compiler.statement(type, selected);
    const template = new Template(parts, memory);
    return {
      root: { type, selected },
      template,
      postProcessors: compiler.postProcessors,
      mutation,
      grouped: compiler.grouped[0] ?? null,
      deferred: compiler.deferred.descriptions,
      selectsPrice: compiler.deferred.selectsPrice,
    };
  });
}
