import { type DocumentNode, GraphQLError, type GraphQLSchema, getOperationAST } from 'graphql';
import type { Context } from '../../context.ts';
import { invalid, type ParleyError } from '../../core/errors.ts';
import { checkLength, parseDocument } from '../documents/document.ts';
import { errorsOfVariables, presentableError } from '../documents/known-names.ts';
import { validateDocument } from '../documents/validate.ts';
import { priceBefore, roughPrice } from './admit.ts';
import { type CostPart, PartRecorder } from './parts.ts';

/** An operation as clients send it. */
export type GivenOperation = {
  query: string;
  variables?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
};

/** What an operation would cost, the error if it would be refused, and its fields in the order of the document. */
export type OperationCost = { cost: number; refusal: ParleyError | null; parts: CostPart[] };

const read = new WeakMap<Context, Set<string>>();

/**
 * Prices an operation without executing it, by the number of rows that there are. Throws 400 `invalid_request` for an
 * invalid operation, and for a second one in the same request, since validation costs time; 413 for a text that is too
 * long.
 */
export async function operationCost(
  schema: GraphQLSchema,
  given: GivenOperation,
  context: Context,
): Promise<OperationCost> {
  const operation = { ...readOnce(schema, given, context, 'operationCost'), schema, contextValue: context };
  const { estimates, viewer } = context;
  // Small operations are admitted without row counts, but here they are worth a statement a minute.
  await estimates.load(viewer.workspaceId, roughPrice(operation)?.unknown ?? []);
  await priceBefore(operation);
  const recorder = new PartRecorder(viewer);
  const price = roughPrice(operation, recorder);
  if (!price) throw invalid('The arguments of the operation are not valid: run it to see which.');
  return { cost: price.cost, refusal: price.refusal, parts: recorder.parts };
}

/**
 * Reads an operation that a field names. Throws 400 for a second one in the same request, since validation costs time.
 */
export function readOnce(schema: GraphQLSchema, given: GivenOperation, context: Context, field: string) {
  const fields = read.get(context) ?? new Set();
  read.set(context, fields);
  if (fields.has(field))
    throw invalid(`${field}: may be selected once in a request. Ask for the other operation in another request.`);
  fields.add(field);
  return readOperation(schema, given);
}

/**
 * Parses and validates an operation and its variables. Throws 400 `invalid_request`, and 413 for a text that is too
 * long.
 */
export function readOperation(schema: GraphQLSchema, { query, variables, operationName }: GivenOperation) {
  const document = readDocument(schema, query);
  const operation = getOperationAST(document, operationName);
  if (!operation) throw invalid('operationName: name one of the operations in the document.');
  reportAll(errorsOfVariables(schema, operation.variableDefinitions ?? [], { ...variables }, { maxErrors: 20 }));
  return { document, operationName, variableValues: variables ?? {} };
}

/** Parses and validates a document. Throws 400 `invalid_request`, and 413 for a text that is too long. */
export function readDocument(schema: GraphQLSchema, text: string): DocumentNode {
  checkLength(text);
  const document = parsed(schema, text);
  reportAll(validateDocument(schema, document, { maxErrors: 20 }));
  return document;
}

function parsed(schema: GraphQLSchema, query: string): DocumentNode {
  try {
    return parseDocument(query);
  } catch (error) {
    if (error instanceof GraphQLError) reportAll([presentableError(schema, error)]);
    throw error;
  }
}

function reportAll(errors: readonly GraphQLError[]): void {
  if (errors.length === 0) return;
  throw invalid(
    errors.map(({ message, locations }) => (locations?.[0] ? `Line ${locations[0].line}: ${message}` : message)),
  );
}
