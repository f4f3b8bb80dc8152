import { chartChoices, chartIcons } from './charts/chart-choices.ts';
import { clear, draw, pictureOf } from './charts/draw.ts';
import { notesOf, numbersOf, tableOf } from './charts/drawn.ts';
import { type Drawing, drawingOf } from './charts/series.ts';
import { bestTable, type ChartSpec, type ChosenChart, defaultSpec } from './charts/spec.ts';
import { summaryOf } from './charts/summary.ts';
import { type ResultValue, type Table, tablesOf } from './charts/table.ts';
import { timeZoneIn } from './charts/time-labels.ts';
import { vegaLiteOf } from './charts/vega-lite.ts';
import { csvOf } from './csv.ts';
import { copyButton, download, h } from './dom.ts';
import { jsonOf, post, type Tab, variablesOf } from './editor.ts';
import type { Panel } from './panel.ts';

/** Draws the result of the open tab. `chartOf` is what it draws of a tab; null if it has not drawn it. */
export function chartPanel(): Panel & { chartOf(tab: Tab): ChosenChart | null } {
  const body = h('div', { class: 'panel-body' });
  let shown: { response: string | null; query: string | null; tables: Table[]; tab: Tab } | undefined;
  let chosenTable: string | null = null;
  /** Choices, keyed by table and columns, so that they survive another run of the operation. */
  const choices = new Map<string, ChartSpec>();
  const keyOf = (table: Table) => [table.path, ...table.columns.map(({ name }) => name)].join('\n');

  const chosen = () => {
    const tables = shown?.tables ?? [];
    return tables.find(({ path }) => path === chosenTable) ?? bestTable(tables);
  };
  const specOf = (table: Table) => choices.get(keyOf(table)) ?? defaultSpec(table);

  const render = (): void => {
    clear();
    const tables = shown?.tables ?? [];
    const table = chosen();
    if (!shown || !table) {
      body.replaceChildren(emptyHint(shown?.response ?? null));
      return;
    }
    const spec = specOf(table);
    const change = (part: Partial<ChartSpec>) => {
      choices.set(keyOf(table), { ...spec, ...part });
      render();
    };
    const zone = timeZoneIn(shown.query ?? '', variablesOf(shown.tab) ?? {}, table.path);
    const isDrawn = spec.type !== 'number' && spec.type !== 'table';
    const drawn = spec.type === 'pie' || spec.type === 'number' ? { ...spec, split: null } : spec;
    const drawing = isDrawn ? drawingOf(table, drawn, zone) : null;
    const canvas = h('canvas', {
      role: 'img',
      'aria-label': drawing && `${summaryOf(drawing)} The table has the values.`,
    });
    const focused = body.contains(document.activeElement) ? document.activeElement?.getAttribute('data-key') : null;
    body.replaceChildren(
      h(
        'div',
        { class: 'panel-controls' },
        ...chartChoices(
          { tables, table, spec },
          {
            change,
            open: (path) => {
              chosenTable = path;
              render();
            },
          },
        ),
      ),
      drawing
        ? h('div', { class: 'panel-canvas' }, canvas)
        : spec.type === 'number'
          ? numbersOf(table, spec)
          : tableOf(table, zone),
      notesOf(drawing ?? table, table, spec),
      exportsOf(table, drawing && { drawing, canvas }),
    );
    body.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
    if (drawing) draw(canvas, drawing).catch((error: Error) => canvas.replaceWith(failureOf(error, render)));
  };

  const drawAs = async (next: NonNullable<typeof shown>, data: unknown) => {
    const values = await valuesOf(next.tab);
    if (shown !== next) return;
    next.tables = tablesOf(data, values);
    render();
  };

  return {
    id: 'chart',
    title: 'Chart',
    icon: chartIcons.bar,
    body,
    update(tab) {
      if (shown && tab.response === shown.response && tab.query === shown.query) return;
      const isSame = tab.query === shown?.query;
      const data = (jsonOf(tab.response ?? '') as { data?: unknown } | undefined)?.data;
      const next = { response: tab.response, query: tab.query, tables: tablesOf(data), tab };
      shown = next;
      if (!isSame) chosenTable = null;
      if (next.tables.length === 0) return render();
      void drawAs(next, data);
    },
    redraw: render,
    chartOf({ query }) {
      const table = chosen();
      return table && shown?.query === query ? { ...specOf(table), data: table.path } : null;
    },
  };
}

function emptyHint(response: string | null): HTMLElement {
  return h(
    'p',
    { class: 'panel-hint' },
    response
      ? 'The result has no rows, groups or numbers to draw.'
      : 'Run an operation: its rows, groups and numbers are drawn here. The example Leads per week has some.',
  );
}

const failureOf = ({ message }: Error, again: () => void): HTMLElement =>
  h(
    'p',
    { class: 'panel-hint', role: 'alert' },
    `${message} `,
    h('button', { type: 'button', class: 'graphiql-button panel-button', onclick: again }, 'Try again'),
  );

type Drawn = { drawing: Drawing; canvas: HTMLCanvasElement };

function exportsOf(table: Table, drawn: Drawn | null): HTMLElement {
  const name = table.path.replaceAll('.', '-');
  const button = (label: string, onclick: () => void) =>
    h('button', { type: 'button', class: 'graphiql-button panel-button', onclick }, label);
  const spec = () => JSON.stringify(drawn && vegaLiteOf(drawn.drawing), null, 2);
  return h(
    'div',
    { class: 'panel-exports', role: 'group', 'aria-label': 'Export' },
    copyButton('Copy CSV', () => csvOf(table)),
    // Spreadsheets recognise UTF-8 by the byte order mark.
    button('Download CSV', () => download(`${name}.csv`, `\uFEFF${csvOf(table)}`, 'text/csv')),
    ...(drawn
      ? [
          copyButton('Copy PNG', () => pictureOf(drawn.canvas)),
          button('Download PNG', () => {
            void pictureOf(drawn.canvas).then((picture) => download(`${name}.png`, picture, 'image/png'));
          }),
          copyButton('Copy spec', spec),
          button('Download spec', () => download(`${name}.vl.json`, spec(), 'application/json')),
        ]
      : []),
  );
}

type Answer = { data?: { resultValues?: ResultValue[] } | null };

const query = `query ResultValues($operation: OperationInput!) {
  resultValues(operation: $operation) { path kind additive unit }
}`;

/** The latest, by document: values of variables do not change what its numbers are. */
const known = new Map<string, ResultValue[]>();
const maxKnown = 50;

/** What the numbers in the result of a tab's operation are; nothing is known of them if the gateway does not say. */
async function valuesOf(tab: Tab): Promise<ResultValue[]> {
  const key = JSON.stringify([tab.query, tab.operationName]);
  const before = known.get(key);
  if (before) return before;
  const operation = { query: tab.query, variables: variablesOf(tab), operationName: tab.operationName };
  const answer = (await post('graphql', tab, { query, variables: { operation } }).catch(() => null)) as Answer | null;
  const values = answer?.data?.resultValues;
  if (!values) return [];
  if (known.size >= maxKnown) known.clear();
  known.set(key, values);
  return values;
}
