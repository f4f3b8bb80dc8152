import { type GraphQLSchema, getOperationAST, getVariableValues, Kind, OperationTypeNode } from 'graphql';
import type { Context } from '../../context.ts';
import { invalid } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { fragmentsOf } from '../documents/fields-within.ts';
import { errorsOfVariables } from '../documents/known-names.ts';
import { extentOf, isTooLargeToWalk, priceBefore, readDocument, refusalOf, roughPrice } from '../price/index.ts';

/**
 * Throws 400 `invalid_request`, unless the text is one valid query or mutation, and not too large whatever its
 * variables skip; 413 for a text that is too long.
 */
export function readSaved(schema: GraphQLSchema, text: string) {
  const document = readDocument(schema, text);
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const operation = getOperationAST(document);
  if (!operation || operations.length !== 1) throw invalid('document: must have exactly one operation');
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) throw invalid('document: must be a query or a mutation');
  const extent = extentOf(operation.selectionSet, [...fragmentsOf(document).values()]);
  if (isTooLargeToWalk(extent) || extent.name > limits.query.name)
    throw refusalOf(extent) ?? invalid('document: its fragments expand to too many fields. Save several operations');
  return { document, operation };
}

/**
 * Checks a document and the values of its variables before it is saved, and prices it: null if variables that it
 * requires have no values yet. Throws 400 `invalid_request` for an invalid one and for one that is refused whatever
 * the budget.
 */
export async function priceOfSaved(
  schema: GraphQLSchema,
  text: string,
  variables: Record<string, unknown>,
  contextValue: Context,
): Promise<number | null> {
  const { document, operation } = readSaved(schema, text);
  const definitions = operation.variableDefinitions ?? [];
  const names = definitions.map(({ variable }) => variable.name.value);
  const unknown = Object.keys(variables).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw invalid(unknown.map((name) => `variables.${name}: the document has no such variable`));
  const given = definitions.filter(({ variable }) => Object.hasOwn(variables, variable.name.value));
  const errors = errorsOfVariables(schema, given, variables, { maxErrors: 20 });
  if (errors.length > 0) throw invalid(errors.map(({ message }) => `variables: ${message}`));
  if (getVariableValues(schema, definitions, variables).errors) return null;
  const priced = { schema, document, variableValues: variables, contextValue };
  await contextValue.estimates.load(contextValue.viewer.workspaceId, roughPrice(priced)?.unknown ?? []);
  await priceBefore(priced);
  const price = roughPrice(priced);
  if (!price) throw invalid('The arguments of the operation are not valid: run it to see which.');
  if (price.refusal) throw price.refusal;
  return Math.min(price.cost, 2 ** 31 - 1);
}
