import { h } from '../dom.ts';
import { clear, draw } from '../draw.ts';
import { notesOf, numbersOf, tableOf } from '../drawn.ts';
import { drawingOf } from '../series.ts';
import { bestTable, type ChartSpec, chosenSpec } from '../spec.ts';
import { summaryOf } from '../summary.ts';
import { type ResultValue, type Table, tablesOf } from '../table.ts';
import type { AlertRule, SavedTile } from '../tile-input.ts';
import type { Group, GroupRows } from './group.ts';
import type { TileResult } from './stream.ts';

export type Tile = SavedTile & {
  operation: {
    document?: string;
    variables?: Record<string, unknown>;
    description: string;
    values: ResultValue[];
    groupRows?: GroupRows[];
  } | null;
  alert: Alert | null;
};
/** The state of a tile's condition. */
type Alert = AlertRule & {
  id: string;
  state: 'quiet' | 'pending' | 'started';
  since: string | null;
  pausedReason: string | null;
  waitingReason: string | null;
};
export type ShownTile = {
  element: HTMLElement;
  /** The id of its condition, by which a later state of it is told from that of another tile. */
  alertId: string | null;
  show: (result: TileResult) => void;
  showAlert: (alert: Alert | null) => void;
  redraw: () => void;
};

type Around = {
  /** Opens the operation in GraphiQL. */
  href: string | null;
  timeZone: string;
  /** Opens the rows of a group in GraphiQL. */
  openRows: (groups: GroupRows, group: Group) => Promise<void>;
};

/** Creates the element of a tile. */
export function tileElement(tile: Tile, at: number, { href, timeZone, openRows }: Around) {
  const heading = tile.title || tile.operation?.description || tile.operationName || '';
  const id = `tile-${at}`;
  const body = h('div', { class: 'tile-body' }, tile.operationName && h('p', { class: 'panel-hint' }, 'Loading…'));
  let result: TileResult | null = null;
  let asTable = false;
  const toggle = h(
    'button',
    {
      type: 'button',
      'aria-pressed': 'false',
      'aria-label': `Rows of ${heading}`,
      hidden: true,
      onclick: () => {
        asTable = !asTable;
        toggle.setAttribute('aria-pressed', String(asTable));
        redraw();
      },
    },
    'Rows',
  );
  const alertState = h('p', { class: 'tile-alert', role: 'status', hidden: true });
  const element = h(
    'section',
    { class: 'tile', id, ...(heading && { 'aria-labelledby': `${id}-title` }) },
    heading &&
      h(
        'header',
        {},
        h('h2', { id: `${id}-title` }, heading),
        toggle,
        href && h('a', { href, 'aria-label': `Open ${heading} in GraphiQL` }, 'Open'),
      ),
    alertState,
    tile.text && h('p', { class: 'tile-text' }, tile.text),
    tile.operationName && body,
  );
  for (const [name, value] of Object.entries({ x: tile.x + 1, y: tile.y + 1, width: tile.width, height: tile.height }))
    element.style.setProperty(`--${name}`, String(value));

  function redraw(): void {
    if (!result) return;
    const { data, errors } = result;
    const tables = tablesOf(data, tile.operation?.values);
    const table = tables.find(({ path }) => path === tile.chart?.data) ?? bestTable(tables);
    clear(body);
    const failed = errors?.[0] && h('p', { class: 'panel-hint', role: 'alert' }, errors[0].message);
    if (!table || table.rows.length === 0) {
      toggle.hidden = true;
      body.replaceChildren(failed || h('p', { class: 'panel-hint' }, 'There is nothing in this time range.'));
      return;
    }
    const spec = chosenSpec(table, tile.chart);
    toggle.hidden = spec.type === 'table';
    const shown = asTable ? { ...spec, type: 'table' as const } : spec;
    const groups = tile.operation?.groupRows?.find(({ path }) => path === table.path);
    const open =
      groups &&
      ((row: number) =>
        void openRows(groups, { table, row }).catch((error: Error) =>
          body.append(h('p', { class: 'panel-hint', role: 'alert' }, error.message)),
        ));
    body.replaceChildren(...[failed, ...partsOf(table, shown, timeZone, open)].filter((part) => part instanceof Node));
    const canvas = body.querySelector('canvas');
    if (!canvas) return;
    const drawing = drawingOf(table, shown, timeZone);
    const openPoint = (series: number, label: number) => {
      const row = drawing.series[series]?.rows[label] ?? null;
      return open && row !== null ? () => open(row) : null;
    };
    draw(canvas, drawing, shown, openPoint).catch((error: Error) => canvas.replaceWith(error.message));
  }

  const show = (next: TileResult) => {
    result = next;
    redraw();
  };
  const showAlert = (alert: Alert | null) => {
    const text = alert ? textOfAlert(alert, timeZone) : '';
    alertState.hidden = text === '';
    alertState.classList.toggle('started', alert?.state === 'started');
    // What is the same is not said again.
    if (alertState.textContent !== text) alertState.textContent = text;
  };
  showAlert(tile.alert);
  return { element, alertId: tile.alert?.id ?? null, show, showAlert, redraw } satisfies ShownTile;
}

function textOfAlert({ state, since, pausedReason, waitingReason }: Alert, timeZone: string): string {
  if (pausedReason) return `The alert is paused: ${pausedReason}`;
  if (waitingReason) return `The last check of the alert failed: ${waitingReason}`;
  if (state === 'quiet' || !since) return '';
  const time = new Date(since).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return state === 'started' ? `Alert since ${time}` : `The condition of the alert holds since ${time}`;
}

function partsOf(table: Table, spec: ChartSpec, timeZone: string, open?: (row: number) => void): HTMLElement[] {
  const isDrawn = spec.type !== 'number' && spec.type !== 'table';
  const drawing = isDrawn
    ? drawingOf(table, spec, timeZone)
    : { type: spec.type, labels: [], series: [], leftOut: table.leftOut };
  const notes = notesOf(drawing, table, spec);
  if (spec.type === 'number') return [numbersOf(table, spec), notes];
  if (spec.type === 'table') return [tableOf(table, open), notes];
  const canvas = h('canvas', { role: 'img', 'aria-label': `${summaryOf(drawing, spec)} The table has the values.` });
  return [h('div', { class: 'panel-canvas' }, canvas), notes];
}
