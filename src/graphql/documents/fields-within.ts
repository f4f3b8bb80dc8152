import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The fragments of a document by name. */
export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );

/**
 * The fields of a selection itself, with fragments written out, each of them once, as in execution; with `isSkipped`,
 * without what it skips.
 */
export function fieldsWithin(
  selection: SelectionSetNode | undefined,
  fragments: Fragments,
  isSkipped: (node: SelectionNode) => boolean = () => false,
): FieldNode[] {
  const fields: FieldNode[] = [];
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (isSkipped(node)) continue;
      if (node.kind === Kind.FIELD) fields.push(node);
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else if (!seen.has(node.name.value)) {
        seen.add(node.name.value);
        const fragment = fragments.get(node.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  if (selection) collect(selection);
  return fields;
}

/** Whether `@skip` or `@include` leaves a selection out. */
export function isSkipped(node: SelectionNode, variables: VariableValues): boolean {
  if (!node.directives?.length) return false;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return true;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false;
}
