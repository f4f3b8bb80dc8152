import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
} from 'graphql';
import type { Context } from '../../context.ts';
import type { ParleyError } from '../../core/errors.ts';
import { limits, rowsPerPoint } from '../../core/limits.ts';
import type { RowsRead } from '../../database/query/estimates.ts';
import { type Extent, extentOf } from './extent.ts';
import type { PartRecorder } from './parts.ts';
import type { Price, Read } from './reads.ts';
import { tooCostly, tooLarge } from './refusals.ts';
import { priceOf } from './walk.ts';

export type PricedOperation = {
  schema: GraphQLSchema;
  document: DocumentNode;
  operationName?: string | null | undefined;
  variableValues?: Readonly<Record<string, unknown>> | null | undefined;
  contextValue: Context;
};
/** The price of an operation, and the error if it is refused. */
export type Verdict = { cost: number; refusal: ParleyError | null };

type RoughVerdict = Verdict & {
  isSettled: boolean;
  reads: Read[];
  /** Tables that the price depends on, whose row counts are unknown. */
  unknown: RowsRead[];
};

/** From this many rows on it is worth estimating how many are within the spans of a filter. */
const worthExplaining = 100 * rowsPerPoint;
/** Number of fields, with fragments written out, up to which they are looked at one by one. */
const traversed = 10 * limits.query.breadth;
/** Number of counting fields up to which row counts are not loaded. */
const maxCounts = 4;

/**
 * Prices an operation by cached row counts, and says whether loading more is worthwhile. Null if it cannot be executed,
 * which the executor reports. `recorder` collects the price of each field.
 */
export function roughPrice(priced: PricedOperation, recorder?: PartRecorder): RoughVerdict | null {
  const { schema, document, operationName, variableValues, contextValue } = priced;
  const operation = getOperationAST(document, operationName);
  const type = operation && schema.getRootType(operation.operation);
  if (!operation || !type) return null;
  const fragments = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  const singleOperation: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] };
  const variables = getVariableValues(schema, operation.variableDefinitions ?? [], { ...variableValues });
  if (!variables.variableValues) return null;
  try {
    const { depth, breadth } = limits.query;
    const tooLong = (given: Extent) =>
      given.depth > depth
        ? tooLarge('depth', given.depth)
        : given.breadth > breadth
          ? tooLarge('breadth', given.breadth)
          : null;
    // Too broad operations are not traversed, since fragments can expand without limit.
    const written = extentOf(operation.selectionSet, fragments);
    if (written.breadth > traversed) {
      return { cost: written.breadth, refusal: tooLong(written), isSettled: true, reads: [], unknown: [] };
    }
    const complexity = complexityFromQuery(singleOperation, {
      schema,
      variables: { ...variableValues },
      ctx: contextValue,
    });
    const refusal = tooLong(complexity);
    if (refusal) return { cost: complexity.complexity, refusal, isSettled: true, reads: [], unknown: [] };
    const { workspaceId } = contextValue.viewer;
    const unknown: RowsRead[] = [];
    const rowsOf = (read: RowsRead) => {
      const rows = contextValue.estimates.cached(workspaceId, read);
      if (rows === null && read.ranges.length === 0) unknown.push(read);
      return rows;
    };
    const source = {
      schema,
      fragments: Object.fromEntries(fragments.map((one: FragmentDefinitionNode) => [one.name.value, one])),
      variableValues: variables.variableValues,
      context: contextValue,
      rowsOf,
      recorder,
    };
    const price = priceOf(source, operation.selectionSet, type);
    const isSettled = price.cost <= limits.query.complexity / 2 && !isWorthLoading(price);
    return { ...price, refusal: tooCostly(price), isSettled, unknown };
  } catch {
    return null;
  }
}

const isWorthLoading = ({ reads }: Price): boolean =>
  reads.length > maxCounts || reads.some(({ by }) => by !== 'count');

/**
 * Prices an operation before it is executed by actual row counts, which are loaded if they may be large and are not
 * cached.
 */
export async function priceBefore(priced: PricedOperation): Promise<Verdict | null> {
  const first = roughPrice(priced);
  if (!first || first.isSettled) return first;
  const second = await pricedWith(priced, first, first.unknown);
  const long = second?.reads.filter(({ ranges, rows }) => ranges.length > 0 && (rows ?? 0) >= worthExplaining) ?? [];
  const within = long.map(({ rule, ranges }) => ({ model: rule.model, ranges }));
  return second && pricedWith(priced, second, within);
}

/** Loads row counts that are not cached, and prices the operation by them. */
async function pricedWith(
  priced: PricedOperation,
  known: RoughVerdict,
  reads: RowsRead[],
): Promise<RoughVerdict | null> {
  const { estimates, viewer } = priced.contextValue;
  const missing = reads.filter((read) => estimates.cached(viewer.workspaceId, read) === null);
  if (missing.length === 0) return known;
  await estimates.load(viewer.workspaceId, missing);
  return roughPrice(priced);
}
