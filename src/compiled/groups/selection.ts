import { getMappedArgumentValues } from '@pothos/core';
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
  type VariableValues,
} from 'graphql';
import { fieldsOf, setsOf } from '../selection.ts';

/** A field that is asked for, with the nodes of the document that ask for it. */
export type SelectedField = { key: string; name: string; nodes: FieldNode[]; field: GraphQLField<unknown, unknown> };

/** The fields that nodes ask of an object, fragments and directives resolved, without `__typename`. */
export function fieldsIn(
  info: GraphQLResolveInfo,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
): SelectedField[] {
  const source = {
    schema: info.schema,
    fragments: new Map(Object.entries(info.fragments as Record<string, FragmentDefinitionNode>)),
    variables: info.variableValues as VariableValues,
    incremental: true as const,
  };
  return fieldsOf(source, type, setsOf(nodes)).flatMap(({ key, nodes: asking, field }) =>
    field ? [{ key, name: field.name, nodes: asking, field }] : [],
  );
}

/** The type of a field's objects. */
export function objectOf(field: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) throw new Error(`${field.name} is no object`);
  return type;
}

/** The arguments of a field as its resolver is given them. */
export const argumentsIn = ({ field, nodes }: SelectedField, context: object, info: GraphQLResolveInfo) =>
  getMappedArgumentValues(field as never, nodes[0] as never, context as never, info as never) as Record<
    string,
    unknown
  >;
