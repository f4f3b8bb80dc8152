import { ParleyError } from '../../core/errors.ts';
import type { Budgets, Viewer } from '../../core/viewer.ts';
import type { Limit, WindowState, Windows } from './windows.ts';

/** A limit per minute and whom it applies to. `name` is used in headers. */
type Budget = Limit & { name: string; unit: 'requests' | 'cost'; whose: string };
export type BudgetState = Budget & WindowState;

/** Returns the budgets that a viewer's request is charged to; null if there are none. */
export function budgetsOf(viewer: Viewer, defaults: Budgets): Budget[] | null {
  const { key, workspaceId, budgets } = viewer;
  const limit = (name: keyof Budgets) => smaller(defaults[name], budgets?.[name]);
  const keyBudgets = key
    ? { id: `key ${key.id}`, whose: 'This key', requests: key.ratePerMinute, cost: key.costPerMinute }
    : {
        id: `token ${workspaceId} ${viewer.membershipId ?? viewer.appId ?? viewer.userId}`,
        whose: 'This bearer',
        requests: limit('tokenRequestsPerMinute'),
        cost: limit('tokenCostPerMinute'),
      };
  const of = { id: `workspace ${workspaceId}`, whose: 'This workspace' };
  const all = { requests: limit('requestsPerMinute'), cost: limit('costPerMinute') };
  const found = [
    budget('requests', 'requests', keyBudgets.id, keyBudgets.whose, keyBudgets.requests),
    budget('workspace-requests', 'requests', of.id, of.whose, all.requests),
    budget('cost', 'cost', `${keyBudgets.id} cost`, keyBudgets.whose, keyBudgets.cost),
    budget('workspace-cost', 'cost', `${of.id} cost`, of.whose, all.cost),
  ].filter((one) => one !== null);
  return found.length > 0 ? found : null;
}

const budget = (name: string, unit: Budget['unit'], key: string, whose: string, limit: number | null): Budget | null =>
  limit === null ? null : { name, unit, key, whose, limit };

/** An owner cannot exceed the operator's limit. */
const smaller = (one: number | null, other: number | null | undefined): number | null =>
  one === null ? (other ?? null) : Math.min(one, other ?? one);

/** Charges an amount to all budgets, or to none if one refuses. */
export async function consumeBudgets(windows: Windows, budgets: Budget[], amount: number): Promise<BudgetState[]> {
  const consumed: BudgetState[] = [];
  for (const budget of budgets) {
    const state = await windows.consume(budget, amount);
    if (state.refused) {
      for (const before of consumed) {
        windows.refund(before, amount);
        before.remaining += amount;
      }
      return [...consumed, { ...budget, ...state }];
    }
    consumed.push({ ...budget, ...state });
  }
  return consumed;
}

/** Returns the seconds until the window resets, at least one. */
export const secondsLeft = ({ resetsAt }: Pick<WindowState, 'resetsAt'>, now: number): number =>
  Math.max(1, Math.ceil((resetsAt - now) / 1000));

/**
 * 429 `rate_limited`, with `Retry-After` unless the operation alone exceeds the limit, which waiting does not change.
 */
export function rateLimited(state: BudgetState, amount: number, now: number): ParleyError {
  const seconds = secondsLeft(state, now);
  const headers: Record<string, string> = amount > state.limit ? {} : { 'retry-after': String(seconds) };
  return new ParleyError('rate_limited', textOf(state, amount, seconds), { headers });
}

function textOf({ unit, whose, limit, remaining }: BudgetState, amount: number, seconds: number): string {
  if (unit === 'requests') {
    return `${whose} may make ${limit} requests per minute and has made them: nothing was done. Try again in ${seconds} s.`;
  }
  const may = `${whose} may spend a cost of ${limit} per minute on operations`;
  if (amount > limit)
    return `${may}, and this one alone costs ${amount}: nothing was done. Ask for less in one operation.`;
  return `${may}; ${remaining} of that are left, and this one costs ${amount}: nothing was done. Try again in ${seconds} s.`;
}
