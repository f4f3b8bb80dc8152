import { currentViewer } from '../../auth/current-viewer.ts';
import type { Services } from '../../context.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Alert, Dashboard } from '../../database/generated/prisma/client.ts';
import { type AlertState, alertKey } from './alerts.ts';
import type { Tile } from './tiles.ts';

type Store = Pick<Services, 'database' | 'now'>;
export type DueAlert = Alert & { state: AlertState };

/** How long after a check the next is due, in milliseconds: a little less than the time between two rounds. */
const restMs = 55_000;
const most = { workspaces: 1_000, alerts: 100 };

const dueSince = ({ now }: Store): Date => new Date(now().getTime() - restMs);

/** The workspaces with alerts that are due, those first whose have waited the longest. */
export async function dueWorkspaces(store: Store): Promise<string[]> {
  const found = await store.database.$queryRaw<{ workspaceId: string }[]>`
    SELECT "workspaceId" FROM "Alert"
    WHERE "pausedReason" IS NULL AND ("checkedAt" IS NULL OR "checkedAt" < ${dueSince(store)})
    GROUP BY "workspaceId" ORDER BY min(coalesce("checkedAt", "createdAt")) LIMIT ${most.workspaces}`;
  return found.map(({ workspaceId }) => workspaceId);
}

/** The alerts of a workspace that are due, at most 100: those first that have waited the longest. */
export function dueAlerts(store: Store, workspaceId: string): Promise<DueAlert[]> {
  return store.database.alert.findMany({
    where: { workspaceId, pausedReason: null, OR: [{ checkedAt: null }, { checkedAt: { lt: dueSince(store) } }] },
    orderBy: { checkedAt: { sort: 'asc', nulls: 'first' } },
    take: most.alerts,
  });
}

/** Takes an alert, so that no other process checks it in this round. False if another has it. */
export async function claimAlert(
  { database }: Store,
  { workspaceId, id, checkedAt }: Alert,
  at: Date,
): Promise<boolean> {
  const taken = await database.alert.updateMany({
    where: { workspaceId, id, checkedAt, pausedReason: null },
    data: { checkedAt: at },
  });
  return taken.count > 0;
}

/** What a check has found: the state that follows, or why there is none. */
export type Found =
  | { state: AlertState; since: Date | null; queryHash: string }
  | { pausedReason: string }
  | { waitingReason: string };

/** Writes what a check has found, unless the alert was taken again or changed meanwhile. */
export async function writeAlert(
  { database }: Store,
  { workspaceId, id, runsAs, queryHash }: Alert,
  at: Date,
  found: Found,
): Promise<void> {
  await database.alert.updateMany({
    where: { workspaceId, id, checkedAt: at, runsAs, queryHash },
    data: { waitingReason: null, ...found },
  });
}

/** The board and the tile of an alert, and who asks; null for what is gone. */
export async function findAlertTarget(
  services: Store,
  { workspaceId, dashboardId, key, runsAs }: Alert,
): Promise<{ board: Dashboard; tile: Tile | null; viewer: Viewer | null } | null> {
  const board = await services.database.dashboard.findUnique({
    where: { workspaceId_id: { workspaceId, id: dashboardId } },
  });
  if (!board) return null;
  const tile = (board.tiles as unknown as Tile[]).find((one) => alertKey(one) === key) ?? null;
  return { board, tile, viewer: await currentViewer(services, workspaceId, runsAs) };
}
