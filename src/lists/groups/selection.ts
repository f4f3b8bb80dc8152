import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import { argumentsOfField, hasVariables } from '../../graphql/documents/field-arguments.ts';
import { fieldsOf, type Source, setsOf } from '../selection.ts';

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
  const given = { schema: source.schema, variables, context };
  return {
    fields: (type, nodes) =>
      fieldsOf(source, type, setsOf(nodes)).flatMap(({ key, nodes: fieldNodes, field }) =>
        field ? [{ key, name: field.name, nodes: fieldNodes, field }] : [],
      ),
    args: ({ field, nodes }) => argumentsOfField(given, field, nodes[0] as FieldNode),
  };
}

/** Returns the reader for a resolver. Deferred parts count as selected. */
export function readerOfInfo(info: GraphQLResolveInfo, context: object): DocumentReader {
  const variables = info.variableValues as VariableValues;
  const fragments = new Map(Object.entries(info.fragments as Record<string, FragmentDefinitionNode>));
  return readerOf({ schema: info.schema, fragments, variables, incremental: true }, context, variables);
}

/** Whether the document alone determines what it selects of groups, and no variable. Their rows do not matter here. */
export function isFixed({ fragments }: Pick<Source, 'fragments'>, nodes: readonly FieldNode[]): boolean {
  const seen = new Set<string>();
  const isFixedSet = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return isFixedField(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) return isFixedSet(selection.selectionSet);
      const fragment = seen.has(selection.name.value) ? undefined : fragments.get(selection.name.value);
      seen.add(selection.name.value);
      return !fragment || isFixedSet(fragment.selectionSet);
    });
  const isFixedField = (node: FieldNode): boolean =>
    !hasVariables(node) && (!node.selectionSet || node.name.value === 'rows' || isFixedSet(node.selectionSet));
  return nodes.every(isFixedField);
}

/** Returns the object type of a field. */
export function objectOf(field: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) throw new Error(`${field.name} is no object`);
  return type;
}
