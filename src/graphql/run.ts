import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type GraphQLSchema, getOperationAST } from 'graphql';
import type { Context, Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import { answerOnce, type KeyedRequest, type StoredAnswer } from '../domain/shared/keyed-requests.ts';
import { failureOf } from '../http/failure.ts';
import { executeWhole } from './incremental.ts';
import { waitsOutside } from './keyed.ts';
import { admitOperation } from './price/index.ts';
import { removeSubjects, withSubjects } from './subjects.ts';

export type { KeyedRequest, StoredAnswer } from '../domain/shared/keyed-requests.ts';

/** Runs a document in process for a viewer. Throws a `ParleyError` if any part of it fails. */
export type Run = <Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  viewer: Viewer,
) => Promise<Data>;

/**
 * Runs `work`, which executes `document`, once per Idempotency-Key; a repetition gets the same response. If `work`
 * throws, the error is rethrown and nothing is stored. Throws 409 and 422 like `answerOnce`.
 */
export type RunOnce = (
  viewer: Viewer,
  request: KeyedRequest,
  document: TypedDocumentNode<unknown, unknown>,
  work: (run: Run) => Promise<StoredAnswer>,
) => Promise<StoredAnswer>;

/** Creates the REST layer's access to the graph: the same schema and resolvers, without HTTP in between. */
export function createRun(schema: GraphQLSchema, services: Services): Run {
  return (document, variables, viewer) => runIn(schema, { ...services, viewer }, document, variables);
}

/** Like `createRun`, for requests with an Idempotency-Key. */
export function createRunOnce(schema: GraphQLSchema, services: Services): RunOnce {
  return async (viewer, request, document, work) => {
    const operation = getOperationAST(document);
    const isSplit = operation !== null && operation !== undefined && waitsOutside(schema, document, operation);
    try {
      return await answerOnce({ ...services, viewer }, request, {
        isSplit,
        work: async (context) => {
          const subjects: string[] = [];
          const answer = await work(async (document, variables) => {
            const data = await runIn(schema, context, withSubjects(schema, document) as typeof document, variables);
            subjects.push(...removeSubjects(data));
            return data;
          });
          return { answer, subjects };
        },
      });
    } catch (error) {
      throw failureOf(error, services.log);
    }
  };
}

async function runIn<Data, Variables>(
  schema: GraphQLSchema,
  contextValue: Context,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const variableValues = variables as Record<string, unknown>;
  await admitOperation({ schema, document, variableValues, contextValue });
  const result = await executeWhole({ schema, document, variableValues, contextValue });
  if (result.errors?.[0]) throw failureOf(result.errors[0], contextValue.log);
  return result.data as never;
}
