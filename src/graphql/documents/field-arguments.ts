import { getMappedArgumentValues } from '@pothos/core';
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type ValueNode,
  type VariableValues,
} from 'graphql';
import { memoize } from '../../core/lazy.ts';

type Field = GraphQLField<unknown, unknown>;
type Known = { field: Field; args: object };
/** What arguments are coerced with; they are the same for every context. */
type ArgumentSource = {
  schema: GraphQLSchema;
  variables: Pick<VariableValues, 'coerced' | 'sources'>;
  context: object;
};

/** Constant arguments by the field's node; its document keeps them. */
const constants = new WeakMap<FieldNode, Known>();
/** Arguments with variables, by the coerced variables. */
const varying = memoize((_variables: object) => new WeakMap<FieldNode, Known>());
const withVariables = new WeakMap<FieldNode, boolean>();

/**
 * Returns the arguments of a field as its resolver gets them, coerced once for each node, and for each set of coerced
 * variables if they contain any. They are shared: do not change them. Throws `GraphQLError` if a value does not fit.
 */
export function argumentsOfField<Args>(source: ArgumentSource, field: Field, node: FieldNode): Args {
  const known = hasVariables(node) ? varying(source.variables) : constants;
  const found = known.get(node);
  // A fragment on an interface has one node for the fields of several types.
  if (found?.field === field) return found.args as Args;
  const info = { schema: source.schema, variableValues: source.variables };
  const args = getMappedArgumentValues(field as never, node as never, source.context, info as never);
  known.set(node, { field, args });
  return args as Args;
}

/** Whether the arguments of a field contain variables. */
export function hasVariables(node: FieldNode): boolean {
  const known = withVariables.get(node);
  if (known !== undefined) return known;
  const has = node.arguments?.some(({ value }) => containsVariable(value)) ?? false;
  withVariables.set(node, has);
  return has;
}

function containsVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(containsVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => containsVariable(field.value));
}
