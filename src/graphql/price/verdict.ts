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
 * Finds the price of an operation before it is executed in this context, and takes it from what may be used. Its root fields are
 * refused when it is too high. Answers what is to be executed: of one that asks for nothing but its price, that alone, for
 * nothing. Throws 429 `rate_limited`.
 */
export async function judge(asked: PricedOperation): Promise<DocumentNode> {
  const { contextValue, document } = asked;
  const verdict = await priceBefore(asked);
  const dry = verdict && dryRunOf(asked);
  const isFree = dry || verdict?.refusal;
  const left = verdict && ((await contextValue.viewer.spend?.(isFree ? 0 : verdict.cost)) ?? null);
  // In the context itself: what is made of it, such as that of a transaction, holds the price too.
  (contextValue as Judged)[verdicts] = verdict && { cost: verdict.cost, refusal: dry ? null : verdict.refusal, left };
  return dry ?? document;
}

/** The limits that a root field holds its operation to. Throws 400 for one that was found to be too large. */
export function limitsIn(context: Context): Partial<typeof limits.query> {
  const verdict = (context as Judged)[verdicts];
  if (verdict?.refusal) throw verdict.refusal;
  return verdict ? {} : limits.query;
}

/** What the operation that is executed in this context costs, and what is left of what may be used. */
export function priceIn(context: Context): { cost: number; left: CostLeft | null } {
  return (context as Judged)[verdicts] ?? { cost: 0, left: null };
}
