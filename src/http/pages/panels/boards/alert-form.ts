import type { AlertRule } from '../../../../domain/dashboards/alerts.ts';
import { type ChosenChart, chosenTable, measuresOf } from '../charts/spec.ts';
import type { Column, Table } from '../charts/table.ts';
import { choice, h } from '../dom.ts';
import { field, formOf, formState, openDialog } from './dialog.ts';

/** What somebody chose: a condition or none, and whether one that is paused goes on with their rights. */
type ChosenAlert = { alert: AlertRule | null; resume: boolean };

type Edited = {
  heading: string;
  alert: AlertRule | null;
  isPaused: boolean;
  /** The numbers of the tile's result, as far as it is there. */
  numbers: Pick<Column, 'name' | 'label'>[];
};

/** The numbers of what a chart draws. */
export function numbersIn(tables: Table[], chart: ChosenChart | null): Column[] {
  const table = chosenTable(tables, chart);
  return table ? measuresOf(table) : [];
}

/** Opens a dialog with the condition of a tile. Resolves with what was chosen; null if it was closed without. */
export function chooseAlert({ heading, alert, isPaused, numbers }: Edited): Promise<ChosenAlert | null> {
  let rows: AlertRule['rows'] = alert?.rows ?? 'any';
  const number = (id: string, value: number | null, more: object = {}) =>
    h('input', { id: `alert-${id}`, type: 'number', step: 'any', value: value ?? '', ...more });
  const above = number('above', alert?.above ?? null);
  const below = number('below', alert?.below ?? null);
  const minutes = number('minutes', alert?.forMinutes ?? 0, { min: '0', max: '10080', step: '1', required: true });
  const column = h('select', { id: 'alert-column' });
  const kept = alert?.column ?? '';
  const known = kept && !numbers.some(({ name }) => name === kept) ? [{ name: kept, label: kept }] : [];
  column.append(
    h('option', { value: '' }, 'That of the chart'),
    ...[...known, ...numbers].map(({ name, label }) => h('option', { value: name }, label)),
  );
  column.value = kept;
  const noData = h('input', { id: 'alert-none', type: 'checkbox' });
  noData.checked = alert?.noData ?? false;
  const resume = h('input', { id: 'alert-resume', type: 'checkbox' });
  const state = formState();
  const check = (label: string, input: HTMLElement) =>
    h('p', { class: 'check' }, input, h('label', { for: input.id }, label));
  return openDialog<ChosenAlert>('alert', `Alert of ${heading}`, (end) => {
    const onsubmit = () => {
      const bounds = [above, below].map(({ value }) => (value === '' ? null : Number(value)));
      const [over = null, under = null] = bounds;
      if (over === null && under === null && !noData.checked) {
        state.textContent = 'Set a bound, or choose to be told if there is no number.';
        return;
      }
      const own = { column: column.value || null, rows, above: over, below: under, noData: noData.checked };
      end({ alert: { ...own, forMinutes: Number(minutes.value) }, resume: resume.checked });
    };
    const rowsChoice = choice(
      'Rows',
      [
        ['any', 'Any row'],
        ['last', 'The last row'],
      ],
      rows,
      (value) => {
        rows = value as AlertRule['rows'];
      },
    );
    return [
      h(
        'p',
        {},
        'Webhooks are notified once when the condition starts and once when it ends. It is checked with your rights.',
      ),
      formOf(
        { submit: 'Set', onsubmit, end },
        [
          field('The number', column),
          field('is above', above),
          field('or below', below),
          check('or there is no number', noData),
          field('for this many minutes', minutes),
          rowsChoice,
          isPaused && check('Resume it, with my rights and for the query as it is now', resume),
          state,
        ],
        alert &&
          h('button', { type: 'button', onclick: () => end({ alert: null, resume: false }) }, 'Remove the alert'),
      ),
    ];
  });
}
