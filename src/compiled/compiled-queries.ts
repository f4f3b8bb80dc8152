import { type FieldNode, type GraphQLError, type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import { invalid } from '../core/errors.ts';
import { findUnstorable } from '../core/json-limits.ts';
import { inChildSpan } from '../core/tracing.ts';
import { allowStale } from '../database/deadline.ts';
import type { Pool } from '../database/pool.ts';
import { Statements } from '../database/query/statements.ts';
import { requireCapacity } from '../graphql/cost.ts';
import { tooLargeResponse } from '../graphql/price/response-size.ts';
import type { Compiled } from '../graphql/run.ts';
import { failureOf } from '../http/failure.ts';
import type { RequestNotes } from '../http/log/request-log.ts';
import { tooSlow } from '../lists/groups/read.ts';
import { type Datamodel, modelsOf } from '../lists/sql/models.ts';
import { isTooLargeFor } from '../lists/sql/sql.ts';
import { logUnsupported, unsupported } from '../lists/unsupported.ts';
import { type BoundStatement, bindRead, bindWrites, defer } from './bound.ts';
import { type DeferredField, withErrors } from './compile/deferred.ts';
import { FinalFailure, isOutOfTime } from './compile/final-failure.ts';
import { answerOfWrite } from './compile/mutation.ts';
import { runOf } from './compile/post-process.ts';
import { createIdempotentWrite } from './idempotent-writes.ts';
import { describeOperation, type Operation, Operations } from './operation.ts';
import type { Graph, Plan } from './plan.ts';
import { Unaffordable } from './price-check.ts';
import { requireScopes } from './scopes.ts';
import { markPicked, pickedValues } from './sql/pick.ts';

/**
 * Compiles an operation that only reads, or writes one row, to one SQL statement that returns the response as text.
 * Fields of a query that are not in the database, or fail, are left to their resolvers. Whatever else is unsupported is
 * left to the resolvers as a whole by returning null; then nothing was written. A price that is too high, a write with
 * unknown outcome, or a statement timeout is an error instead: `answer` returns it as a response, `pick` throws it.
 */
type CompiledQueries = Compiled & {
  /** The estimated size of the cache of compiled operations in bytes. */
  cacheBytes(): number;
};

type Options = {
  schema: GraphQLSchema;
  datamodel: Datamodel;
  pool: Pick<Pool, 'lease' | 'read'>;
  log: Pick<Logger, 'error' | 'warn' | 'debug'>;
};

/** Creates the compiled queries of a schema; operations are compiled on demand. */
export function createCompiledQueries({ schema, datamodel, pool, log }: Options): CompiledQueries {
  const graph: Graph = { schema, models: modelsOf(datamodel) };
  const operations = new Operations(schema);
  const statements = new Statements(pool);

  /** An operation that is prepared; null if it cannot be. */
  const prepared = (prepare: () => Operation): Operation | null => {
    try {
      return prepare();
    } catch (error) {
      logUnsupported(log, error);
      return null;
    }
  };

  const read = async (
    operation: Operation,
    given: Record<string, unknown>,
    context: Context,
  ): Promise<Response | null> => {
    let plan: Plan | undefined;
    let hasRun = false;
    try {
      requireScopes(schema, operation, context);
      const variables = operations.variablesOf(operation, given);
      const { document, priceCheck } = operation;
      const admit = async (showsPrice = false) => {
        const paid = await priceCheck.check({
          schema,
          document,
          variables: given,
          coerced: variables,
          ctx: context,
          showsPrice,
        });
        return runOf(context, variables, paid);
      };
      if (isWrite(operation)) {
        const { root, postProcessors, mutation } = (plan = operation.plans.for(graph, operation, variables));
        const run = await admit();
        const bound = bindWrites(graph, plan, variables, context);
        const send = ({ statement, binding }: BoundStatement) => {
          hasRun = true;
          return inSpan(operation, () => statements.write(statement, binding.values));
        };
        const postProcess = (text: string) => postProcessors.apply(text, run);
        const after = () => mutation?.rowWrite.after?.(context);
        return { text: await answerOfWrite({ root, statements: bound, send, after, postProcess, log }), errors: [] };
      }
      const deferred = new Map<FieldNode, DeferredField>();
      let bound = bindRead(graph, operation, variables, context, deferred);
      plan = bound.plan;
      const admitted = await admit(plan.selectsPrice);
      for (;;) {
        const { statement, binding, plan: current } = bound;
        const run = { ...admitted, errors: [] };
        hasRun = true;
        const sent = await inSpan(operation, () => allowStale(() => statements.read(statement, binding.values)));
        try {
          const text = await current.postProcessors.apply(
            sent ?? unsupported('a row that is not there', 'no_row'),
            run,
          );
          if (current.deferred.length > 0)
            log.debug({ deferred: current.deferred }, 'compiled, but for fields that resolvers answer');
          return { text, errors: run.errors };
        } catch (error) {
          defer(deferred, error);
          bound = bindRead(graph, operation, variables, context, deferred);
          plan = bound.plan;
        }
      }
    } catch (error) {
      if (error instanceof FinalFailure) throw error;
      // The resolvers would hold all of it in memory before they refuse it.
      if (isTooLargeFor(error)) throw tooLargeResponse();
      if (plan && isOutOfTime(error)) {
        throw new FinalFailure(plan.grouped ? tooSlow(plan.grouped) : error, log, plan.root);
      }
      // Each root field would say the same, if none fails before it asks for the price.
      if (error instanceof Unaffordable && plan && !isWrite(operation) && plan.deferred.length === 0) {
        await context.viewer.spend?.(0);
        throw new FinalFailure(error.refusal, log, plan.root);
      }
      logUnsupported(log, error, hasRun);
      return null;
    }
  };

  const once = createIdempotentWrite({ schema, graph, operations, statements, log });
  return {
    cacheBytes: () => operations.bytes,
    once: async (document, variables, context, write) => {
      const operation = prepared(() => operations.ofDocument(document));
      return operation && once(operation, variables, context, write);
    },
    answer: async ({ query, operationName = null, variables, idempotent }, context, notes = {}) => {
      const issues = findUnstorable(variables ?? {});
      if (issues.length > 0) throw invalid(issues);
      const operation = prepared(() => operations.ofText(query, operationName));
      if (!operation) return null;
      notes.operation = operation.node.name?.value;
      requireCapacity({ schema, document: operation.document, variableValues: variables, contextValue: context });
      const answered = async () => {
        if (!idempotent || !isWrite(operation)) {
          const response = await read(operation, variables ?? {}, context);
          if (response?.errors.length)
            notes.errorCodes = response.errors.map(({ extensions }) => String(extensions.code));
          return response && withErrors(response);
        }
        const make = (data: unknown) => ({ status: 200, headers: {}, body: JSON.stringify({ data }) });
        const answer = await once(operation, variables ?? {}, context, { request: idempotent, make });
        return answer?.body ?? null;
      };
      return answered().catch((error: unknown) => bodyOfFailed(error, notes));
    },
    pick: (document, picked) => {
      const marked = markPicked(document, picked);
      return async (variables, context) => {
        const operation = prepared(() => operations.ofDocument(marked));
        const response = operation && (await read(operation, variables, context));
        if (response?.errors[0]) throw failureOf(response.errors[0], context.log);
        return response && pickedValues(response.text, picked);
      };
    },
  };
}

type Response = { text: string; errors: GraphQLError[] };

const isWrite = ({ node }: Operation): boolean => node.operation === OperationTypeNode.MUTATION;

const inSpan = <Result>(operation: Operation, work: () => Promise<Result>): Promise<Result> =>
  inChildSpan(() => describeOperation(operation), work);

function bodyOfFailed(error: unknown, notes: RequestNotes): string {
  if (!(error instanceof FinalFailure)) throw error;
  notes.errorCodes = [error.failure.code];
  if (error.failure.code === 'unavailable') throw error.failure;
  return error.body;
}
