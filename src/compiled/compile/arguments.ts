import { getMappedArgumentValues } from '@pothos/core';
import { type FieldNode, type GraphQLField, Kind, type ValueNode } from 'graphql';
import type { Binding } from '../sql/binding.ts';

type Field = GraphQLField<unknown, unknown>;

/**
 * Returns a function for the arguments of a field, as its resolver gets them. Constant arguments are computed once for
 * all runs.
 */
export function argumentsOf<Args>(field: Field, node: FieldNode): (binding: Binding) => Args {
  const read = (binding: Binding): Args => {
    const info = { schema: binding.schema, variableValues: binding.variables };
    return getMappedArgumentValues(field as never, node as never, binding.context, info as never) as Args;
  };
  if (node.arguments?.some(({ value }) => hasVariable(value)))
    return (binding) => binding.once(read, () => read(binding));
  let constant: Args | undefined;
  return (binding) => {
    constant ??= read(binding);
    return constant;
  };
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value));
}
