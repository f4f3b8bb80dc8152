import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import type { Dashboard } from '../../database/generated/prisma/client.ts';
import type { Tile } from './tiles.ts';

/**
 * Finds a dashboard by its name or ID, or by a name that it alone had formerly and none has now. A key that is limited
 * to one needs no scope for that, and finds no other. Throws 403 and 404.
 */
export async function requireDashboard(
  context: Pick<Context, 'database' | 'viewer'>,
  given: string,
): Promise<Dashboard & { tiles: Tile[] }> {
  const { database, viewer } = context;
  const only = viewer.key?.dashboardId ?? null;
  if (only === null) permit(context, 'operations.read');
  // No other text is a name or an ID, and some cannot even be looked for.
  if (!/^[a-z][a-z0-9_-]{0,99}$/.test(given)) throw notFound('Dashboard');
  const { workspaceId } = viewer;
  const find = (...by: object[]) =>
    database.dashboard.findMany({ where: { workspaceId, ...(only !== null && { id: only }), OR: by }, take: 2 });
  const formerly = { formerNames: { has: given } };
  const now = await find({ name: given }, { id: given }, ...(only === null ? [] : [formerly]));
  const [found, another] = now.length > 0 ? now : await find(formerly);
  if (!found || another) throw notFound('Dashboard');
  return found as unknown as Dashboard & { tiles: Tile[] };
}
