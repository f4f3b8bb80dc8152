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
import { fieldsOf, type Source, setsOf } from '../compile/selection.ts';

/** A selected field, with its nodes in the document. */
export type SelectedField = { key: string; name: string; nodes: FieldNode[]; field: GraphQLField<unknown, unknown> };

/** Reads a document: resolves fragments and directives, and coerces arguments as for a resolver. */
export type DocumentReader = {
  /** The fields selected of an object, without `__typename`. */
  fields(type: GraphQLObjectType, nodes: readonly FieldNode[]): SelectedField[];
  args(field: Pick<SelectedField, 'field' | 'nodes'>): Record<string, unknown>;
};

export function readerOf(
  source: Source,
  context: object,
  variables: Pick<VariableValues, 'coerced' | 'sources'>,
): DocumentReader {
  const info = { schema: source.schema, variableValues: variables };
  return {
    fields: (type, nodes) =>
      fieldsOf(source, type, setsOf(nodes)).flatMap(({ key, nodes: fieldNodes, field }) =>
        field ? [{ key, name: field.name, nodes: fieldNodes, field }] : [],
      ),
    args: ({ field, nodes }) =>
      getMappedArgumentValues(field as never, nodes[0] as never, context as never, info as never) as Record<
        string,
        unknown
      >,
  };
}

/** Returns the reader for a resolver. Deferred parts count as selected. */
export function readerOfInfo(info: GraphQLResolveInfo, context: object): DocumentReader {
  const variables = info.variableValues as VariableValues;
  const fragments = new Map(Object.entries(info.fragments as Record<string, FragmentDefinitionNode>));
  return readerOf({ schema: info.schema, fragments, variables, incremental: true }, context, variables);
}

/** Returns the object type of a field. */
export function objectOf(field: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) throw new Error(`${field.name} is no object`);
  return type;
}
