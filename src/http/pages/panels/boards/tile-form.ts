import { chartChoices } from '../chart-choices.ts';
import { h } from '../dom.ts';
import { bestTable, type ChartSpec, type ChosenChart, chosenSpec, defaultSpec } from '../spec.ts';
import type { Table } from '../table.ts';

/** What a tile shows besides the result of its operation. */
export type TileContent = { title: string; text: string; chart: ChosenChart | null };
type Edited = {
  heading: string;
  content: TileContent;
  /** What the result of its operation has to draw; null for a tile without one. */
  tables: Table[] | null;
};

/** Opens a dialog with the title, the text and the chart of a tile. Resolves with what was set; null if it was closed. */
export function chooseContent({ heading, content, tables }: Edited): Promise<TileContent | null> {
  const { promise, resolve } = Promise.withResolvers<TileContent | null>();
  let { chart } = content;
  const title = h('input', { id: 'tile-title', maxlength: '200', value: content.title });
  const text = h('textarea', { id: 'tile-text', maxlength: '2000', rows: '3', value: content.text });
  const state = h('p', { role: 'alert', class: 'panel-hint' });
  const charts = h('div', { class: 'panel-controls', role: 'group', 'aria-label': 'Chart' });
  const field = (label: string, input: HTMLElement) => h('p', {}, h('label', { for: input.id }, label), input);
  const dialog = h(
    'dialog',
    { id: 'tile-content', 'aria-labelledby': 'tile-content-title' },
    h('h2', { id: 'tile-content-title' }, `Content of ${heading}`),
    h(
      'form',
      {
        onsubmit: (event: Event) => {
          event.preventDefault();
          if (!tables && !text.value.trim()) state.textContent = 'A tile without an operation needs a text.';
          else end({ title: title.value.trim(), text: text.value, chart });
        },
      },
      field('Title; empty for that of the operation', title),
      field('Text', text),
      tables && charts,
      state,
      h(
        'p',
        { class: 'actions' },
        h('button', { type: 'submit' }, 'Set'),
        h('button', { type: 'button', onclick: () => end(null) }, 'Cancel'),
      ),
    ),
  );
  showCharts();
  dialog.addEventListener('close', () => {
    dialog.remove();
    resolve(null);
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;

  function showCharts(): void {
    if (!tables) return;
    const table = tables.find(({ path }) => path === chart?.data) ?? bestTable(tables);
    if (!table) {
      charts.replaceChildren(h('p', { class: 'panel-hint' }, 'The chart can be chosen once the tile has rows.'));
      return;
    }
    const focused = charts.contains(document.activeElement) && document.activeElement?.getAttribute('data-key');
    const spec = chosenSpec(table, chart);
    const set = (next: ChartSpec, data: string) => {
      const { type, x, y, y2 = null, split } = next;
      chart = { type, data, x, y, y2, split };
      showCharts();
    };
    const choices = chartChoices(
      { tables, table, spec },
      {
        change: (part) => set({ ...spec, ...part }, table.path),
        open: (path) => {
          const next = tables.find((one) => one.path === path);
          if (next) set(defaultSpec(next), path);
        },
      },
    );
    charts.replaceChildren(...choices);
    if (focused) charts.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
  }

  function end(chosen: TileContent | null): void {
    resolve(chosen);
    dialog.close();
  }
}
