import type { AlertRule } from '../../../../domain/dashboards/alerts.ts';
import { clear, draw } from '../charts/draw.ts';
import { notesOf, numbersOf, type OpenRows, tableOf } from '../charts/drawn.ts';
import { drawingOf } from '../charts/series.ts';
import { type ChartSpec, chosenSpec, shownTable } from '../charts/spec.ts';
import { summaryOf } from '../charts/summary.ts';
import { type ResultValue, type Table, tablesOf } from '../charts/table.ts';
import { h } from '../dom.ts';
import { linesOf } from '../failure.ts';
import type { SavedTile } from '../tile-input.ts';
import { setArea } from './elements.ts';
import { type Group, type GroupRows, rowsBehind } from './group.ts';
import type { Result } from './page.ts';
import type { TileContent } from './tile-form.ts';
import type { Variables } from './variable-fields.ts';

export type Tile = SavedTile & {
  operation: {
    document?: string;
    variables?: Record<string, unknown>;
    description: string;
    values: ResultValue[];
    groupRows?: GroupRows[];
  } | null;
  alert: (AlertRule & AlertState) | null;
};
/** The state of a tile's condition. */
export type AlertState = {
  id: string;
  state: 'quiet' | 'pending' | 'started';
  since: string | null;
  pausedReason: string | null;
  waitingReason: string | null;
};
export type ShownTile = {
  element: HTMLElement;
  /** The id of its condition, which distinguishes its later state from that of another tile. */
  alertId: string | null;
  /** Shows the latest result of the tile as it is saved. */
  show: (result: Result) => void;
  showAlert: (alert: AlertState | null) => void;
  /** Shows another title, text and chart, and the result of other variables. */
  showContent: (content: TileContent) => void;
  /** What its result has to draw; null for a tile without an operation. */
  tables: () => Table[] | null;
  redraw: () => void;
};

type Around = {
  /** Opens the operation with variables in GraphiQL. */
  href: (variables: Variables) => string | null;
  timeZone: string;
  /** Opens the rows of a group in GraphiQL. */
  openRows: (groups: GroupRows, group: Group, variables: Variables) => Promise<void>;
  /** Whether results of the tile as it is saved will be shown. */
  isFollowed: boolean;
  /** Asks for the result of the operation with variables once. */
  run: (variables: Variables) => Promise<Result>;
};

