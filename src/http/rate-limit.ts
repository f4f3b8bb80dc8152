import type { MiddlewareHandler } from 'hono';
import { type BudgetState, budgetsOf, consumeBudgets, rateLimited, secondsLeft } from '../auth/budgets/budgets.ts';
import { createWindows } from '../auth/budgets/windows.ts';
import type { Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import { requestIn } from './received.ts';

/** What a request has used up: the request itself, the cost of its operation, and the resulting standings. */
type Consumption = { admitted: Promise<BudgetState[]>; spent?: Promise<BudgetState[]>; states: BudgetState[] };
export type RateLimit = ReturnType<typeof createRateLimit>;

/** Counts each request once, however many layers ask, and reports the caller's standing. */
export function createRateLimit({ database, config }: Pick<Services, 'database' | 'config'>) {
  const windows = createWindows({ database });
  const requests = new WeakMap<object, Consumption>();

  async function recordStates(
    consumption: Consumption,
    pending: Promise<BudgetState[]>,
    amount: number,
  ): Promise<void> {
    const states = await pending;
    const names = new Set(states.map(({ name }) => name));
    consumption.states = [...consumption.states.filter(({ name }) => !names.has(name)), ...states];
    const refused = states.find((budget) => budget.refused);
    if (refused) throw rateLimited(refused, amount, Date.now());
  }

  return {
    /**
     * Counts a request, and returns the viewer with `spend`, which charges the cost of its operation. Throws 429
     * `rate_limited`.
     */
    async admit(viewer: Viewer, request: object): Promise<Viewer> {
      const budgets = budgetsOf(viewer, config.budgets);
      if (!budgets) return viewer;
      const of = (unit: string) => budgets.filter((budget) => budget.unit === unit);
      const consumption = requests.get(request) ?? { admitted: consumeBudgets(windows, of('requests'), 1), states: [] };
      requests.set(request, consumption);
      await recordStates(consumption, consumption.admitted, 1);
      const spend = async (cost: number) => {
        consumption.spent ??= consumeBudgets(windows, of('cost'), cost);
        await recordStates(consumption, consumption.spent, cost);
        return (await consumption.spent).toSorted((a, b) => a.remaining - b.remaining)[0] ?? null;
      };
      return { ...viewer, spend };
    },
    /** The RateLimit headers (draft-ietf-httpapi-ratelimit-headers); none if the bearer has no limit. */
    headersOf(request: object): Record<string, string> {
      const states = requests.get(request)?.states ?? [];
      if (states.length === 0) return {};
      const now = Date.now();
      const remaining = (budget: BudgetState) => `"${budget.name}";r=${budget.remaining};t=${secondsLeft(budget, now)}`;
      return {
        'RateLimit-Policy': states.map(({ name, limit }) => `"${name}";q=${limit};w=60`).join(', '),
        RateLimit: states.map(remaining).join(', '),
      };
    },
  };
}

/** Sets the RateLimit headers on every response. */
export function rateLimitHeaders(rate: RateLimit): MiddlewareHandler {
  return async (c, next) => {
    // Before `next`: a body limit replaces the raw request.
    const request = requestIn(c);
    await next();
    for (const [name, value] of Object.entries(rate.headersOf(request))) c.res.headers.set(name, value);
  };
}
