import { h } from '../dom.ts';
import { cellTexts } from './cells.ts';
import { labelOf } from './labels.ts';
import { numbersIn } from './numbers.ts';
import { type Drawing, textOf } from './series.ts';
import type { ChartSpec } from './spec.ts';
import type { Table } from './table.ts';

const shownRows = 1_000;

/** What shows the rows behind a row of a table, or behind the number of one of its columns, if that has others. */
export type OpenRows = (row: number, column?: string) => (() => void) | null;

/** Every number of a single row, or the sum of the chosen column. */
export const numbersOf = (table: Table, spec: ChartSpec, open?: OpenRows): HTMLElement =>
  h(
    'dl',
    { class: 'panel-numbers' },
    ...numbersIn(table, spec).map(([name, text, column]) => {
      const show = column === undefined ? null : (open?.(0, column) ?? open?.(0));
      const number = show ? openButton(text, `${text}: show the rows of ${name} in GraphiQL`, show) : text;
      return h('div', { class: 'panel-number' }, h('dt', {}, name), h('dd', {}, number));
    }),
  );

/** The rows as a table, as many as a page can show. `open` shows what is behind a row of the table, and its numbers. */
export function tableOf(table: Table, timeZone: string, open?: OpenRows): HTMLElement {
  const { columns, path, rows } = table;
  const more = open?.(0) && h('th', { scope: 'col' }, 'Rows');
  const heads = columns.map(({ name, label, kind }) => h('th', { scope: 'col', class: kind, title: name }, label));
  const head = h('tr', {}, ...heads, more);
  const lines = cellTexts(table, timeZone, shownRows).map((texts, index) => {
    const of = texts.slice(0, 3).map(textOf).join(', ');
    const show = open?.(index);
    const numbers = texts.map((text, at) => {
      const { name = '', label = '', kind = 'text' } = columns[at] ?? {};
      const opens = rows[index]?.[at] ? open?.(index, name) : null;
      const number = opens ? openButton(text, `${text}: show the rows of ${label} of ${of} in GraphiQL`, opens) : text;
      return h('td', { class: kind }, number);
    });
    return h('tr', {}, ...numbers, show && h('td', {}, openButton('Show', `Show the rows of ${of} in GraphiQL`, show)));
  });
  return h(
    'div',
    { class: 'panel-rows', tabindex: '0', role: 'group', 'aria-label': `Rows of ${labelOf(path)}` },
    h('table', {}, h('thead', {}, head), h('tbody', {}, ...lines)),
  );
}

const openButton = (text: string, label: string, onclick: () => void): HTMLElement =>
  h('button', { type: 'button', 'aria-label': label, onclick }, text);

/** What a drawing leaves out. */
export function notesOf({ leftOut }: Pick<Drawing, 'leftOut'>, { rows }: Table, { type }: ChartSpec): HTMLElement {
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
