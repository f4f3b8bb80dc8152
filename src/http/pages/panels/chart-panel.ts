import { csvOf } from './csv.ts';
import { choice, copyButton, download, h, icon } from './dom.ts';
import { clear, draw, pictureOf } from './draw.ts';
import { notesOf, numbersOf, tableOf } from './drawn.ts';
import { jsonOf, type Tab, variablesOf } from './editor.ts';
import type { Panel } from './panel.ts';
import { type Drawing, drawingOf, timeZoneIn } from './series.ts';
import {
  allOthers,
  bestTable,
  type ChartSpec,
  type ChartType,
  type ChosenChart,
  chartTypes,
  defaultSpec,
  dimensionsOf,
  hasSecond,
  measuresOf,
} from './spec.ts';
import { summaryOf } from './summary.ts';
import { noList, type Table, tablesOf } from './table.ts';
import { valuesOf } from './values.ts';
import { vegaLiteOf } from './vega-lite.ts';

const icons: Record<ChartType, string> = {
  line: 'M3 17l6-7 5 4 7-9',
  bar: 'M5 20V11M12 20V4M19 20v-6',
  stacked: 'M4 20V9h6v11M4 14h6M14 20V4h6v16M14 12h6',
  pie: 'M12 3a9 9 0 1 0 9 9h-9zM15 3.5A9 9 0 0 1 20.5 9H15z',
  heatmap: 'M4 4h16v16H4zM4 9.3h16M4 14.7h16M9.3 4v16M14.7 4v16',
  number: 'M5 9h15M4 15h15M10 4L8 20M16 4l-2 16',
  table: 'M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14',
};

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
    const drawing: Drawing = isDrawn
      ? drawingOf(table, drawn, zone)
      : { type: spec.type, labels: [], series: [], leftOut: table.leftOut };
    const canvas = h('canvas', { role: 'img', 'aria-label': `${summaryOf(drawing, spec)} The table has the values.` });
    const focused = body.contains(document.activeElement) ? document.activeElement?.getAttribute('data-key') : null;
    body.replaceChildren(
      h(
        'div',
        { class: 'panel-controls' },
        typeButtons(spec, table, change),
        tables.length > 1 &&
          keyed(
            'data',
            choice(
              'Data',
              tables.map((one) => [one.path, nameOf(one)]),
              table.path,
              (path) => {
                chosenTable = path;
                render();
              },
            ),
          ),
        ...(isDrawn || spec.type === 'number' ? columnChoices(spec, table, change) : []),
      ),
      isDrawn
        ? h('div', { class: 'panel-canvas' }, canvas)
        : spec.type === 'number'
          ? numbersOf(table, spec)
          : tableOf(table),
      notesOf(drawing, table, spec),
      exportsOf(table, isDrawn ? { drawing, canvas, spec } : null),
    );
    body.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
    if (isDrawn) draw(canvas, drawing, spec).catch((error: Error) => canvas.replaceWith(failureOf(error, render)));
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
    icon: icons.bar,
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

const nameOf = ({ path, rows }: Table): string =>
  path === noList ? 'Values' : `${path} (${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`;

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

function keyed(key: string, element: HTMLElement): HTMLElement {
  (element.querySelector('select') ?? element).setAttribute('data-key', key);
  return element;
}

function typeButtons(spec: ChartSpec, table: Table, change: (part: Partial<ChartSpec>) => void): HTMLElement {
  const hasNumbers = measuresOf(table).length > 0;
  const hasAxis = dimensionsOf(table).length > 0;
  const canBe = (type: ChartType) => type === 'table' || (hasNumbers && (type === 'number' || hasAxis));
  const pick = (type: ChartType) => {
    const x = spec.x ?? dimensionsOf(table)[0]?.name ?? null;
    const other = type === 'heatmap' ? dimensionsOf(table).find(({ name }) => name !== x) : undefined;
    const y = spec.y ?? measuresOf(table)[0]?.name ?? null;
    change({ type, x, y, split: spec.split ?? other?.name ?? null });
  };
  const buttons = chartTypes.map((type) =>
    keyed(
      type,
      h(
        'button',
        {
          type: 'button',
          class: 'panel-type',
          title: type,
          'aria-label': type,
          'aria-pressed': String(type === spec.type),
          disabled: !canBe(type),
          onclick: () => pick(type),
        },
        icon(icons[type]),
      ),
    ),
  );
  return h('div', { class: 'panel-types', role: 'group', 'aria-label': 'Kind of chart' }, ...buttons);
}

function columnChoices(spec: ChartSpec, table: Table, change: (part: Partial<ChartSpec>) => void): HTMLElement[] {
  const dimensions = dimensionsOf(table).map(({ name }): [string, string] => [name, name.replace(/^by\./, '')]);
  const measures = measuresOf(table).map(({ name }): [string, string] => [name, name]);
  const others = dimensions.filter(([name]) => name !== spec.x);
  const splits: [string, string][] = [
    ['', 'nothing'],
    ...(others.length > 1 ? [[allOthers, 'all other columns'] satisfies [string, string]] : []),
    ...others,
  ];
  const y = keyed(
    'y',
    choice('Value', measures, spec.y ?? '', (y) => change({ y })),
  );
  if (spec.type === 'number') return [y];
  const seconds: [string, string][] = [['', 'nothing'], ...measures.filter(([name]) => name !== spec.y)];
  const y2 = keyed(
    'y2',
    choice('Second value', seconds, spec.y2 ?? '', (y2) => change({ y2: y2 || null, split: y2 ? null : spec.split })),
  );
  const values = hasSecond(spec) && seconds.length > 1 ? [y, y2] : [y];
  const x = keyed(
    'x',
    choice(spec.type === 'pie' ? 'Slices' : 'Axis', dimensions, spec.x ?? '', (x) =>
      change({ x, split: spec.split === x ? null : spec.split }),
    ),
  );
  if (spec.type === 'pie' || others.length === 0) return [x, ...values];
  return [
    x,
    ...values,
    keyed(
      'split',
      choice(spec.type === 'heatmap' ? 'Rows' : 'Series', splits, spec.split ?? '', (split) =>
        change({ split: split || null, ...(split && { y2: null }) }),
      ),
    ),
  ];
}

type Drawn = { drawing: Drawing; canvas: HTMLCanvasElement; spec: ChartSpec };

function exportsOf(table: Table, drawn: Drawn | null): HTMLElement {
  const name = table.path.replaceAll('.', '-');
  const button = (label: string, onclick: () => void) =>
    h('button', { type: 'button', class: 'graphiql-button panel-button', onclick }, label);
  const spec = () => JSON.stringify(drawn && vegaLiteOf(drawn.drawing, drawn.spec), null, 2);
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
