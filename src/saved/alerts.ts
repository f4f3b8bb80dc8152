import type { GraphQLSchema } from 'graphql';
import type { Services } from '../context.ts';
import { type ErrorCode, ParleyError } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import { inBackground } from '../database/deadline.ts';
import { type DueAlert, dueAlerts, subjectOf, takeAlert, writeAlert } from '../domain/dashboards/alert-rows.ts';
import { holds, nextState } from '../domain/dashboards/alerts.ts';
import type { Tile } from '../domain/dashboards/tiles.ts';
import type { Execute } from '../graphql/execute.ts';
import { readKnown, valuesOfSaved } from '../graphql/saved/check.ts';
import { type Page, tileVariables, whyTileBroken } from '../graphql/saved/tiles.ts';
import { bestTable, measuresOf } from '../http/pages/panels/spec.ts';
import { tablesOf } from '../http/pages/panels/table.ts';
import { asJson } from './formats.ts';

type Dependencies = {
  schema: GraphQLSchema;
  services: Services;
  execute: Execute;
  admitAgain: (viewer: Viewer) => Promise<Viewer>;
};
type Looked = { numbers: (number | null)[] } | { pausedReason: string } | { later: string };

/** What does not pass by itself: the alert rests until somebody saves its board. */
const lasting = new Set<ErrorCode>(['forbidden', 'not_found', 'invalid_request', 'unauthorized', 'method_not_allowed']);

/**
 * Creates the look at the conditions of all tiles that are due: each by one process, with the rights of whoever set it.
 * The database tells webhooks of a changed state, in the transaction that changes it.
 */
export function createAlertCheck({ schema, services, execute, admitAgain }: Dependencies): () => Promise<void> {
  return () =>
    inBackground(async () => {
      for (const alert of await dueAlerts(services)) {
        await check(alert).catch((error: unknown) => {
          const { id: alertId, workspaceId } = alert;
          services.log.warn({ cause: 'alerts', err: error, alertId, workspaceId }, 'an alert could not be looked at');
        });
      }
    });

  async function check(alert: DueAlert): Promise<void> {
    const at = services.now();
    if (!(await takeAlert(services, alert, at))) return;
    const subject = await subjectOf(services, alert);
    const rule = subject?.tile?.alert;
    if (!subject?.tile || !rule) return;
    const looked = await look(subject.board, subject.tile, subject.viewer);
    if ('later' in looked) {
      const { id: alertId, workspaceId } = alert;
      services.log.warn({ cause: 'alerts', reason: looked.later, alertId, workspaceId }, 'an alert waits');
      return;
    }
    await writeAlert(
      services,
      alert,
      at,
      'numbers' in looked ? nextState(alert, holds(rule, looked.numbers), rule, at) : looked,
    );
  }

  async function look(board: Page & { workspaceId: string }, tile: Tile, viewer: Viewer | null): Promise<Looked> {
    if (!viewer) return { pausedReason: 'Whoever set it has left the workspace, or the key has ended.' };
    const where = { workspaceId: board.workspaceId, name: tile.operation ?? '' };
    const saved = await services.database.savedOperation.findFirst({ where });
    const why = whyTileBroken(schema, tile, saved, board);
    const operation = saved && readKnown(schema, saved.document).operation;
    if (why !== null || !operation) return { pausedReason: `The tile cannot be drawn: ${why}.` };
    const page = { last: board.last, timeZone: board.timeZone };
    const asked = { documentId: saved.name, variables: tileVariables(operation, tile, page), onlyQuery: true };
    const { data, errors } = await resultOf(asked, viewer);
    const [error] = errors ?? [];
    if (error) {
      const { code = 'internal_error' } = error.extensions ?? {};
      return lasting.has(code) ? { pausedReason: error.message } : { later: error.message };
    }
    return { numbers: numbersOf(data, tile, valuesOfSaved(schema, saved.document)) };
  }

  async function resultOf(asked: Parameters<Execute>[0], viewer: Viewer): Promise<Result> {
    try {
      const response = await asJson(await execute(asked, await admitAgain(viewer), {}));
      return (await response.json()) as Result;
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      return { errors: [{ message: error.message, extensions: { code: error.code } }] };
    }
  }
}

type Result = { data?: unknown; errors?: { message: string; extensions?: { code?: ErrorCode } }[] };

/** The numbers that a condition is about, as the chart of the tile reads them: one for each row. */
function numbersOf(data: unknown, { chart, alert }: Tile, values: Parameters<typeof tablesOf>[1]): (number | null)[] {
  const tables = tablesOf(data, values);
  const table = tables.find(({ path }) => path === chart?.data) ?? bestTable(tables);
  if (!table) return [];
  const has = (name: string | null | undefined) => table.columns.find((column) => column.name === name);
  const column = alert?.column ? has(alert.column) : (has(chart?.y) ?? measuresOf(table)[0]);
  const at = column ? table.columns.indexOf(column) : -1;
  return table.rows.map((row) => (typeof row[at] === 'number' ? row[at] : null));
}
