import {
  type DocumentNode,
  type FieldNode,
  getOperationAST,
  getVariableValues,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import type { PricedOperation } from './admit.ts';

/** Reduces an operation with `rateLimit(dryRun: true)` to that field; null for all others. */
export function dryRunOf({ schema, document, operationName, variableValues }: PricedOperation): DocumentNode | null {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return null;
  const rateLimitFields = fieldsNamed('rateLimit', document, operation.selectionSet);
  if (rateLimitFields.length === 0) return null;
  const variables = getVariableValues(schema, operation.variableDefinitions ?? [], { ...variableValues });
  const isDry = ({ arguments: given }: FieldNode) => {
    const value = given?.find(({ name }) => name.value === 'dryRun')?.value;
    if (value?.kind === Kind.VARIABLE) return variables.variableValues?.coerced[value.name.value] === true;
    return value?.kind === Kind.BOOLEAN && value.value;
  };
  if (!rateLimitFields.some(isDry)) return null;
  const dryOperation = { ...operation, selectionSet: { ...operation.selectionSet, selections: rateLimitFields } };
  return { ...document, definitions: document.definitions.map((one) => (one === operation ? dryOperation : one)) };
}

/** The fields of a name in a selection and its fragments, each of which is looked at once, as in execution. */
function fieldsNamed(name: string, { definitions }: DocumentNode, selection: SelectionSetNode): FieldNode[] {
  const seen = new Set<string>();
  const within = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((node) => {
      if (node.kind === Kind.FIELD) return node.name.value === name ? [node] : [];
      if (node.kind === Kind.INLINE_FRAGMENT) return within(node.selectionSet);
      const { value } = node.name;
      if (seen.has(value)) return [];
      seen.add(value);
      const fragment = definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === value);
      return fragment?.kind === Kind.FRAGMENT_DEFINITION ? within(fragment.selectionSet) : [];
    });
  return within(selection);
}
