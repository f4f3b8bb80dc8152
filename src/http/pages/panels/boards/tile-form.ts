import { chartChoices } from '../charts/chart-choices.ts';
import { type ChartSpec, type ChosenChart, chosenSpec, defaultSpec, shownTable } from '../charts/spec.ts';
import type { Table } from '../charts/table.ts';
import { h } from '../dom.ts';
import { field, formOf, formState, openDialog } from './dialog.ts';
import type { Result } from './page.ts';
import { type OfBoard, type Variables, variableFields } from './variable-fields.ts';

/** What a tile shows, and with which variables it runs its operation. */
export type TileContent = { title: string; text: string; chart: ChosenChart | null; variables: Variables };
type Edited = {
  heading: string;
  /** The name of its operation; null without one that can be run. */
  operation: string | null;
  ofBoard: OfBoard;
  /** Asks for the result of its operation with variables once. */
  run: (variables: Variables) => Promise<Result>;
  content: TileContent;
  /** What the result of its operation has to draw; null for a tile without one. */
  tables: Table[] | null;
};

export const needsText = 'A tile without an operation needs a text.';
/** The fields of a tile's title and text. */
export const contentFields = ({ title, text }: Pick<TileContent, 'title' | 'text'>) => ({
  title: h('input', { id: 'tile-title', maxlength: '200', value: title }),
  text: h('textarea', { id: 'tile-text', maxlength: '2000', rows: '3', value: text }),
});

/**
 * Opens a dialog with the title, the text, the variables and the chart of a tile. Resolves with what was set; null if
 * it was closed.
 */
export function chooseContent({
  heading,
  content,
  tables,
  operation,
  ofBoard,
  run,
}: Edited): Promise<TileContent | null> {
  let { chart } = content;
  const { title, text } = contentFields(content);
  const variables = variableFields(operation, content.variables, ofBoard);
  const state = formState();
  const charts = h('div', { class: 'panel-controls', role: 'group', 'aria-label': 'Chart' });
  showCharts();
  return openDialog<TileContent>('tile-content', `Content of ${heading}`, (end) => {
    const onsubmit = async () => {
      if (!tables && !text.value.trim()) {
        state.textContent = needsText;
        return;
      }
      const values = await variables.checked(run, state);
      if (values) end({ title: title.value.trim(), text: text.value, chart, variables: values });
    };
    const titleLabel = tables ? 'Title; empty for that of the operation' : 'Title';
    const fields = [field(titleLabel, title), field('Text', text), variables.element, tables && charts, state];
    return [formOf({ submit: 'Set', onsubmit, end }, fields)];
  });

  function showCharts(): void {
    if (!tables) return;
    const table = shownTable(tables, chart);
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
}
