import type { MiddlewareHandler } from 'hono';
import { type BudgetStanding, budgetsOf, rateLimited, secondsLeft, takeOf } from '../auth/budgets/budgets.ts';
import { createWindows } from '../auth/budgets/windows.ts';
import type { Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import { requestIn } from './request-in.ts';

/** What a request has used up: the request itself, the cost of its operation, and the resulting standings. */
type Taken = { admitted: Promise<BudgetStanding[]>; spent?: Promise<BudgetStanding[]>; standings: BudgetStanding[] };
export type RateLimit = ReturnType<typeof createRateLimit>;

/** Counts each request once, however many layers ask, and reports the caller's standing. */
export function createRateLimit({ database, config }: Pick<Services, 'database' | 'config'>) {
  const windows = createWindows({ database });
  const requests = new WeakMap<object, Taken>();

  async function noted(taken: Taken, standing: Promise<BudgetStanding[]>, amount: number): Promise<void> {
    const standings = await standing;
    const names = new Set(standings.map(({ name }) => name));
    taken.standings = [...taken.standings.filter(({ name }) => !names.has(name)), ...standings];
    const refused = standings.find((one) => one.refused);
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
      const of = (unit: string) => budgets.filter((one) => one.unit === unit);
      const taken = requests.get(request) ?? { admitted: takeOf(windows, of('requests'), 1), standings: [] };
      requests.set(request, taken);
      await noted(taken, taken.admitted, 1);
      const spend = async (cost: number) => {
        taken.spent ??= takeOf(windows, of('cost'), cost);
        await noted(taken, taken.spent, cost);
        return (await taken.spent).toSorted((a, b) => a.remaining - b.remaining)[0] ?? null;
      };
      return { ...viewer, spend };
    },
    /** The RateLimit headers (draft-ietf-httpapi-ratelimit-headers); none if the bearer has no limit. */
    headersOf(request: object): Record<string, string> {
      const standings = requests.get(request)?.standings ?? [];
      if (standings.length === 0) return {};
      const now = Date.now();
      const remaining = (one: BudgetStanding) => `"${one.name}";r=${one.remaining};t=${secondsLeft(one, now)}`;
      return {
        'RateLimit-Policy': standings.map(({ name, limit }) => `"${name}";q=${limit};w=60`).join(', '),
        RateLimit: standings.map(remaining).join(', '),
      };
    },
  };
}

/** Sets the RateLimit headers on every response. */
export function tellRateLimit(rate: RateLimit): MiddlewareHandler {
  return async (c, next) => {
    // Before `next`: a body limit replaces the raw request.
    const request = requestIn(c);
    await next();
    for (const [name, value] of Object.entries(rate.headersOf(request))) c.res.headers.set(name, value);
  };
}
