import DataLoader from 'dataloader';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, invalid, notFound } from '../../core/errors.ts';
import { memoize } from '../../core/lazy.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import { lockNames } from '../../database/advisory.ts';
import { type Transaction, transact } from '../../database/client.ts';
import type { Alert, Dashboard, SavedOperation } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { operationName } from '../operations/operations.ts';
import { parseInput, requiredText, type Unvalidated } from '../shared/input.ts';
import { keyOfRow, rowWithId, rowWrite } from '../shared/mutations.ts';
import { type AlertRule, alertKey, saveAlerts } from './alerts.ts';
import { checkPage, type Page } from './page.ts';
import { readTiles, type Tile, type TilesInput, tilesInput } from './tiles.ts';

/** Whoever may read saved operations may read the boards that draw them. */
export const dashboardList = listRule({
  model: 'Dashboard',
  permission: 'operations.read',
  analytics: { except: ['name', 'title', 'description'] },
  orders: { createdAt: { type: 'date' }, name: { type: 'text' }, title: { type: 'text' }, updatedAt: { type: 'date' } },
  filters: {
    names: { kind: 'in', column: 'name' },
    ids: { kind: 'in', column: 'id' },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
});

/** Dashboards per workspace. */
const maxDashboards = 200;

const dashboardInput = z.object({
  name: operationName,
  title: requiredText(),
  description: z.string().max(2_000).optional(),
  last: z.string().max(20).nullish(),
  timeZone: z.string().max(100).nullish(),
  tiles: tilesInput.optional(),
});
type DashboardInput = Unvalidated<Omit<z.input<typeof dashboardInput>, 'tiles'> & { tiles?: TilesInput }>;

/** Why a tile cannot be drawn with a saved operation, which is null if there is none of its name; null if it can. */
export type WhyBroken = (tile: Tile, operation: SavedOperation | null, page: Page) => Promise<string | null>;

/** Creates a dashboard. Throws 400, 404 for an unknown operation, and 409 if its name is taken or there are 200. */
export async function createDashboard(
  context: Context,
  input: DashboardInput,
  whyBroken: WhyBroken,
): Promise<Dashboard> {
  permit(context, 'operations.write');
  const data = checkPage(parseInput(dashboardInput, input));
  const tiles = await checkTiles(context, readTiles(data.tiles ?? []), pageOf(data), whyBroken);
  const { workspaceId } = context.viewer;
  const actor = actorOf(context.viewer);
  const row = { ...data, tiles, id: newId('dashboard'), workspaceId, createdBy: actor, updatedBy: actor };
  return transact(context.database, async (tx) => {
    await lockNames(tx, [`dashboards ${workspaceId}`]);
    if ((await tx.dashboard.count({ where: { workspaceId } })) >= maxDashboards)
      throw conflict(`The workspace already has ${maxDashboards} dashboards, the maximum: delete one first.`);
    const made = await tx.dashboard.create({ data: row as never });
    await saveAlerts(tx, context, { id: made.id, tiles, page: pageOf(data) });
    return made;
  });
}

/** Former names that a dashboard keeps. */
const maxFormerNames = 20;

/** Updates what is given of a dashboard; given tiles replace all. Throws 400, 404, and 409 if its new name is taken. */
export async function updateDashboard(
  context: Context,
  { id, ...input }: Unvalidated<Partial<DashboardInput>> & { id: string },
  whyBroken: WhyBroken,
): Promise<Dashboard> {
  permit(context, 'operations.write');
  const data = checkPage(parseInput(dashboardInput.partial(), input));
  const where = keyOfRow(context, id);
  const old = await context.database.dashboard.findUnique({ where });
  if (!old) throw notFound('Dashboard');
  const page = pageOf({ ...old, ...data });
  const tiles = data.tiles && (await checkTiles(context, readTiles(data.tiles), page, whyBroken));
  const row = { ...data, ...(tiles && { tiles }), updatedBy: actorOf(context.viewer) };
  return transact(context.database, async (tx) => {
    const renamed = data.name !== undefined && { formerNames: await namesBefore(tx, context, id, data.name) };
    const updated = await tx.dashboard.update({ where, data: { ...row, ...renamed } as never });
    const resumed = data.tiles?.map(({ alert }) => alert?.resume === true) ?? [];
    if (tiles) await saveAlerts(tx, context, { id, tiles, page, resumed });
    return updated;
  });
}

/** The former names of a dashboard once it has a new one. Locks its row: two renames at once keep each other's name. */
async function namesBefore(tx: Transaction, { viewer }: Context, id: string, name: string): Promise<string[]> {
  const [row] = await tx.$queryRaw<Pick<Dashboard, 'name' | 'formerNames'>[]>`
    SELECT "name", "formerNames" FROM "Dashboard"
    WHERE "workspaceId" = ${viewer.workspaceId} AND "id" = ${id} FOR UPDATE`;
  const names = row ? [row.name, ...row.formerNames] : [];
  return names.filter((one) => one !== name).slice(0, maxFormerNames);
}

/** Deletes a dashboard. The operations that it draws stay. Throws 404. */
export const deleteDashboard = rowWrite({
  model: 'Dashboard',
  permission: 'operations.write',
  prepare: (context, { id }: { id: string }) => removal('Dashboard', rowWithId(context, id)),
});

/** Per request: one statement for the saved operations of all tiles. */
const operationsOf = memoize(
  ({ database, viewer: { workspaceId } }: Context) =>
    new DataLoader<string, SavedOperation | null>(async (names) => {
      const where = { workspaceId, name: { in: [...names] } };
      const found = await database.savedOperation.findMany({ where });
      const byName = new Map(found.map((row) => [row.name, row]));
      return names.map((name) => byName.get(name) ?? null);
    }),
);

/** Returns the saved operation of a tile; null if it has none, or if that was deleted. */
export const operationOfTile = async (context: Context, { operation }: Tile): Promise<SavedOperation | null> =>
  operation ? operationsOf(context).load(operation) : null;

/** Per request: one statement for the alerts of all tiles of a board. */
const alertsOf = memoize(
  ({ database, viewer: { workspaceId } }: Context) =>
    new DataLoader<string, Alert[]>(async (ids) => {
      const found = await database.alert.findMany({ where: { workspaceId, dashboardId: { in: [...ids] } } });
      const byBoard = Map.groupBy(found, ({ dashboardId }) => dashboardId);
      return ids.map((id) => byBoard.get(id) ?? []);
    }),
);

/** Returns the condition of a tile with its state; null if it has none. */
export async function alertOfTile(
  context: Context,
  { alert, ...tile }: Tile & { dashboardId: string },
): Promise<(AlertRule & Alert) | null> {
  const key = alertKey({ ...tile, alert });
  const row = key && (await alertsOf(context).load(tile.dashboardId)).find((one) => one.key === key);
  return alert && row ? { ...row, ...alert } : null;
}

const pageOf = ({ last = null, timeZone = null }: { last?: string | null; timeZone?: string | null }): Page => ({
  last,
  timeZone,
});

/** Returns the tiles with the names of their operations. Throws 400 for those that cannot be drawn, and 404. */
async function checkTiles(context: Context, tiles: Tile[], page: Page, whyBroken: WhyBroken): Promise<Tile[]> {
  const { database, viewer } = context;
  const given = tiles.flatMap(({ operation }) => operation ?? []);
  if (given.length === 0) return tiles;
  const where = { workspaceId: viewer.workspaceId, OR: [{ name: { in: given } }, { id: { in: given } }] };
  const found = await database.savedOperation.findMany({ where });
  const issues: string[] = [];
  const named: Tile[] = [];
  for (const [at, tile] of tiles.entries()) {
    const operation = tile.operation && found.find(({ id, name }) => id === tile.operation || name === tile.operation);
    if (operation === undefined) throw notFound('SavedOperation');
    const why = operation && (await whyBroken(tile, operation, page));
    if (why) issues.push(`tiles.${at}: ${why}`);
    named.push(operation ? { ...tile, operation: operation.name } : tile);
  }
  if (issues.length > 0) throw invalid(issues);
  return named;
}

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
