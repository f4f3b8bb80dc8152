import type { Context } from '../../context.ts';
import { limits } from '../../core/limits.ts';
import { type PricedOperation, priceBefore, type Verdict } from './admit.ts';

const verdicts = Symbol('the price of the operation');
type Judged = Context & { [verdicts]?: Verdict | null };

/** Finds the price of an operation before it is executed in this context; its root fields are refused when it is too high. */
export async function judge(asked: PricedOperation): Promise<Verdict | null> {
  const verdict = await priceBefore(asked);
  // In the context itself: what is made of it, such as that of a transaction, holds the price too.
  (asked.contextValue as Judged)[verdicts] = verdict;
  return verdict;
}

/** The limits that a root field holds its operation to. Throws 400 for one that was found to be too large. */
export function limitsIn(context: Context): Partial<typeof limits.query> {
  const verdict = (context as Judged)[verdicts];
  if (verdict?.refusal) throw verdict.refusal;
  return verdict ? {} : limits.query;
}
