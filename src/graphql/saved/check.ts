import {
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { invalid, ParleyError } from '../../core/errors.ts';
import { memoize } from '../../core/lazy.ts';
import { priceBefore, readDocument, roughPrice } from '../price/index.ts';
import { type ResultValue, resultValues } from '../result-values.ts';

/** Throws 400 `invalid_request`, unless the text is one valid query or mutation; 413 for a text that is too long. */
export function readSaved(schema: GraphQLSchema, text: string) {
  const document = readDocument(schema, text);
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const operation = getOperationAST(document);
  if (!operation || operations.length !== 1) throw invalid('document: must have exactly one operation');
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) throw invalid('document: must be a query or a mutation');
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
  const { errors } = getVariableValues(schema, given, variables, { maxErrors: 20 });
  if (errors) throw invalid(errors.map(({ message }) => `variables: ${message}`));
  if (getVariableValues(schema, definitions, variables).errors) return null;
  const priced = { schema, document, variableValues: variables, contextValue };
  await contextValue.estimates.load(contextValue.viewer.workspaceId, roughPrice(priced)?.unknown ?? []);
  await priceBefore(priced);
  const price = roughPrice(priced);
  if (!price) throw invalid('The arguments of the operation are not valid: run it to see which.');
  if (price.refusal) throw price.refusal;
  return Math.min(price.cost, 2 ** 31 - 1);
}

type Read =
  | { reason: string; operation: null; values: [] }
  | { reason: null; operation: OperationDefinitionNode; values: ResultValue[] };
const knownReads = memoize((_: GraphQLSchema) => new LRUCache<string, Read>({ max: 1_000 }));

/** Why the schema no longer accepts a saved document; null if it does. */
export const whyBroken = (schema: GraphQLSchema, text: string): string | null => readKnown(schema, text).reason;

/** What the numbers of its result are; none if the schema no longer accepts it. */
export const valuesOfSaved = (schema: GraphQLSchema, text: string): ResultValue[] => readKnown(schema, text).values;

/** Reads a saved document, or says why the schema no longer accepts it. Remembers the latest. */
export function readKnown(schema: GraphQLSchema, text: string): Read {
  const reads = knownReads(schema);
  const read = reads.get(text) ?? readOrReason(schema, text);
  reads.set(text, read);
  return read;
}

function readOrReason(schema: GraphQLSchema, text: string): Read {
  try {
    const { document, operation } = readSaved(schema, text);
    return { reason: null, operation, values: resultValues(schema, document) };
  } catch (error) {
    if (error instanceof ParleyError) return { reason: error.message, operation: null, values: [] };
    throw error;
  }
}
