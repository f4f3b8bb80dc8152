import type { DocumentNode } from 'graphql';
import type { Context } from '../../context.ts';
import { limits } from '../../core/limits.ts';
import type { CostLeft } from '../../core/viewer.ts';
import { type PricedOperation, priceBefore, type Verdict } from './admit.ts';
import { dryRunOf } from './dry-run.ts';

const verdicts = Symbol('the price of the operation');
type Found = Verdict & { left: CostLeft | null };
type Judged = Context & { [verdicts]?: Found | null };

/**
 * Prices an operation before it is executed in this context, and charges the viewer's budgets. If the price is too
 * high, the root fields throw. Returns the document to execute: for a dry run, only `rateLimit`, free of charge. Throws
 * 429 `rate_limited`.
 */
export async function judge(asked: PricedOperation): Promise<DocumentNode> {
  const { contextValue, document } = asked;
  const verdict = await priceBefore(asked);
  const dry = verdict && dryRunOf(asked);
  const isFree = dry || verdict?.refusal;
  const left = verdict && ((await contextValue.viewer.spend?.(isFree ? 0 : verdict.cost)) ?? null);
  // Stored in the context itself, so that derived contexts, such as a transaction's, inherit it.
  (contextValue as Judged)[verdicts] = verdict && { cost: verdict.cost, refusal: dry ? null : verdict.refusal, left };
  return dry ?? document;
}

/** The limits that root fields apply. Throws 400 if the operation was found to be too large. */
export function limitsIn(context: Context): Partial<typeof limits.query> {
  const verdict = (context as Judged)[verdicts];
  if (verdict?.refusal) throw verdict.refusal;
  return verdict ? {} : limits.query;
}

/** The price of the operation executed in this context, and what is left of the budgets. */
export function priceIn(context: Context): { cost: number; left: CostLeft | null } {
  return (context as Judged)[verdicts] ?? { cost: 0, left: null };
}
