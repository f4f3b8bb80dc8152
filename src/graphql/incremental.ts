import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  executeRootSelectionSet,
  experimentalExecuteIncrementally,
  type GraphQLError,
  Kind,
  legacyExecuteIncrementally,
  subscribe,
  validateExecutionArgs,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { formatError } from './format-error.ts';

/** Not `execute`, which refuses a schema with `@defer` and `@stream`, though the document has none. */
export function executeWhole(given: ExecutionArgs): PromiseOrValue<ExecutionResult> {
  const args = validateExecutionArgs(given);
  return 'schema' in args ? executeRootSelectionSet(args) : { errors: args };
}

type PromiseOrValue<Value> = Value | Promise<Value>;
type Execute = typeof experimentalExecuteIncrementally | typeof legacyExecuteIncrementally;
type Executed = Awaited<ReturnType<Execute>>;
type InParts = Extract<Executed, { initialResult: unknown }>;
/** A part of an answer; those that come later hold what is added, and the errors of it. */
type Part = { errors?: readonly GraphQLError[]; incremental?: readonly Part[]; completed?: readonly Part[] };

/**
 * Has graphql's own executor answer: Yoga's takes any value with a `then` for a promise, be it a key of somebody's JSON or an
 * alias. `@defer` and `@stream`: parts of the answer that come later, for callers that accept `multipart/mixed` or
 * `text/event-stream`. Everybody else gets the whole answer in one body.
 */
export function answerInParts(log: Logger): Plugin {
  return {
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe),
    onExecute({ args, setExecuteFn }) {
      const whole = wholeOf(args.document);
      const { request } = args.contextValue as { request: Request };
      const execute = whole === args.document ? null : executeFor(request.headers.get('accept') ?? '');
      if (!execute) return setExecuteFn((given) => executeWhole({ ...given, document: whole }));
      setExecuteFn(async (given) => {
        const result = await execute(given);
        return 'initialResult' in result ? partsOf(result, log) : result;
      });
    },
  };
}

/**
 * The executor that writes parts in the format that a caller reads: the one of today's draft for who names it, the one of
 * 2022, which all clients know, for all others. Null for who takes one body only.
 */
function executeFor(accept: string): Execute | null {
  const streams = accept.split(',').filter((type) => /^\s*(multipart\/mixed|text\/event-stream)\s*(;|$)/i.test(type));
  if (streams.length === 0) return null;
  const draft = streams.some((type) => /;\s*incrementalSpec=v0\.2\b/i.test(type));
  return draft ? experimentalExecuteIncrementally : legacyExecuteIncrementally;
}

const wholes = new WeakMap<DocumentNode, DocumentNode>();

/** The same document without the two directives; itself when it has none. */
function wholeOf(document: DocumentNode): DocumentNode {
  const known = wholes.get(document);
  if (known) return known;
  const whole = visit(document, {
    [Kind.DIRECTIVE]: ({ name: { value } }) => (value === 'defer' || value === 'stream' ? null : undefined),
  });
  wholes.set(document, whole);
  return whole;
}

/** The parts one after the other. Whoever leaves ends what is still being made at once, not with the part that it is in. */
function partsOf({ initialResult, subsequentResults }: InParts, log: Logger): AsyncGenerator<Part, void> {
  let begun = false;
  const shown = ({ done, value }: IteratorResult<Part, void>): IteratorResult<Part, void> =>
    done ? { done, value: undefined } : { done: false, value: presented(value, log) };
  return {
    async next() {
      if (begun) return shown(await subsequentResults.next());
      begun = true;
      return shown({ done: false, value: initialResult });
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

/** Errors of what came later get our codes as those of a whole answer do. */
function presented(part: Part, log: Logger): Part {
  const { errors, incremental, completed } = part;
  return {
    ...part,
    ...(errors && { errors: errors.map((error) => formatError(error, log)) }),
    ...(incremental && { incremental: incremental.map((inner) => presented(inner, log)) }),
    ...(completed && { completed: completed.map((inner) => presented(inner, log)) }),
  };
}
