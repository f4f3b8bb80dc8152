import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import { argumentsOfField } from '../graphql/documents/field-arguments.ts';
import { isSkipped } from '../graphql/documents/fields-within.ts';
import type { Binding } from './sql/binding.ts';
import { unsupported } from './unsupported.ts';

/** The document of a plan, with the variables that decide `@skip` and `@include`. */
export type Source = {
  schema: GraphQLSchema;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  variables: VariableValues;
  operationName?: string | undefined;
  /** Deferred parts count as selected. */
  incremental?: true;
};
/** A field of the response: its key, its nodes in the document, and its definition, null for `__typename`. */
export type Selected = { key: string; nodes: FieldNode[]; field: GraphQLField<unknown, unknown> | null };
/** A root type and the fields selected of it. */
export type Root = { type: GraphQLObjectType; selected: readonly Selected[] };

/** Returns a function for the arguments of a field, as its resolver gets them. */
export function argumentsOf<Args>({ field, nodes: [node] }: Selected): (binding: Binding) => Args {
  if (!field || !node) return unsupported('the arguments of no field');
  return (binding) => argumentsOfField<Args>(binding, field, node);
}

/** Collects the fields selected of an object in response order, as the GraphQL specification does. */
export function fieldsOf(source: Source, type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Selected[] {
  const nodes = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  for (const set of sets) collect(source, type, set, nodes, visited);
  return [...nodes].map(([key, group]) => ({ key, nodes: group, field: definition(type, group[0] as FieldNode) }));
}

/** The selection sets of a field that occurs several times in the document. */
export const setsOf = (nodes: readonly FieldNode[]): SelectionSetNode[] =>
  nodes.flatMap(({ selectionSet }) => selectionSet ?? []);

function definition(type: GraphQLObjectType, { name: { value } }: FieldNode): GraphQLField<unknown, unknown> | null {
  if (value === '__typename') return null;
  return type.getFields()[value] ?? unsupported(`${type.name}.${value}`);
}

function collect(
  source: Source,
  type: GraphQLObjectType,
  { selections }: SelectionSetNode,
  nodes: Map<string, FieldNode[]>,
  visited: Set<string>,
): void {
  for (const selection of selections) {
    if (!isIncluded(source, selection)) continue;
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      const group = nodes.get(key);
      if (group) group.push(selection);
      else nodes.set(key, [selection]);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      if (applies(source, type, selection.typeCondition?.name.value)) {
        collect(source, type, selection.selectionSet, nodes, visited);
      }
    } else if (!visited.has(selection.name.value)) {
      visited.add(selection.name.value);
      const fragment = source.fragments.get(selection.name.value);
      if (fragment && applies(source, type, fragment.typeCondition.name.value)) {
        collect(source, type, fragment.selectionSet, nodes, visited);
      }
    }
  }
}

function isIncluded({ variables, incremental }: Source, selection: SelectionNode): boolean {
  if (!selection.directives?.length) return true;
  if (!incremental && selection.directives.some(({ name }) => name.value !== 'skip' && name.value !== 'include')) {
    unsupported('a directive beside skip and include');
  }
  return !isSkipped(selection, variables);
}

function applies({ schema }: Source, type: GraphQLObjectType, condition: string | undefined): boolean {
  if (condition === undefined || condition === type.name) return true;
  const abstract = schema.getType(condition);
  return isAbstractType(abstract) && schema.isSubType(abstract, type);
}
