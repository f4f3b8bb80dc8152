import {
  type DocumentNode,
  type FieldNode,
  getOperationAST,
  getVariableValues,
  Kind,
  OperationTypeNode,
} from 'graphql';
import type { Context } from '../../context.ts';
import type { RemainingCost } from '../../core/viewer.ts';
import { fieldsWithin, fragmentsOf, isSkipped } from '../documents/fields-within.ts';
import { type PricedOperation, priceBefore, type Verdict } from './admit.ts';

const verdicts = Symbol('the price of the operation');
/** The cost of an operation that was charged, and what is left of the budgets. */
export type ChargedCost = { cost: number; left: RemainingCost | null };
type PricedVerdict = Verdict & ChargedCost;
type ContextWithVerdict = Context & { [verdicts]?: PricedVerdict | null };

/**
 * Prices an operation before it is executed in this context, and charges the viewer's budgets. If the price is too
 * high, the root fields throw. Returns the document to execute: for a dry run, only `rateLimit`, free of charge. Throws
 * 429 `rate_limited`, and the refusal of an operation that asks about the schema, whose root fields are not ours.
 */
export async function admitOperation(priced: PricedOperation): Promise<DocumentNode> {
  const { contextValue, document } = priced;
  const verdict = await priceBefore(priced);
  const dryDocument = verdict && dryRunOf(priced);
  if (verdict?.refusal && !dryDocument && asksAboutSchema(priced)) throw verdict.refusal;
  const isFree = dryDocument || verdict?.refusal;
  const left = verdict && ((await contextValue.viewer.spend?.(isFree ? 0 : verdict.cost)) ?? null);
  // Stored in the context itself, so that derived contexts, such as a transaction's, inherit it.
  (contextValue as ContextWithVerdict)[verdicts] = verdict && {
    cost: verdict.cost,
    refusal: dryDocument ? null : verdict.refusal,
    left,
  };
  return dryDocument ?? document;
}

const asksAboutSchema = ({ document, operationName }: PricedOperation): boolean =>
  fieldsWithin(getOperationAST(document, operationName)?.selectionSet, fragmentsOf(document)).some(
    ({ name: { value } }) => value === '__schema' || value === '__type',
  );

/** A context for fields of an operation that was priced, admitted and charged before. */
export const withAdmission = (context: Context, paid: ChargedCost): Context =>
  ({ ...context, [verdicts]: { ...paid, refusal: null } }) as ContextWithVerdict;

/** Throws 400 in a context whose operation was found to be too large; every root field asks this first. */
export function requireAffordable(context: Context): void {
  const verdict = (context as ContextWithVerdict)[verdicts];
  if (!verdict) throw new Error('The operation was not priced before it was executed.');
  if (verdict.refusal) throw verdict.refusal;
}

/** The price of the operation executed in this context, and what is left of the budgets. */
export function priceIn(context: Context): ChargedCost {
  return (context as ContextWithVerdict)[verdicts] ?? { cost: 0, left: null };
}

/** Reduces an operation with `rateLimit(dryRun: true)` to that field; null for all others. */
function dryRunOf({ schema, document, operationName, variableValues }: PricedOperation): DocumentNode | null {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return null;
  const fragments = fragmentsOf(document);
  const isRateLimit = ({ name }: FieldNode) => name.value === 'rateLimit';
  if (!fieldsWithin(operation.selectionSet, fragments).some(isRateLimit)) return null;
  const given = { ...variableValues };
  const definitions = operation.variableDefinitions ?? [];
  const { variableValues: variables } = getVariableValues(schema, definitions, given, { maxErrors: 1 });
  if (!variables) return null;
  const kept = fieldsWithin(operation.selectionSet, fragments, (node) => isSkipped(node, variables));
  const rateLimitFields = kept.filter(isRateLimit);
  const isDry = ({ arguments: given }: FieldNode) => {
    const value = given?.find(({ name }) => name.value === 'dryRun')?.value;
    if (value?.kind === Kind.VARIABLE) return variables.coerced[value.name.value] === true;
    return value?.kind === Kind.BOOLEAN && value.value;
  };
  if (!rateLimitFields.some(isDry)) return null;
  const dryOperation = { ...operation, selectionSet: { ...operation.selectionSet, selections: rateLimitFields } };
  return { ...document, definitions: document.definitions.map((one) => (one === operation ? dryOperation : one)) };
}
