import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type VariableValues,
} from 'graphql';
import type { Context } from '../../context.ts';
import type { ParleyError } from '../../core/errors.ts';
import { memoize } from '../../core/lazy.ts';
import { limits, rowsPerPoint } from '../../core/limits.ts';
import type { RowsRead } from '../../database/query/estimates.ts';
import { type Extent, extentOf, isTooLargeToWalk } from '../documents/extent.ts';
import type { PartRecorder } from './parts.ts';
import type { Price, Read } from './reads.ts';
import { refusalOf, tooCostly } from './refusals.ts';
import { priceOf } from './walk.ts';

export type PricedOperation = {
  schema: GraphQLSchema;
  document: DocumentNode;
  operationName?: string | null | undefined;
  variableValues?: Readonly<Record<string, unknown>> | null | undefined;
  /** The variables as execution gets them, if they are coerced already. */
  coerced?: VariableValues | undefined;
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
/** Number of counting fields up to which row counts are not loaded. */
const maxCounts = 4;

/** An operation of a document as it is written: independent of variables and of who asks. */
type Written = {
  operation: OperationDefinitionNode;
  fragments: FragmentDefinitionNode[];
  fragmentsByName: Record<string, FragmentDefinitionNode>;
  extent: Extent;
};
const knownWritten = memoize((_: DocumentNode) => new Map<string, Written>());

/** Returns an operation of a document, read once; null if the document has none of this name. */
function writtenIn(document: DocumentNode, operationName: string | null | undefined): Written | null {
  const known = knownWritten(document);
  const found = known.get(operationName ?? '');
  if (found) return found;
  const operation = getOperationAST(document, operationName);
  // A name that the client made up is not kept.
  if (!operation) return null;
  const fragments = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  const fragmentsByName = Object.fromEntries(fragments.map((one) => [one.name.value, one]));
  const written = { operation, fragments, fragmentsByName, extent: extentOf(operation.selectionSet, fragments) };
  known.set(operationName ?? '', written);
  return written;
}

/**
 * Prices an operation by cached row counts, and says whether loading more is worthwhile. Null if it cannot be executed,
 * which the executor reports. `recorder` collects the price of each field.
 */
export function roughPrice(priced: PricedOperation, recorder?: PartRecorder): RoughVerdict | null {
  const { schema, document, operationName, variableValues, contextValue } = priced;
  const written = writtenIn(document, operationName);
  const type = written && schema.getRootType(written.operation.operation);
  if (!written || !type) return null;
  const { operation, fragmentsByName } = written;
  const coerced =
    priced.coerced ??
    getVariableValues(schema, operation.variableDefinitions ?? [], { ...variableValues }, { maxErrors: 1 })
      .variableValues;
  if (!coerced) return null;
  const excess = excessOf(written, coerced);
  if (excess) return { ...excess, isSettled: true, reads: [], unknown: [] };
  const { workspaceId } = contextValue.viewer;
  const unknown: RowsRead[] = [];
  const rowsOf = (read: RowsRead) => {
    const rows = contextValue.estimates.cached(workspaceId, read);
    if (rows === null && read.ranges.length === 0) unknown.push(read);
    return rows;
  };
  const source = { schema, fragments: fragmentsByName, variables: coerced, context: contextValue, rowsOf, recorder };
  const price = priceOf(source, operation.selectionSet, type);
  const isSettled = price.cost <= limits.query.complexity / 2 && !isWorthLoading(price);
  return { ...price, refusal: tooCostly(price), isSettled, unknown };
}

/** Refuses an operation with too many fields or levels, which is not walked then. Skipped fields do not count. */
function excessOf({ operation, fragments, extent }: Written, variables: VariableValues): Verdict | null {
  const refusal = refusalOf(extent);
  if (!refusal) return null;
  if (isTooLargeToWalk(extent)) return { cost: extent.breadth, refusal };
  const kept = extentOf(operation.selectionSet, fragments, variables);
  const refusalOfKept = refusalOf(kept);
  return refusalOfKept && { cost: kept.breadth, refusal: refusalOfKept };
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
