import { h } from './dom.ts';
import { written } from './numbers.ts';
import { type Drawing, textOf } from './series.ts';
import { type ChartSpec, isAdditive, measuresOf } from './spec.ts';
import type { ResultValue, Table } from './table.ts';

const shownRows = 1_000;

/** Every number of a single row, or the sum of the chosen column. */
export function numbersOf(table: Table, spec: ChartSpec): HTMLElement {
  const columnOf = (name: string | null) => table.columns.find((column) => column.name === name);
  const tile = (name: string, value: unknown, what: ResultValue | undefined) =>
    h(
      'div',
      { class: 'panel-number' },
      h('dt', {}, name),
      h('dd', {}, typeof value === 'number' ? written(value, what) : '—'),
    );
  const cellOf = (name: string, row: Table['rows'][number] | undefined) =>
    row?.[table.columns.findIndex((column) => column.name === name)];
  if (table.rows.length === 1) {
    const names = measuresOf(table).map(({ name }) => name);
    const ordered = spec.y ? [spec.y, ...names.filter((name) => name !== spec.y)] : names;
    return h(
      'dl',
      { class: 'panel-numbers' },
      ...ordered.map((name) => tile(name, cellOf(name, table.rows[0]), columnOf(name)?.value)),
    );
  }
  const values = table.rows.map((row) => cellOf(spec.y ?? '', row)).filter((cell) => typeof cell === 'number');
  const isSummed = isAdditive(columnOf(spec.y));
  const total = isSummed && values.length > 0 ? values.reduce((sum, value) => sum + value, 0) : null;
  const label = isSummed ? `${spec.y}, all ${table.rows.length} rows` : `${spec.y} cannot be added up`;
  return h('dl', { class: 'panel-numbers' }, tile(label, total, columnOf(spec.y)?.value));
}

/** The rows as a table, as many as a page can show. `open` shows what is behind a row of the table. */
export function tableOf({ columns, rows, path }: Table, open?: (row: number) => void): HTMLElement {
  const more = open && h('th', { scope: 'col' }, 'Rows');
  const head = h('tr', {}, ...columns.map(({ name, kind }) => h('th', { scope: 'col', class: kind }, name)), more);
  const lines = rows.slice(0, shownRows).map((row, place) =>
    h(
      'tr',
      {},
      ...row.map((cell, at) => h('td', { class: columns[at]?.kind ?? 'text' }, cell === null ? '' : textOf(cell))),
      open &&
        h(
          'td',
          {},
          openButton(row.map(textOf).slice(0, 3).join(', '), () => open(place)),
        ),
    ),
  );
  return h(
    'div',
    { class: 'panel-rows', tabindex: '0', role: 'region', 'aria-label': `Rows of ${path}` },
    h('table', {}, h('thead', {}, head), h('tbody', {}, ...lines)),
  );
}

const openButton = (name: string, onclick: () => void): HTMLElement =>
  h('button', { type: 'button', 'aria-label': `Show the rows of ${name} in GraphiQL`, onclick }, 'Show');

/** What a drawing leaves out. */
export function notesOf({ leftOut }: Drawing, { rows }: Table, { type }: ChartSpec): HTMLElement {
  const notes = [...leftOut];
  if (type === 'table' && rows.length > shownRows) {
    notes.push(`The first ${shownRows} of ${rows.length} rows are shown. The CSV has all of them.`);
  }
  return h(
    'ul',
    { class: 'panel-notes', 'aria-label': 'Left out', hidden: notes.length === 0 },
    ...notes.map((note) => h('li', {}, note)),
  );
}

/** What a chart shows, for who cannot see it. */
export function summaryOf({ type, labels, series }: Drawing, { x, y }: ChartSpec): string {
  const names = series.map(({ name }) => name).join(', ');
  return `A ${type} chart of ${y} by ${x?.replace(/^by\./, '')}, ${labels.length} points in ${series.length} series: ${names}. The table has the values.`;
}
