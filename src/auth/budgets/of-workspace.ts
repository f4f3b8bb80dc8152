import type { Budgets, Viewer } from '../../core/viewer.ts';

const columns = {
  requestsPerMinute: true,
  costPerMinute: true,
  tokenRequestsPerMinute: true,
  tokenCostPerMinute: true,
} as const;

/** What is read of a bearer's workspace with the bearer, so that its budgets take no statement of their own. */
export const withSettings = { select: { settings: { select: columns } } } as const;

/** A viewer with the budgets that the owner of the workspace has set, if any. */
export function withBudgets(viewer: Viewer, { settings }: { settings: Budgets | null }): Viewer {
  const isSet = settings && Object.values(settings).some((limit) => limit !== null);
  return isSet ? { ...viewer, budgets: settings } : viewer;
}
