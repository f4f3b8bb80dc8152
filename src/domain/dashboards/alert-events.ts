import type { RowEvents } from '../shared/row-events.ts';
import { alertKey } from './alerts.ts';
import type { Tile } from './tiles.ts';

/**
 * Webhook events of the alerts of boards. They do not contain the numbers: whoever gets the event may not be allowed
 * to read them.
 */
export const alertEvents: RowEvents = {
  model: 'Alert',
  subject: 'alert',
  permission: 'operations.read',
  data: { alertId: 'id', dashboardId: 'dashboardId' },
  events: {
    started: { on: 'update', changes: ['state'], when: `NEW."state" = 'started'` },
    ended: { on: 'update', changes: ['state'], when: `OLD."state" = 'started'` },
    paused: { on: 'update', changes: ['pausedReason'], when: 'OLD."pausedReason" IS NULL' },
  },
  read: async ({ database }, where) => {
    const found = await database.alert.findFirst({
      where,
      select: { id: true, state: true, since: true, pausedReason: true, key: true, dashboard: true },
    });
    if (!found) return null;
    const { dashboard, key, ...alert } = found;
    const tile = (dashboard.tiles as unknown as Tile[]).find((one) => alertKey(one) === key);
    const { column, rows, above, below, noData, forMinutes } = tile?.alert ?? {};
    return {
      ...alert,
      title: tile?.title ?? '',
      operation: tile?.operation ?? null,
      condition: { column, rows, above, below, noData, forMinutes },
      dashboard: { id: dashboard.id, name: dashboard.name, title: dashboard.title },
    };
  },
};
