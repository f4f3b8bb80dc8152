import type { FieldNode, VariableValues } from 'graphql';
import type { Context } from '../context.ts';
import type { Statement } from '../database/query/statements.ts';
import { Binding } from '../lists/sql/binding.ts';
import { DeferredField } from './compile/deferred.ts';
import { prepareWrite } from './compile/mutation.ts';
import type { Operation } from './operation.ts';
import type { Graph, Plan } from './plan.ts';

/** The statement of a run, with its parameters. */
export type BoundStatement = { plan: Plan; statement: Statement; binding: Binding };

type DeferredNodes = Map<FieldNode, DeferredField>;

/**
 * Plans and writes the statement of a run, without the fields that its arguments leave to their resolvers, which are
 * added to `deferred`. Throws `UnsupportedQuery`.
 */
export function bindRead(
  graph: Graph,
  operation: Operation,
  variables: VariableValues,
  context: Context,
  deferred: DeferredNodes = new Map(),
): BoundStatement {
  for (;;) {
    const plan = operation.plans.for(graph, operation, variables, deferred);
    const binding = new Binding(context, graph.schema, variables);
    try {
      return { plan, statement: plan.template.for(binding), binding };
    } catch (error) {
      defer(deferred, error);
    }
  }
}

/**
 * Prepares the write of a plan, and writes its statement: without reading first, if that may do, and else as the
 * resolvers prepare it. Nothing is written yet: what fails is left to the resolvers.
 */
export async function* bindWrites(
  graph: Graph,
  plan: Plan,
  variables: VariableValues,
  context: Context,
): AsyncGenerator<BoundStatement> {
  const { mutation, template } = plan;
  for (const unread of mutation?.rowWrite.prepareUnread ? [true, false] : [false]) {
    const binding = new Binding(context, graph.schema, variables);
    if (!mutation || (await prepareWrite(mutation, binding, unread))) {
      yield { plan, statement: template.for(binding), binding };
    }
  }
}

/** Adds the fields that an error leaves to their resolvers; throws it if it leaves none. */
export function defer(deferred: DeferredNodes, error: unknown): void {
  if (!(error instanceof DeferredField) || error.nodes.every((node) => deferred.has(node))) throw error;
  for (const node of error.nodes) deferred.set(node, error);
}
