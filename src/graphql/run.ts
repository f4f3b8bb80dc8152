import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type GraphQLSchema, getOperationAST } from 'graphql';
import type { Context, Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import { answerOnce, type KeyedRequest, type StoredAnswer } from '../domain/shared/keyed-requests.ts';
import { failureOf } from '../http/failure.ts';
import { executeWhole } from './incremental.ts';
import { waitsOutside } from './keyed.ts';
import { judge } from './price/index.ts';
import { takeSubjects, withSubjects } from './subjects.ts';

export type { KeyedRequest, StoredAnswer } from '../domain/shared/keyed-requests.ts';

/** Runs a document in process, for a viewer. Throws a `ParleyError` when any part of it failed. */
export type Run = <Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  viewer: Viewer,
) => Promise<Data>;

/**
 * Has `work` answer a request that came with an Idempotency-Key, once; `document` is what it runs. A repetition is answered
 * the same. Throws what `work` throws, and then nothing of it is kept; 409 and 422 as `answerOnce`.
 */
export type RunOnce = (
  viewer: Viewer,
  request: KeyedRequest,
  document: TypedDocumentNode<unknown, unknown>,
  work: (run: Run) => Promise<StoredAnswer>,
) => Promise<StoredAnswer>;

/** The way in which the REST layer reaches the graph: the same schema and resolvers, no HTTP between. */
export function createRun(schema: GraphQLSchema, services: Services): Run {
  return (document, variables, viewer) => runIn(schema, { ...services, viewer }, document, variables);
}

/** The same for what is to be carried out once. */
export function createRunOnce(schema: GraphQLSchema, services: Services): RunOnce {
  return async (viewer, request, document, work) => {
    const operation = getOperationAST(document);
    const waits = operation !== null && operation !== undefined && waitsOutside(schema, document, operation);
    try {
      return await answerOnce({ ...services, viewer }, request, {
        waits,
        work: async (context) => {
          const about: string[] = [];
          const answer = await work(async (document, variables) => {
            const data = await runIn(schema, context, withSubjects(schema, document) as typeof document, variables);
            about.push(...takeSubjects(data));
            return data;
          });
          return { answer, about };
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
  await judge({ schema, document, variableValues, contextValue });
  const result = await executeWhole({ schema, document, variableValues, contextValue });
  if (result.errors?.[0]) throw failureOf(result.errors[0], contextValue.log);
  return result.data as never;
}
