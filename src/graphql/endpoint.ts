import {
  type ExecutionResult,
  type execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Context, Services } from '../context.ts';
import { invalid, ParleyError } from '../core/errors.ts';
import { parsedJson } from '../core/json.ts';
import { findUnstorable, parseJson } from '../core/json-limits.ts';
import { decode, requireEncodedUtf8, requireSmall, requireUtf8 } from '../http/body.ts';
import type { RequestNotes, WatchBearer } from '../http/log/request-log.ts';
import { notAcceptable } from './accept.ts';
import { requireCapacity } from './cost.ts';
import { createDocumentCache } from './documents/document-cache.ts';
import { withKnownNames } from './documents/known-names.ts';
import { formatError } from './format-error.ts';
import { runOnce } from './idempotent-mutations.ts';
import { answerInParts } from './incremental.ts';
import { readOnError } from './on-error.ts';
import { admitOperation, type PricedOperation } from './price/index.ts';
import { trustDocuments } from './saved/trusted.ts';
import { acceptsMultipartSubscription, streamedResults } from './streams/streamed-results.ts';
import { reportUnavailable } from './unavailable.ts';

/** The context of an authenticated request. */
export type EndpointContext = Context & {
  /** Collects what the request's log line shows. */
  requestNotes: RequestNotes;
  /** The body of a POST, if it is already parsed. */
  params: object | null;
  /** Ends a stream with its bearer. */
  watchBearer?: WatchBearer | undefined;
};
export type Endpoint = YogaServerInstance<EndpointContext, object>;

/** Creates the GraphQL endpoint: a fetch handler that takes the context of an authenticated request. */
export function createEndpoint(schema: GraphQLSchema, { log, config }: Services): Endpoint {
  return createYoga<EndpointContext>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    batching: false,
    multipart: false,
    // Ours comes before it, and its copy of the request would lose `parseExactly`.
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    extraParamNames: ['documentId', 'onlyQuery', 'onError'],
    maskedErrors: { maskError: (error) => formatError(knownIn(schema, error), log) },
    plugins: [
      parseExactly,
      checkAddress,
      reuseParams,
      trustDocuments,
      readOnError,
      createDocumentCache().plugin,
      checkVariables,
      refuseWritesByGet,
      requireReadableResponse,
      refuseUnderLoad,
      findPrice,
      answerInParts(log),
      runOnce,
      explainMediaTypes,
      sendUnbuffered,
      streamedResults(config.streamPingMs, log),
      presentErrors(schema, log),
      reportUnavailable,
      recordOperation,
    ],
  });
}

/** Yoga parses bodies by `json`, for which integers beyond 2^53 are whatever number is near. */
const parseExactly: Plugin = {
  onRequestParse({ request: { method }, requestParser, setRequestParser }) {
    if (method !== 'POST' || !requestParser) return;
    setRequestParser(async (request) => {
      requireUtf8(request);
      const text = decode(new Uint8Array(await request.arrayBuffer()));
      const isForm = /^application\/x-www-form-urlencoded/i.test(request.headers.get('content-type') ?? '');
      if (isForm) requireEncodedUtf8(text, 'body');
      for (const part of isForm ? new URLSearchParams(text).values() : [text]) requireSmall(part);
      Object.defineProperty(request, 'json', { value: async () => parseJson(text) });
      Object.defineProperty(request, 'text', { value: async () => text });
      return requestParser(request);
    });
  },
};

/** Yoga does not check that these parameters of a URL are JSON. */
const checkAddress: Plugin = {
  onRequestParse({ request, url }) {
    if (request.method !== 'GET') return;
    requireEncodedUtf8(url.search, 'address');
    const broken = ['variables', 'extensions'].filter(
      (name) => parsedJson(url.searchParams.get(name) || 'null') === undefined,
    );
    if (broken.length > 0) throw invalid(broken.map((name) => `${name}: must be JSON`));
  },
};

/** A body is parsed once, by whoever reads it first. */
const reuseParams: Plugin<EndpointContext> = {
  onRequestParse({ serverContext, setRequestParser }) {
    const { params } = serverContext as unknown as EndpointContext;
    if (params) setRequestParser(() => params);
  },
};

/** Rejects values that cannot be stored, before anything runs. Some clients send an empty name for none. */
const checkVariables: Plugin = {
  onParams({ params, setParams }) {
    if (params.operationName === '') setParams({ ...params, operationName: null as never });
    const issues = findUnstorable(params.variables ?? {});
    if (issues.length > 0) throw invalid(issues);
  },
};

/** Refuses operations that cost more than the load allows, before they run. */
const refuseUnderLoad: Plugin<EndpointContext> = {
  onExecute: ({ args }) => requireCapacity(args as unknown as PricedOperation),
  onSubscribe: ({ args }) => requireCapacity(args as unknown as PricedOperation),
};

