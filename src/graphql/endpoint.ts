import { type ExecutionResult, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { limits } from '../auth/limits.ts';
import type { Context } from '../context.ts';
import { statusOf } from '../errors.ts';
import type { Services } from '../services.ts';
import { failureOf } from './failure.ts';

/** The GraphQL endpoint: a fetch handler that is given the context of an authenticated request. */
export function createEndpoint(schema: GraphQLSchema, { log }: Services): YogaServerInstance<Context, object> {
  return createYoga<Context>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    batching: false,
    multipart: false,
    maskedErrors: { maskError: (error) => present(error, log) },
    plugins: [limitTokens, presentErrors(log)],
  });
}

/** A document is refused while it is parsed, before its size can cost anything. */
const limitTokens: Plugin = {
  onParse: ({ setParseFn }) =>
    setParseFn((source: string, options: object) => parse(source, { ...options, maxTokens: limits.tokens })),
};

/** Errors that yoga itself makes, of documents and requests that are not valid, get our codes as well. */
function presentErrors(log: Logger): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (!('errors' in result) || !result.errors) return;
      setResult({ ...result, errors: result.errors.map((error) => present(error, log)) } as ExecutionResult);
    },
  };
}

/** An error as the response shows it: the code and issues of the decisions, and where in the document it belongs. */
function present(error: unknown, log: Logger): GraphQLError {
  if (error instanceof GraphQLError && Object.hasOwn(statusOf, String(error.extensions.code))) return error;
  const failure = failureOf(error, log);
  const source = error instanceof GraphQLError ? error : null;
  const { http, ...extensions } = failure.extensions;
  // The status of the response is the caller's business only when nothing ran: data may stand beside a field's error.
  const ran = source?.path !== undefined || (source !== null && failure.code === 'invalid_request');
  return new GraphQLError(failure.message, {
    nodes: source?.nodes,
    source: source?.source,
    positions: source?.positions,
    path: source?.path,
    extensions: ran ? extensions : { ...extensions, http },
  });
}
