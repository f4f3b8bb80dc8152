import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DocumentNode, type GraphQLSchema, getOperationAST } from 'graphql';
import type { Context, Services } from '../context.ts';
import { ParleyError } from '../core/errors.ts';
import { memoize } from '../core/lazy.ts';
import type { Viewer } from '../core/viewer.ts';
import { inOneTransaction } from '../domain/shared/idempotency/executions.ts';
import type { IdempotentRequest, StoredAnswer } from '../domain/shared/types.ts';
import { failureOf } from '../http/failure.ts';
import type { RequestNotes } from '../http/log/request-log.ts';
import { idempotentOperation } from './idempotency-key.ts';
import { executionOf } from './idempotent-mutations.ts';
import { executeWhole } from './incremental.ts';
import { takePersonIds, withPersonIds } from './person-ids.ts';
import { type Picked, type Texts, textsIn } from './picked.ts';
import { admitOperation } from './price/index.ts';
import { type OperationParams, withTrustedDocument } from './saved/trusted.ts';
import { bodyOfFailure } from './unavailable.ts';

export type { IdempotentRequest, StoredAnswer } from '../domain/shared/types.ts';

type Variables = Record<string, unknown>;

/**
 * The compiled way, which `src/compiled` implements: an operation as one statement. Each resolves with null where the
 * resolvers have to answer; then nothing was written.
 */
export type Compiled = {
  /** Resolves with the body of the response; `notes` collects what is logged. Throws why the request is refused. */
  answer(request: CompiledRequest, context: Context, notes?: RequestNotes): Promise<string | null>;
  /** Prepares to pick values from the data of a validated document, for many runs. */
  pick(
    document: DocumentNode,
    picked: readonly Picked[],
  ): (variables: Variables, ctx: Context) => Promise<Texts | null>;
  /** Resolves with the response of a write with an Idempotency-Key, new or stored. */
  once(
    document: DocumentNode,
    variables: Variables,
    ctx: Context,
    asked: IdempotentWrite,
  ): Promise<StoredAnswer | null>;
};
export type CompiledRequest = {
  query: string;
  operationName?: string | null;
  variables?: Variables | null;
  /** The request's Idempotency-Key; ignored for reads. */
  idempotent?: IdempotentRequest | null;
};
/** A request with an Idempotency-Key, and how its response is made from the data. */
export type IdempotentWrite = { request: IdempotentRequest; make: (data: unknown) => StoredAnswer };

/** Runs a document, and resolves with the values that are picked from its data. Throws `ParleyError`. */
export type Read = (variables: Variables) => Promise<Texts>;
/** For whom a document is run; `notes.compiled` will say whether a compiled query has answered all of it. */
type Call = { context: Context; notes: RequestNotes };
/** A write with an Idempotency-Key. */
type Write = {
  request: IdempotentRequest;
  variables: Variables;
  make: (texts: Texts) => StoredAnswer;
  /** What is done instead of `make` with what `variables` give, for writes that may take several attempts. */
  work?: ((read: Read) => Promise<StoredAnswer>) | null;
};

/** A document, prepared to be run often: by a compiled query where there is one, or else by the resolvers. */
export type Prepared = {
  read(variables: Variables, call: Call): Promise<Texts>;
  /**
   * Writes once per Idempotency-Key; a repetition gets the same response. If it fails, nothing is stored. Throws 409
   * and 422 like `answerOnce`.
   */
  once(write: Write, call: Call): Promise<StoredAnswer>;
};
export type Prepare = (document: DocumentNode, picked: readonly Picked[]) => Prepared;

/**
 * Runs a document for a viewer, and resolves with its data as JSON has it. Throws a `ParleyError` if any part fails.
 */
export type Run = <Data, Given>(
  document: TypedDocumentNode<Data, Given>,
  variables: Given,
  viewer: Viewer,
) => Promise<Data>;

/** Answers a GraphQL request by a compiled query, also with why it is refused; null where Yoga has to answer. */
export type AnswerCompiled = (asked: OperationParams, call: Call, headers?: Headers) => Promise<StoredAnswer | null>;
type Headers = Parameters<typeof idempotentOperation>[0];

