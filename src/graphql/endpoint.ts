import { type ExecutionResult, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { limits } from '../auth/limits.ts';
import type { Context } from '../context.ts';
import { invalid, ParleyError, statusOf } from '../errors.ts';
import { findUnstorable } from '../http/storable.ts';
import type { Services } from '../services.ts';
import { failureOf } from './failure.ts';

export type Endpoint = YogaServerInstance<Context, object>;

/** The GraphQL endpoint: a fetch handler that is given the context of an authenticated request. */
export function createEndpoint(schema: GraphQLSchema, { log }: Services): Endpoint {
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
    plugins: [limitTokens, checkAddress, checkVariables, explainMediaTypes, presentErrors(log)],
  });
}

/** A document is refused while it is parsed, before its size can cost anything. */
const limitTokens: Plugin = {
  onParse: ({ setParseFn }) =>
    setParseFn((source: string, options: object) => parse(source, { ...options, maxTokens: limits.tokens })),
};

/** What an address holds as JSON, yoga takes for such without looking. */
const checkAddress: Plugin = {
  onRequestParse({ request, url }) {
    if (request.method !== 'GET') return;
    const broken = ['variables', 'extensions'].filter((name) => !isJson(url.searchParams.get(name) || 'null'));
    if (broken.length > 0) throw invalid(broken.map((name) => `${name}: must be JSON`));
  },
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Texts that no column can hold are named before anything runs. */
const checkVariables: Plugin = {
  onParams({ params }) {
    const issues = findUnstorable(params.variables ?? {});
    if (issues.length > 0) throw invalid(issues);
  },
};

/** Yoga refuses a media type with a bare status. */
const explainMediaTypes: Plugin = {
  onResponse({ response, setResponse }) {
    if (response.status !== 415 && response.status !== 406) return;
    const message =
      response.status === 415
        ? 'Send the operation as JSON, with Content-Type: application/json.'
        : 'Accept application/graphql-response+json or application/json: the answer has no other form.';
    const code = 'unsupported_media_type';
    setResponse(Response.json({ errors: [{ message, extensions: { code } }] }, { status: statusOf[code] }));
  },
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
  const source = error instanceof GraphQLError ? error : null;
  if (source && isPresented(source)) return source;
  const failure = failureOf(wrongMethod(source) ?? error, log);
  const { http: _, ...extensions } = failure.extensions;
  return new GraphQLError(failure.message, {
    nodes: source?.nodes,
    source: source?.source,
    positions: source?.positions,
    path: source?.path,
    extensions: { ...extensions, ...statusFor(source, failure) },
  });
}

const isPresented = ({ path, extensions }: GraphQLError): boolean =>
  Object.hasOwn(statusOf, String(extensions.code)) && !(path && extensions.http);

/** Yoga's refusal of a mutation by GET, as every path says it. */
function wrongMethod(source: GraphQLError | null): ParleyError | null {
  const http = source?.extensions.http as { status?: number; headers?: Record<string, string> } | undefined;
  if (!source || http?.status !== statusOf.method_not_allowed) return null;
  return new ParleyError('method_not_allowed', source.message, { headers: http.headers });
}

/** The status of the response is an error's business only when nothing ran: data may stand beside a field's error. */
function statusFor(source: GraphQLError | null, { code, extensions }: ParleyError): Record<string, unknown> {
  if (source?.path) return {};
  if (code !== 'invalid_request' || !source || source.extensions.code === 'BAD_REQUEST')
    return { http: extensions.http };
  // With application/json the response to a document that is not valid is 200, by GraphQL over HTTP: `spec` says so.
  return { http: source.extensions.http ?? { spec: true, status: statusOf[code] } };
}
