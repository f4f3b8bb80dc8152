import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  executeRootSelectionSet,
  mapSourceToResponseEvent,
  OperationTypeNode,
  type ValidatedExecutionArgs,
  validateSubscriptionArgs,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { invalid } from '../core/errors.ts';
import { fieldsWithin, fragmentsOf, isSkipped } from './documents/fields-within.ts';
import { sendable } from './price/response-size.ts';
import { answersOfPlainEvents } from './streams/plain-events.ts';

const behaviors = ['PROPAGATE', 'NULL', 'HALT'] as const;

/**
 * What a field that fails does to the result, by the proposal of GraphQL's working group: `PROPAGATE`, the default,
 * lets a field that cannot be null make its parent null; `NULL` leaves the parent whole; `HALT` ends the operation,
 * which has no data then.
 */
export type OnError = (typeof behaviors)[number];

const isBehavior = (given: unknown): given is OnError => behaviors.some((behavior) => behavior === given);

/** What a request asks for, once `readOnError` has checked it. */
export function onErrorOf(contextValue: unknown): OnError {
  const { params } = contextValue as { params?: { onError?: unknown } | null };
  return isBehavior(params?.onError) ? params.onError : 'PROPAGATE';
}

/** Yoga reads no `onError` from an address. Throws 400 for a value that is none of the three. */
export const readOnError: Plugin = {
  onParams({ params, request, setParams }) {
    const sent = request.method === 'GET' ? new URL(request.url).searchParams : null;
    const onError: unknown = sent ? sent.get('onError') : (params as { onError?: unknown }).onError;
    if (onError == null) return;
    if (!isBehavior(onError)) throw invalid('onError: must be PROPAGATE, NULL or HALT');
    setParams({ ...params, onError } as typeof params);
  },
};

type PromiseOrValue<Value> = Value | Promise<Value>;

/** Executes an operation, or an event of a subscription. */
export function executeWith(onError: OnError, args: ValidatedExecutionArgs): PromiseOrValue<ExecutionResult> {
  if (onError === 'HALT') return untilFirstError(args);
  return executeRootSelectionSet(onError === 'NULL' ? { ...args, errorPropagation: false } : args);
}

/** Like `subscribe`, whose events always propagate errors. An event whose result is too large is an error instead. */
export async function subscribeWith(onError: OnError, executionArgs: ExecutionArgs) {
  const args = validateSubscriptionArgs(executionArgs);
  if (!('schema' in args)) return { errors: args };
  const events = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in events)) return events;
  const answerPlain = answersOfPlainEvents(args);
  return mapSourceToResponseEvent(args, events, (event) => {
    const plain = answerPlain?.(event.rootValue);
    return plain ? sendable(plain) : Promise.resolve(executeWith(onError, event)).then((result) => sendable(result));
  });
}

/** The fields of a mutation are executed one by one, so that none is after one that has failed. */
async function untilFirstError(args: ValidatedExecutionArgs): Promise<ExecutionResult> {
  const { operation } = args;
  const parts = operation.operation === OperationTypeNode.MUTATION ? rootFieldsOf(args) : [operation.selectionSet];
  // A field may be called __proto__.
  const data: Record<string, unknown> = Object.create(null);
  for (const selectionSet of parts) {
    const result = await executeRootSelectionSet({ ...args, operation: { ...operation, selectionSet } });
    const [error] = result.errors ?? [];
    if (error) return { errors: [error], data: null };
    Object.assign(data, result.data);
  }
  return { data };
}

/** Each field of the result on its own, by all selections that have its name. */
function rootFieldsOf({ operation, document, variableValues }: ValidatedExecutionArgs) {
  const isLeftOut = (node: Parameters<typeof isSkipped>[0]) => isSkipped(node, variableValues);
  const fields = fieldsWithin(operation.selectionSet, fragmentsOf(document), isLeftOut);
  const byName = Map.groupBy(fields, ({ alias, name }) => (alias ?? name).value);
  return [...byName.values()].map((selections) => ({ ...operation.selectionSet, selections }));
}
