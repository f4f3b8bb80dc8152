import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  experimentalExecuteIncrementally,
  type GraphQLError,
  getOperationAST,
  Kind,
  legacyExecuteIncrementally,
  OperationTypeNode,
  validateExecutionArgs,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { memoize } from '../core/lazy.ts';
import { allowStale } from '../database/deadline.ts';
import { formatError } from './format-error.ts';
import { executeWith, type OnError, onErrorOf, subscribeWith } from './on-error.ts';
import { isTooLarge, sendable, tooLargeResponse } from './price/response-size.ts';

/** Unlike `execute`, accepts a schema with `@defer` and `@stream`. A result that is too large is an error instead. */
export async function executeWhole(
  executionArgs: ExecutionArgs,
  onError: OnError = 'PROPAGATE',
): Promise<ExecutionResult> {
  const args = validateExecutionArgs(executionArgs);
  if (!('schema' in args)) return { errors: args };
  return sendable(await byKind(executionArgs, () => executeWith(onError, args)), isWrite(executionArgs));
}

const isWrite = ({ document, operationName }: ExecutionArgs): boolean =>
  getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION;

/** A query may be read from a standby, if its request accepts that; a mutation never is. */
function byKind<T>({ document, operationName }: ExecutionArgs, work: () => T): T {
  const isQuery = getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY;
  return isQuery ? allowStale(work) : work();
}

type Execute = typeof experimentalExecuteIncrementally | typeof legacyExecuteIncrementally;
type Executed = Awaited<ReturnType<Execute>>;
type InParts = Extract<Executed, { initialResult: unknown }>;
/** A part of an incremental response; later ones contain additions and their errors. */
type Part = {
  errors?: readonly GraphQLError[];
  incremental?: readonly Part[];
  completed?: readonly Part[];
  hasNext?: boolean;
};

/**
 * Executes with graphql's own executor: Yoga's takes any value with a `then` key for a promise, even in a user's JSON
 * or an alias. With `@defer` and `@stream`, later parts are sent incrementally to callers that accept `multipart/mixed`
 * or `text/event-stream`; all others get the whole result in one body, and so does whoever sends `onError`.
 */
export function answerInParts(log: Logger): Plugin {
  return {
    onSubscribe({ args, setSubscribeFn }) {
      const onError = onErrorOf(args.contextValue);
      setSubscribeFn((executionArgs) => subscribeWith(onError, executionArgs));
    },
    onExecute({ args, setExecuteFn }) {
      const singleResponse = withoutDefer(args.document);
      const { request } = args.contextValue as { request: Request };
      const onError = onErrorOf(args.contextValue);
      const isWhole = singleResponse === args.document || onError !== 'PROPAGATE';
      const execute = isWhole ? null : executeFor(request.headers.get('accept') ?? '');
      if (!execute)
        return setExecuteFn((executionArgs) => executeWhole({ ...executionArgs, document: singleResponse }, onError));
      setExecuteFn(async (executionArgs) => {
        const result = await byKind(executionArgs, () => execute(executionArgs));
        if ('initialResult' in result) return partsOf(result, { log, isWrite: isWrite(executionArgs) });
        return sendable(result, isWrite(executionArgs));
      });
    },
  };
}

/**
 * Returns the executor for the incremental format that the caller reads: today's draft if the caller names it,
 * otherwise the one of 2022, which all clients understand. Null if the caller accepts a single body only.
 */
function executeFor(accept: string): Execute | null {
  const streams = accept.split(',').filter((type) => /^\s*(multipart\/mixed|text\/event-stream)\s*(;|$)/i.test(type));
  if (streams.length === 0) return null;
  const draft = streams.some((type) => /;\s*incrementalSpec=v0\.2\b/i.test(type));
  return draft ? experimentalExecuteIncrementally : legacyExecuteIncrementally;
}

/** Returns the document without the two directives; the same object if it has none. */
const withoutDefer = memoize(
  (document: DocumentNode): DocumentNode =>
    visit(document, {
      [Kind.DIRECTIVE]: ({ name: { value } }) => (value === 'defer' || value === 'stream' ? null : undefined),
    }),
);

/** Yields the parts in order. Returning early cancels pending work at once, instead of after the current part. */
function partsOf(
  { initialResult, subsequentResults }: InParts,
  { log, isWrite }: { log: Logger; isWrite: boolean },
): AsyncGenerator<Part, void> {
  let hasStarted = false;
  let hasFailed = false;
  const shown = ({ done, value }: IteratorResult<Part, void>): IteratorResult<Part, void> =>
    done ? { done, value: undefined } : { done: false, value: presented(value, log) };
  const next = async (): Promise<IteratorResult<Part, void>> => {
    if (hasStarted) return subsequentResults.next();
    hasStarted = true;
    return { done: false, value: initialResult };
  };
  return {
    async next() {
      if (hasFailed) return { done: true, value: undefined };
      const part = await next();
      if (part.done || !isTooLarge(part.value)) return shown(part);
      hasFailed = true;
      void subsequentResults.return().catch(() => {});
      return shown({ done: false, value: { errors: [tooLargeResponse(isWrite)], hasNext: false } });
    },
    return: async () => shown(await subsequentResults.return()),
    throw: async (error) => shown(await subsequentResults.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await this.return();
    },
  };
}

/** Formats the errors in later parts as those of a whole response. */
function presented(part: Part, log: Logger): Part {
  const { errors, incremental, completed } = part;
  return {
    ...part,
    ...(errors && { errors: errors.map((error) => formatError(error, log)) }),
    ...(incremental && { incremental: incremental.map((inner) => presented(inner, log)) }),
    ...(completed && { completed: completed.map((inner) => presented(inner, log)) }),
  };
}
