import { setImmediate } from 'node:timers/promises';
import type { GraphQLSchema, OperationTypeNode, VariableDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { ParleyError } from '../../core/errors.ts';
import { memoize } from '../../core/lazy.ts';
import { currentWorkspace } from '../../database/deadline.ts';
import { type ResultValue, resultValues } from '../result-values.ts';
import { readSaved } from './check.ts';

/** What others need of an operation. All of its document takes much more memory, with its tokens. */
export type KnownOperation = {
  operation: OperationTypeNode;
  variableDefinitions: readonly VariableDefinitionNode[];
};
type Known =
  | { error: ParleyError; broken: string; operation: null; values: [] }
  | { error: null; broken: null; operation: KnownOperation; values: ResultValue[] };

/** In bytes. */
const maxBytes = 32 * 2 ** 20;

/** The latest documents, as the schema reads them, and the ends of the queues of those that are being read. */
const cacheOf = memoize((_schema: GraphQLSchema) => ({
  read: new LRUCache<string, Known>({ maxSize: maxBytes, sizeCalculation: bytesOf }),
  last: Promise.resolve(),
  lastOf: new Map<string | null, Promise<void>>(),
}));

/** The estimated size in bytes of what is kept of saved documents. */
export const bytesKept = (schema: GraphQLSchema): number => cacheOf(schema).read.calculatedSize;

/**
 * Reads a saved document, or says why the schema no longer accepts it. One at a time: a list has many, and between two
 * of them others get their turn, as does another workspace with documents of its own.
 */
export async function readKnown(schema: GraphQLSchema, text: string): Promise<Known> {
  const cache = cacheOf(schema);
  const known = cache.read.get(text);
  if (known) return known;
  await takeTurn(cache);
  const read = cache.read.get(text) ?? readOrReason(schema, text);
  cache.read.set(text, read);
  return read;
}

/** A workspace waits for its own documents first, so that it has one at most in the queue of all. */
async function takeTurn(cache: ReturnType<typeof cacheOf>): Promise<void> {
  const workspace = currentWorkspace();
  const turn = (cache.lastOf.get(workspace) ?? Promise.resolve()).then(() => {
    cache.last = cache.last.then(() => setImmediate());
    return cache.last;
  });
  cache.lastOf.set(workspace, turn);
  await turn;
  if (cache.lastOf.get(workspace) === turn) cache.lastOf.delete(workspace);
}

/** Why the schema no longer accepts a saved document; null if it does. */
export const whyBroken = (schema: GraphQLSchema, text: string): string | null => readOrReason(schema, text).broken;

function readOrReason(schema: GraphQLSchema, text: string): Known {
  try {
    const { document, operation } = readSaved(schema, text);
    const { variableDefinitions = [] } = operation;
    const kept = { operation: operation.operation, variableDefinitions: withoutTokens(variableDefinitions) };
    return { error: null, broken: null, operation: kept, values: resultValues(schema, document) };
  } catch (error) {
    if (error instanceof ParleyError) return { error, broken: reasonOf(error), operation: null, values: [] };
    throw error;
  }
}

/** The message of an error, or the issues that it refers to. */
const reasonOf = ({ message, issues = [] }: ParleyError): string =>
  issues.length > 0 ? issues.map((issue) => issue.message).join(' ') : message;

const withoutTokens = <Nodes>(nodes: Nodes): Nodes =>
  JSON.parse(JSON.stringify(nodes, (name, value: unknown) => (name === 'loc' ? undefined : value)));

/** An estimate. */
const bytesOf = ({ broken, operation, values }: Known, text: string): number =>
  1_000 + 2 * text.length + 4 * JSON.stringify([broken, operation?.variableDefinitions, values]).length;
