import type { Budgets, Viewer } from '../../core/viewer.ts';

const columns = {
  requestsPerMinute: true,
  costPerMinute: true,
  tokenRequestsPerMinute: true,
  tokenCostPerMinute: true,
} as const;

/** Reads the budgets of a bearer's workspace together with the bearer, to save a statement. */
export const withSettings = { select: { settings: { select: columns } } } as const;

/** Adds the budgets that the workspace's owner has set, if any, to a viewer. */
export function withBudgets(viewer: Viewer, { settings }: { settings: Budgets | null }): Viewer {
  const isSet = settings && Object.values(settings).some((limit) => limit !== null);
  return isSet ? { ...viewer, budgets: settings } : viewer;
}