/** Creates the element of a tile. */
export function tileElement(tile: Tile, at: number, { href, timeZone, openRows, isFollowed, run }: Around) {
  const id = `tile-${at}`;
  const body = h('div', { class: 'tile-body' }, tile.operationName && h('p', { class: 'panel-hint' }, 'Loading…'));
  let followed: Result | null = null;
  /** The result of variables that are not saved. */
  let asked: Result | null = null;
  let variables: Variables | null = null;
  let asTable = false;
  const toggle = h(
    'button',
    {
      type: 'button',
      'aria-pressed': 'false',
      hidden: true,
      onclick: () => {
        asTable = !asTable;
        toggle.setAttribute('aria-pressed', String(asTable));
        redraw();
      },
    },
    'Rows',
  );
  const open = tile.operation?.document && h('a', {}, 'GraphiQL');
  const name = h('h2', { id: `${id}-title` });
  const header = h('header', {}, name, toggle, open);
  const text = h('p', { class: 'tile-text' });
  let { chart } = tile;
  const alertState = h('p', { class: 'tile-alert', role: 'status', hidden: true });
  const element = h('section', { class: 'tile', id }, header, alertState, text, tile.operationName && body);
  setArea(element, tile);

  function shownResult(): Result | null {
    return isFollowed && variables === tile.variables ? followed : asked;
  }

  function redraw(): void {
    const result = shownResult();
    if (!result) return;
    const { errors } = result;
    const table = shownTable(tables() ?? [], chart);
    clear(body);
    const failed = errors?.[0] && h('p', { class: 'panel-hint', role: 'alert' }, linesOf(errors[0]).join('\n'));
    if (!table || table.rows.length === 0) {
      toggle.hidden = true;
      body.replaceChildren(failed || h('p', { class: 'panel-hint' }, 'There is nothing in this time range.'));
      return;
    }
    const spec = chosenSpec(table, chart);
    toggle.hidden = spec.type === 'table';
    const shown = asTable ? { ...spec, type: 'table' as const } : spec;
    const all = tile.operation?.groupRows ?? [];
    const open = (row: number, column?: string) => {
      const found = rowsBehind(all, table, column);
      if (!found) return null;
      return () =>
        void openRows(found, { table, row }, variables ?? {}).catch((error: Error) =>
          body.append(h('p', { class: 'panel-hint', role: 'alert' }, error.message)),
        );
    };
    body.replaceChildren(...[failed, ...partsOf(table, shown, timeZone, open)].filter((part) => part instanceof Node));
    const canvas = body.querySelector('canvas');
    if (!canvas) return;
    const drawing = drawingOf(table, shown, timeZone);
    const openPoint = (at: number, label: number) => {
      const { rows, second } = drawing.series[at] ?? {};
      const row = rows?.[label] ?? null;
      return row === null ? null : (open(row, (second ? shown.y2 : shown.y) ?? undefined) ?? open(row));
    };
    draw(canvas, drawing, openPoint).catch((error: Error) => canvas.replaceWith(error.message));
  }

  function tables(): Table[] | null {
    return tile.operationName ? tablesOf(shownResult()?.data, tile.operation?.values) : null;
  }

  function showContent(content: TileContent): void {
    const heading = headingOf({ ...tile, ...content });
    name.textContent = heading;
    header.hidden = heading === '';
    if (heading) element.setAttribute('aria-labelledby', name.id);
    else for (const label of ['aria-labelledby', 'aria-label']) element.removeAttribute(label);
    toggle.setAttribute('aria-label', `Rows of ${heading}`);
    if (open) open.setAttribute('aria-label', `Open ${heading} in GraphiQL`);
    text.textContent = content.text;
    text.hidden = content.text === '';
    chart = content.chart;
    if (variables !== content.variables) setVariables(content.variables);
    redraw();
  }

  function setVariables(next: Variables): void {
    variables = next;
    const address = href(next);
    if (open && address) open.href = address;
    if (!tile.operationName || (isFollowed && next === tile.variables)) return;
    asked = null;
    clear(body);
    body.replaceChildren(h('p', { class: 'panel-hint' }, 'Loading…'));
    void askWith(next);
  }

  async function askWith(next: Variables): Promise<void> {
    const result = await run(next);
    // Others may have been set meanwhile.
    if (variables !== next) return;
    asked = result;
    redraw();
  }

  const show = (next: Result) => {
    followed = next;
    redraw();
  };
  const showAlert = (alert: AlertState | null) => {
    const text = alert ? textOfAlert(alert, timeZone) : '';
    alertState.hidden = text === '';
    alertState.classList.toggle('started', alert?.state === 'started');
    // What is the same is not said again.
    if (alertState.textContent !== text) alertState.textContent = text;
  };
  showAlert(tile.alert);
  showContent(tile);
  return {
    element,
    alertId: tile.alert?.id ?? null,
    show,
    showAlert,
    showContent,
    tables,
    redraw,
  } satisfies ShownTile;
}

/** The title of a tile, or what else it can be called by. */
export const headingOf = ({ title, operation, operationName }: Tile): string =>
  title || operation?.description.replace(/\.$/, '') || operationName || '';

function textOfAlert({ state, since, pausedReason, waitingReason }: AlertState, timeZone: string): string {
  if (pausedReason) return `The alert is paused${state === 'started' ? ' while it is on' : ''}: ${pausedReason}`;
  if (waitingReason) return `The last check of the alert failed: ${waitingReason}`;
  if (state === 'quiet' || !since) return '';
  const time = new Date(since).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return state === 'started' ? `Alert since ${time}` : `The condition of the alert holds since ${time}`;
}

function partsOf(table: Table, spec: ChartSpec, timeZone: string, open: OpenRows): HTMLElement[] {
  const isDrawn = spec.type !== 'number' && spec.type !== 'table';
  const drawing = isDrawn ? drawingOf(table, spec, timeZone) : null;
  const notes = notesOf(drawing ?? table, table, spec);
  if (spec.type === 'number') return [numbersOf(table, spec, open), notes];
  if (!drawing) return [tableOf(table, timeZone, open), notes];
  const canvas = h('canvas', { role: 'img', 'aria-label': `${summaryOf(drawing)} The table has the values.` });
  return [h('div', { class: 'panel-canvas' }, canvas), notes];
}
