import {
  type DocumentNode,
  type FieldNode,
  getOperationAST,
  getVariableValues,
  Kind,
  OperationTypeNode,
} from 'graphql';
import { fieldsWithin, fragmentsOf, isSkipped } from '../fields-within.ts';
import type { PricedOperation } from './admit.ts';

/** Reduces an operation with `rateLimit(dryRun: true)` to that field; null for all others. */
export function dryRunOf({ schema, document, operationName, variableValues }: PricedOperation): DocumentNode | null {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return null;
  const fragments = fragmentsOf(document);
  const isRateLimit = ({ name }: FieldNode) => name.value === 'rateLimit';
  if (!fieldsWithin(operation.selectionSet, fragments).some(isRateLimit)) return null;
  const given = { ...variableValues };
  const definitions = operation.variableDefinitions ?? [];
  const { variableValues: variables } = getVariableValues(schema, definitions, given, { maxErrors: 1 });
  if (!variables) return null;
  const kept = fieldsWithin(operation.selectionSet, fragments, (node) => isSkipped(node, variables));
  const rateLimitFields = kept.filter(isRateLimit);
  const isDry = ({ arguments: given }: FieldNode) => {
    const value = given?.find(({ name }) => name.value === 'dryRun')?.value;
    if (value?.kind === Kind.VARIABLE) return variables.coerced[value.name.value] === true;
    return value?.kind === Kind.BOOLEAN && value.value;
  };
  if (!rateLimitFields.some(isDry)) return null;
  const dryOperation = { ...operation, selectionSet: { ...operation.selectionSet, selections: rateLimitFields } };
  return { ...document, definitions: document.definitions.map((one) => (one === operation ? dryOperation : one)) };
}
