import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { GraphQLSchema } from 'graphql';
import type { Context, Viewer } from '../context.ts';
import type { Services } from '../services.ts';
import { failureOf } from './failure.ts';
import { executeWhole } from './incremental.ts';

/** Runs a document in process, for a viewer. Throws a `ParleyError` when any part of it failed. */
export type Run = <Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  viewer: Viewer,
) => Promise<Data>;

/** The way in which the REST layer reaches the graph: the same schema and resolvers, no HTTP between. */
export function createRun(schema: GraphQLSchema, services: Services): Run {
  return async (document, variables, viewer) => {
    const contextValue: Context = { ...services, viewer };
    const variableValues = variables as Record<string, unknown>;
    const result = await executeWhole({ schema, document, variableValues, contextValue });
    if (result.errors?.[0]) throw failureOf(result.errors[0], services.log);
    return result.data as never;
  };
}
