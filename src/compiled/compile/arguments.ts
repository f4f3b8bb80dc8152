import type { FieldNode, GraphQLField } from 'graphql';
import { argumentsOfField } from '../../graphql/field-arguments.ts';
import type { Binding } from '../sql/binding.ts';

/** Returns a function for the arguments of a field, as its resolver gets them. */
export const argumentsOf =
  <Args>(field: GraphQLField<unknown, unknown>, node: FieldNode): ((binding: Binding) => Args) =>
  (binding) =>
    argumentsOfField<Args>(binding, field, node);
