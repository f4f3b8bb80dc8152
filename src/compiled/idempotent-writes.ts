import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import { ParleyError } from '../core/errors.ts';
import { inChildSpan } from '../core/tracing.ts';
import type { Statements } from '../database/query/statements.ts';
import { inStatements } from '../domain/shared/idempotency/executions.ts';
import { takePersonIds, withPersonIds } from '../graphql/person-ids.ts';
import { tooLargeResponse } from '../graphql/price/response-size.ts';
import type { IdempotentWrite, StoredAnswer } from '../graphql/run.ts';
import { isTooLargeFor } from '../lists/sql/sql.ts';
import { logUnsupported, unsupported } from '../lists/unsupported.ts';
import { bindWrites } from './bound.ts';
import { FinalFailure, isOutOfTime } from './compile/final-failure.ts';
import { runOf } from './compile/post-process.ts';
import { describeOperation, type Operation, type Operations } from './operation.ts';
import type { Graph, Plan } from './plan.ts';
import { requireScopes } from './scopes.ts';

type Parts = {
  schema: GraphQLSchema;
  graph: Graph;
  operations: Operations;
  statements: Statements;
  log: Pick<Logger, 'error' | 'warn' | 'debug'>;
};

/**
 * Runs a compiled write with an Idempotency-Key: the usual statement, in the transaction that also stores the key and
 * the response. Failures before the commit are left to the resolvers, since nothing was stored, but for a response that
 * is too large, which is 400, and a key that is refused. Throws these, and `FinalFailure`.
 */
export function createIdempotentWrite({ schema, graph, operations, statements, log }: Parts) {
  return async (
    requested: Operation,
    given: Record<string, unknown>,
    context: Context,
    { request, make }: IdempotentWrite,
  ): Promise<StoredAnswer | null> => {
    let plan: Plan | undefined;
    let isClaimed = true;
    let hasRun = false;
    try {
      requireScopes(schema, requested, context);
      const operation = operations.ofDocument(withPersonIds(schema, requested.document));
      const variables = operations.variablesOf(operation, given);
      plan = operation.plans.for(graph, operation, variables);
      const { postProcessors, mutation } = plan;
      if (!mutation) return unsupported('a key of what does not write');
      const { document, priceCheck } = requested;
      const paid = await priceCheck.check({ schema, document, variables: given, coerced: variables, ctx: context });
      let isWritten = false;
      for await (const { statement, binding } of bindWrites(graph, plan, variables, context)) {
        isClaimed = false;
        hasRun = true;
        const once = statements.withConnection((client, send) =>
          inStatements(client, context, request, async () => {
            isClaimed = true;
            const text = await inChildSpan(
              () => describeOperation(requested),
              () => send(statement, binding.values),
            );
            if (text === null) throw new NothingWritten();
            isWritten = true;
            const { data } = JSON.parse(await postProcessors.apply(text, runOf(context, variables, paid))) as {
              data: unknown;
            };
            const personIds = takePersonIds(data);
            return { answer: make(data), personIds };
          }),
        );
        const answer = await once.catch((error: unknown) => {
          if (error instanceof NothingWritten) return null;
          throw error;
        });
        if (isWritten) await mutation.rowWrite.after?.(context);
        if (answer) return answer;
      }
      return unsupported('nothing was written', 'not_written');
    } catch (error) {
      const { name, cause } = error as Error;
      if (!isClaimed && error instanceof ParleyError) throw error;
      if (isTooLargeFor(error)) throw tooLargeResponse();
      if (plan && name === 'OutcomeUnknown') throw new FinalFailure(cause, log, plan.root);
      if (plan && isOutOfTime(error)) throw new FinalFailure(error, log, plan.root);
      logUnsupported(log, error, hasRun);
      return null;
    }
  };
}

/** The statement does not apply: the next is tried, or else the resolvers. */
class NothingWritten extends Error {}
