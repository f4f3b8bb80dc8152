import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../context.ts';
import { invalid } from '../core/errors.ts';
import { inOneTransaction, inTwoTransactions } from '../domain/shared/idempotency/executions.ts';
import type { IdempotentRequest } from '../domain/shared/types.ts';
import { fieldsWithin, fragmentsOf, isSkipped } from './documents/fields-within.ts';
import { idempotentOperation } from './idempotency-key.ts';
import { executeWhole } from './incremental.ts';
import { onErrorOf } from './on-error.ts';
import { takePersonIds, withPersonIds } from './person-ids.ts';

/** Executes a mutation with an Idempotency-Key once, as a whole, and returns it in a single body. */
export const runOnce: Plugin = {
  onExecute({ args, setExecuteFn }) {
    const { request } = args.contextValue as { request: Request };
    const operation = getOperationAST(args.document, args.operationName);
    if (operation?.operation !== OperationTypeNode.MUTATION) return;
    const { operationName, variableValues: variables } = args;
    const asked = { query: args.document.loc?.source.body, operationName, variables };
    let idempotent: IdempotentRequest | null;
    try {
      idempotent = idempotentOperation(request.headers, asked);
    } catch (error) {
      return setExecuteFn(() => asResult(error));
    }
    if (idempotent) setExecuteFn((given) => executeOnce(given, operation, idempotent).catch(asResult));
  },
};

const asResult = (error: unknown): ExecutionResult => {
  if (error instanceof NothingStored) return error.result;
  return { errors: [error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error })] };
};

async function executeOnce(
  args: ExecutionArgs,
  operation: OperationDefinitionNode,
  request: IdempotentRequest,
): Promise<ExecutionResult> {
  const context = args.contextValue as Context;
  const { schema, document, variableValues } = args;
  const answerOnce = executionOf({ schema, document, variableValues }, operation);
  const { body } = await answerOnce(context, request, async (contextValue) => {
    const extended = { ...args, document: withPersonIds(schema, document), contextValue };
    const result = await executeWhole(extended, onErrorOf(context));
    if (result.errors) throw new NothingStored(result);
    const personIds = takePersonIds(result.data);
    return { answer: { status: 200, headers: {}, body: JSON.stringify({ data: result.data }) }, personIds };
  });
  return JSON.parse(body) as ExecutionResult;
}

/**
 * A field of an operation with an Idempotency-Key has failed: none of its writes is stored, so no field has a result.
 */
class NothingStored extends Error {
  readonly result: ExecutionResult;

  constructor({ data, errors = [] }: ExecutionResult) {
    super('A field has failed.');
    const keys = Object.keys(data ?? {}).filter((key) => key !== '__typename');
    const failed = new Set(errors.map(({ path }) => path?.[0]));
    const [first] = errors;
    const rolledBack = keys
      .filter((key) => first && !failed.has(key))
      .map(
        (key) =>
          new GraphQLError(
            'This was rolled back, because another field of the operation failed and the operation has an Idempotency-Key.',
            {
              path: [key],
              originalError: first,
            },
          ),
      );
    this.result = {
      errors: [...errors, ...rolledBack],
      data: data && Object.fromEntries(keys.map((key) => [key, null])),
    };
  }
}

type Given = Pick<ExecutionArgs, 'schema' | 'document' | 'variableValues'>;

/** How resolvers carry out a mutation once. Throws 400 like `waitsForService`. */
export const executionOf = (given: Given, operation: OperationDefinitionNode) =>
  waitsForService(given, operation) ? inTwoTransactions : inOneTransaction;

/**
 * Whether a mutation waits for something outside the database, which no transaction may do. Throws 400 if it has other
 * fields too, whose writes could not be rolled back if it fails.
 */
function waitsForService(
  { schema, document, variableValues }: Given,
  { selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
): boolean {
  const fields = schema.getMutationType()?.getFields() ?? {};
  // Wrong variables are the execution's to refuse.
  const { variableValues: variables } = getVariableValues(schema, variableDefinitions, { ...variableValues });
  const isLeftOut = (node: SelectionNode) => variables !== undefined && isSkipped(node, variables);
  const asked = fieldsWithin(selectionSet, fragmentsOf(document), isLeftOut).filter(
    ({ name }) => name.value !== '__typename',
  );
  const waiting = asked.find(({ name }) => fields[name.value]?.extensions.parleyWaits);
  if (waiting && new Set(asked.map(({ alias, name }) => (alias ?? name).value)).size > 1) {
    throw invalid(
      `Idempotency-Key: ${waiting.name.value} calls another service, so it must be the only field of the operation`,
    );
  }
  return waiting !== undefined;
}
