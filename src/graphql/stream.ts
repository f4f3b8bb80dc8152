import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import { failureOf } from '../http/failure.ts';
import { subscribeWith } from './on-error.ts';
import { admitOperation } from './price/index.ts';

/** Runs a subscription in process for a viewer. Throws a `ParleyError`, at the start or while it is read. */
export type Stream = <Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  viewer: Viewer,
) => Promise<AsyncGenerator<Data, void>>;

/** Creates the REST layer's access to subscriptions: the same schema and resolvers, without HTTP in between. */
export function createStream(schema: GraphQLSchema, services: Services): Stream {
  return async (document, variables, viewer) => {
    const contextValue = { ...services, viewer };
    const variableValues = variables as Record<string, unknown>;
    await admitOperation({ schema, document, variableValues, contextValue });
    const results = await subscribeWith('PROPAGATE', { schema, document, variableValues, contextValue });
    if (!(Symbol.asyncIterator in results)) throw failureOf(results.errors?.[0], services.log);
    return dataOf(results, services) as never;
  };
}

async function* dataOf(results: AsyncIterable<ExecutionResult>, { log }: Services): AsyncGenerator<unknown, void> {
  try {
    for await (const { data, errors } of results) {
      if (errors?.[0]) throw errors[0];
      yield data;
    }
  } catch (error) {
    throw failureOf(error, log);
  }
}
