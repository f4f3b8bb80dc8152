import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import type { Dashboard } from '../../database/generated/prisma/client.ts';
import type { Tile } from './tiles.ts';

/**
 * Finds a dashboard by its name or ID. A key that is limited to one needs no scope for that, and finds no other. Throws
 * 403 and 404.
 */
export async function requireDashboard(
  context: Pick<Context, 'database' | 'viewer'>,
  given: string,
): Promise<Dashboard & { tiles: Tile[] }> {
  const { database, viewer } = context;
  const only = viewer.key?.dashboardId ?? null;
  if (only === null) permit(context, 'operations.read');
  // No other text is a name or an ID, and some cannot even be looked for.
  const found =
    /^[a-z][a-z0-9_-]{0,99}$/.test(given) &&
    (await database.dashboard.findFirst({
      where: { workspaceId: viewer.workspaceId, OR: [{ name: given }, { id: given }] },
    }));
  if (!found || (only !== null && found.id !== only)) throw notFound('Dashboard');
  return found as unknown as Dashboard & { tiles: Tile[] };
}