/** Prices operations before they run; the root fields of too expensive ones throw. */
const findPrice: Plugin<EndpointContext> = {
  async onExecute({ args }) {
    args.document = await admitOperation(args as unknown as PricedOperation);
  },
  onSubscribe: async ({ args }) => void (await admitOperation(args as unknown as PricedOperation)),
};

/** Yoga's responses to unsupported media types have no body. */
const explainMediaTypes: Plugin = {
  onResponse({ response, setResponse }) {
    if (response.body || (response.status !== 415 && response.status !== 406)) return;
    const { message, code, status } = response.status === 415 ? notJson() : notAcceptable();
    setResponse(Response.json({ errors: [{ message, extensions: { code } }] }, { status }));
  },
};

const notJson = () =>
  new ParleyError('unsupported_media_type', 'Send the operation as JSON, with Content-Type: application/json.');

/** Proxies such as nginx buffer streams unless told otherwise. */
const sendUnbuffered: Plugin = {
  onResponse({ response: { headers } }) {
    if (!/^(text\/event-stream|multipart\/mixed)/.test(headers.get('content-type') ?? '')) return;
    headers.set('x-accel-buffering', 'no');
    headers.set('cache-control', 'no-cache');
  },
};

/** Adds to the log line the operation's name, once its document is valid, and the codes of its errors. */
const recordOperation: Plugin<EndpointContext> = {
  onExecute: ({ args }) => recordName(args),
  onSubscribe: ({ args }) => recordName(args),
  onResultProcess({ result, serverContext }) {
    const errors = 'errors' in result ? (result.errors ?? []) : [];
    (serverContext as unknown as EndpointContext).requestNotes.errorCodes = errors.map(({ extensions }) =>
      String(extensions?.code),
    );
  },
};

function recordName({ document, operationName, contextValue }: Parameters<typeof execute>[0]): void {
  const name = getOperationAST(document, operationName)?.name?.value;
  (contextValue as EndpointContext).requestNotes.operation = name?.slice(0, 200);
}

/** An error of a request that never ran, such as of its variables, with the names that there are. */
const knownIn = (schema: GraphQLSchema, error: unknown): unknown =>
  error instanceof GraphQLError && !error.path ? withKnownNames(schema, error) : error;

/** Yoga's own errors, for invalid documents and requests, get our codes too. */
function presentErrors(schema: GraphQLSchema, log: Logger): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (!('errors' in result) || !result.errors) return;
      const errors = result.errors.map((error) => formatError(knownIn(schema, error), log));
      setResult({ ...result, errors } as ExecutionResult);
    },
  };
}

const events = 'text/event-stream';
const forms = ['application/graphql-response+json', 'application/json', 'multipart/mixed', events];

/**
 * Refuses, before anything runs, operations whose response format the caller does not accept: nothing may be written
 * then.
 */
const requireReadableResponse: Plugin = {
  onExecute({ args: { contextValue }, setResultAndStopExecution }) {
    if (!isRead(contextValue, forms)) setResultAndStopExecution(refusal('application/json'));
  },
  onSubscribe({ args: { contextValue }, setResultAndStopExecution }) {
    const { request } = contextValue as { request: Request };
    if (!isRead(contextValue, [events]) && !acceptsMultipartSubscription(request))
      setResultAndStopExecution(refusal(events));
  },
};

const refusal = (form: string) => ({
  errors: [new ParleyError('unsupported_media_type', `Accept ${form}: this operation responds in that format.`)],
});

function isRead(context: unknown, written: string[]): boolean {
  const { request } = context as { request: Request };
  const read = (request.headers.get('accept') || '*/*').toLowerCase().split(',');
  return read.some((range) => {
    const [type = '', subtype = ''] = range.split(';', 1)[0]?.trim().split('/') ?? [];
    return written.some((form) => [form, `${form.split('/')[0]}/*`, '*/*'].includes(`${type}/${subtype}`));
  });
}

/** Refuses subscriptions that write if they are asked for by GET, which browsers send from any page and again. */
const refuseWritesByGet: Plugin = {
  onSubscribe({ args: { schema, document, contextValue }, setResultAndStopExecution }) {
    const { request } = contextValue as { request: Request };
    if (request.method === 'POST') return;
    const types = new TypeInfo(schema);
    let writes = false;
    const Field = () => {
      writes ||= types.getFieldDef()?.extensions.parleyWrites === true;
    };
    visit(document, visitWithTypeInfo(types, { Field }));
    if (writes) setResultAndStopExecution({ errors: [getRefusal] });
  },
};

const getRefusal = new ParleyError('method_not_allowed', 'This subscription writes: send it by POST.', {
  headers: { allow: 'POST' },
});
