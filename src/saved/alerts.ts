import { type ErrorCode, failedUnexpectedly, ParleyError } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import { inBackground, setWorkspace, withDeadline } from '../database/deadline.ts';
import {
  claimAlert,
  type DueAlert,
  dueAlerts,
  dueWorkspaces,
  type Found,
  findAlertTarget,
  writeAlert,
} from '../domain/dashboards/alert-rows.ts';
import { isConditionMet, nextState, queryHash } from '../domain/dashboards/alerts.ts';
import type { Tile } from '../domain/dashboards/tiles.ts';
import type { Execute } from '../graphql/execute.ts';
import { readKnown } from '../graphql/saved/known.ts';
import { type Page, tileBroken, tileVariables, whyTileBroken } from '../graphql/saved/tiles.ts';
import { bodyOfFailure } from '../graphql/unavailable.ts';
import { chosenTable, measuresOf } from '../http/pages/panels/charts/spec.ts';
import { tablesOf } from '../http/pages/panels/charts/table.ts';
import { type Failure, linesOf } from '../http/pages/panels/failure.ts';
import { asJson, maxTable } from './formats.ts';
import type { SavedRunner } from './operation.ts';

/** How many workspaces a process checks at once, and for how long it begins checks of one in a round. */
const concurrency = 4;
const workspaceMs = 20_000;

/** What does not pass by itself: the alert rests until somebody resumes it. */
const lasting = new Set<ErrorCode>(['forbidden', 'not_found', 'invalid_request', 'unauthorized', 'method_not_allowed']);

/**
 * Creates the check of the conditions of all tiles that are due: each by one process, with the rights of whoever set
 * it. Workspaces are checked side by side, so that a slow one delays no other; after `signal`, no further check begins.
 * The database tells webhooks of a changed state, in the transaction that changes it.
 */
export function createAlertCheck({
  schema,
  services,
  execute,
  admitAgain,
}: SavedRunner): (signal?: AbortSignal) => Promise<void> {
  return (signal) =>
    inBackground(async () => {
      const waiting = await dueWorkspaces(services);
      const worker = async () => {
        for (let next = waiting.shift(); next && !signal?.aborted; next = waiting.shift()) await checkAll(next, signal);
      };
      await Promise.all(Array.from({ length: concurrency }, worker));
    });

  async function checkAll(workspaceId: string, signal: AbortSignal | undefined): Promise<void> {
    const end = performance.now() + workspaceMs;
    const note = (error: unknown, more: object = {}) =>
      services.log.warn({ cause: 'alerts', err: error, workspaceId, ...more }, 'an alert could not be checked');
    for (const alert of await dueAlerts(services, workspaceId).catch((error: unknown) => (note(error), []))) {
      if (signal?.aborted || performance.now() > end) return;
      await check(alert).catch((error: unknown) => note(error, { alertId: alert.id }));
    }
  }

  async function check(alert: DueAlert): Promise<void> {
    const at = services.now();
    if (!(await claimAlert(services, alert, at))) return;
    const subject = await findAlertTarget(services, alert);
    if (!subject?.tile) return;
    const { board, tile, viewer } = subject;
    try {
      const found = await withDeadline(services.config.databaseTimeoutMs, () => {
        setWorkspace(alert.workspaceId);
        return find(alert, board, tile, viewer, at);
      });
      if ('waitingReason' in found) {
        const { id: alertId, workspaceId } = alert;
        services.log.warn({ cause: 'alerts', reason: found.waitingReason, alertId, workspaceId }, 'an alert waits');
      }
      await writeAlert(services, alert, at, found);
    } catch (error) {
      await writeAlert(services, alert, at, { waitingReason: failedUnexpectedly });
      throw error;
    }
  }

  async function find(
    alert: DueAlert,
    board: Page & { workspaceId: string },
    tile: Tile,
    viewer: Viewer | null,
    at: Date,
  ): Promise<Found> {
    if (!viewer) return { pausedReason: 'Whoever set it has left the workspace, or the key has ended.' };
    const where = { workspaceId: board.workspaceId, name: tile.operation ?? '' };
    const savedNow = () => services.database.savedOperation.findFirst({ where });
    const saved = await savedNow();
    const why = await whyTileBroken(schema, tile, saved, board);
    const known = saved && (await readKnown(schema, saved.document));
    if (why !== null || !saved || !known?.operation) return { pausedReason: tileBroken(why) };
    const { operation, values } = known;
    const hash = queryHash(saved, tile, board);
    if (alert.queryHash !== null && alert.queryHash !== hash) return { pausedReason: changed };
    const page = { last: board.last, timeZone: board.timeZone };
    const asked = { documentId: saved.name, variables: tileVariables(operation, tile, page), onlyQuery: true };
    const { data, errors } = await resultOf(asked, viewer);
    // What was asked is the query that is saved by then.
    const still = await savedNow();
    if (!still || queryHash(still, tile, board) !== hash) return { pausedReason: changed };
    const [error] = errors ?? [];
    if (error) {
      const { code = 'internal_error' } = error.extensions ?? {};
      const reason = linesOf(error).join(' ');
      return lasting.has(code) ? { pausedReason: reason } : { waitingReason: reason };
    }
    const numbers = numbersOf(data, tile, values);
    if (!numbers) return { pausedReason: tooLarge };
    const rule = tile.alert;
    if (!rule) throw new Error('The tile of an alert has no condition.');
    return { ...nextState(alert, isConditionMet(rule, numbers), rule, at), queryHash: hash };
  }

  async function resultOf(asked: Parameters<Execute>[0], viewer: Viewer): Promise<Result> {
    try {
      const response = await asJson(await execute(asked, await admitAgain(viewer), {}));
      return (await response.json()) as Result;
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      return bodyOfFailure(error) as Result;
    }
  }
}

const changed =
  'The query of its operation, or the time range or zone of the board, was changed after the alert was set.';

type Result = { data?: unknown; errors?: (Failure & { extensions?: { code?: ErrorCode } })[] };

const tooLarge = 'Its result has more rows than are checked: ask for groups, or for fewer rows.';

/**
 * The numbers that a condition is about, as the chart of the tile reads them: one for each row. Null if the result is
 * too large to read: the first rows alone do not say which condition holds.
 */
function numbersOf(
  data: unknown,
  { chart, alert }: Tile,
  values: Parameters<typeof tablesOf>[1],
): (number | null)[] | null {
  const tables = tablesOf(data, values, maxTable);
  const table = chosenTable(tables, chart);
  if (!table) return [];
  if (table.isCut) return null;
  const has = (name: string | null | undefined) => table.columns.find((column) => column.name === name);
  const column = alert?.column ? has(alert.column) : (has(chart?.y) ?? measuresOf(table)[0]);
  const at = column ? table.columns.indexOf(column) : -1;
  return table.rows.map((row) => (typeof row[at] === 'number' ? row[at] : null));
}