/**
 * Creates the access of all surfaces to the graph, which alone chooses between compiled queries and resolvers. Without
 * `compiled`, the resolvers run everything.
 */
export function createExecution(schema: GraphQLSchema, services: Services, compiled: Compiled | null) {
  const prepare = createPrepare(schema, services, compiled);
  const whole = memoize((document: DocumentNode) => prepare(document, [{ path: [] }]));
  const run: Run = async (document, variables, viewer) => {
    const call = { context: { ...services, viewer }, notes: {} };
    const [data] = await whole(document).read(variables as Variables, call);
    return JSON.parse(data ?? 'null');
  };
  const answerCompiled: AnswerCompiled = async (asked, { context, notes }, headers) => {
    try {
      const trusted = (await withTrustedDocument(asked, context, notes)) as CompiledRequest;
      const request = trusted.query ? withKey(trusted, headers) : null;
      // Also if it throws why the request is refused.
      notes.compiled = request !== null && compiled !== null;
      const body = (request && (await compiled?.answer(request, context, notes))) ?? null;
      notes.compiled = body !== null;
      return body === null ? null : { status: 200, headers: {}, body };
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      const { code, status, headers: told } = error;
      notes.errorCodes = [code];
      return { status, headers: { ...told }, body: JSON.stringify(bodyOfFailure(error)) };
    }
  };
  return { prepare, run, answerCompiled };
}

/** Adds the Idempotency-Key to a request; null if it is invalid, which Yoga reports of writes. */
function withKey(request: CompiledRequest, headers: Headers = none): CompiledRequest | null {
  try {
    return { ...request, idempotent: idempotentOperation(headers, request) };
  } catch {
    return null;
  }
}

const none: Headers = { get: () => null };

function createPrepare(schema: GraphQLSchema, { log }: Services, compiled: Compiled | null): Prepare {
  return (document, picked) => {
    const pick = compiled?.pick(document, picked);
    const resolve = async (variables: Variables, context: Context) =>
      textsIn(await dataOf({ schema, document, variableValues: variables, contextValue: context }), picked);

    const writeByResolvers = async ({ request, variables, make, work }: Write, context: Context) => {
      const operation = getOperationAST(document);
      const answerOnce = operation
        ? executionOf({ schema, document, variableValues: variables }, operation)
        : inOneTransaction;
      const extended = withPersonIds(schema, document);
      return answerOnce(context, request, async (contextValue) => {
        const personIds: string[] = [];
        const read: Read = async (variableValues) => {
          const data = await dataOf({ schema, document: extended, variableValues, contextValue });
          personIds.push(...takePersonIds(data));
          return textsIn(data, picked);
        };
        const answer = work ? await work(read) : make(await read(variables));
        return { answer, personIds };
      });
    };

    return {
      async read(variables, { context, notes }) {
        const isAll = notes.compiled !== false;
        // Also if it throws why it fails.
        notes.compiled = pick !== undefined && isAll;
        const texts = (await pick?.(variables, context)) ?? null;
        notes.compiled = texts !== null && isAll;
        return texts ?? resolve(variables, context);
      },
      async once(write, { context, notes }) {
        const { request, variables, make, work } = write;
        const asked = { request, make: (data: unknown) => make(textsIn(data, picked)) };
        const answer = work ? null : await compiled?.once(document, variables, context, asked);
        notes.compiled = Boolean(answer);
        if (answer) return answer;
        return writeByResolvers(write, context).catch((error: unknown) => {
          throw failureOf(error, log);
        });
      },
    };
  };
}

type Operation = { schema: GraphQLSchema; document: DocumentNode; variableValues: Variables; contextValue: Context };

/** Runs an operation by the resolvers. Throws a `ParleyError` if any part of it fails. */
async function dataOf(operation: Operation): Promise<unknown> {
  await admitOperation(operation);
  const { data, errors } = await executeWhole(operation);
  if (errors?.[0]) throw failureOf(errors[0], operation.contextValue.log);
  return data;
}
