import { choice, h, icon } from '../dom.ts';
import { labelOf } from './labels.ts';
import { allOthers, type ChartSpec, type ChartType, chartTypes, dimensionsOf, hasSecond, measuresOf } from './spec.ts';
import { noList, type Table } from './table.ts';

/** The pictures of the kinds of chart. */
export const chartIcons: Record<ChartType, string> = {
  line: 'M3 17l6-7 5 4 7-9',
  bar: 'M5 20V11M12 20V4M19 20v-6',
  stacked: 'M4 20V9h6v11M4 14h6M14 20V4h6v16M14 12h6',
  pie: 'M12 3a9 9 0 1 0 9 9h-9zM15 3.5A9 9 0 0 1 20.5 9H15z',
  heatmap: 'M4 4h16v16H4zM4 9.3h16M4 14.7h16M9.3 4v16M14.7 4v16',
  number: 'M5 9h15M4 15h15M10 4L8 20M16 4l-2 16',
  table: 'M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14',
};

type Chosen = { tables: Table[]; table: Table; spec: ChartSpec };
type Listener = { change: (part: Partial<ChartSpec>) => void; open: (path: string) => void };

/** The choices of how a result is drawn: the kind of chart, the list, and the columns. */
export function chartChoices({ tables, table, spec }: Chosen, { change, open }: Listener): HTMLElement[] {
  const data = tables.map((one): [string, string] => [one.path, nameOf(one)]);
  return [
    typeButtons(spec, table, change),
    ...(tables.length > 1 ? [keyed('data', choice('Data', data, table.path, open))] : []),
    ...(spec.type === 'table' ? [] : columnChoices(spec, table, change)),
  ];
}

const nameOf = ({ path, rows }: Table): string =>
  path === noList ? 'Values' : `${labelOf(path)} (${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`;

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
        icon(chartIcons[type]),
      ),
    ),
  );
  return h('div', { class: 'panel-types', role: 'group', 'aria-label': 'Kind of chart' }, ...buttons);
}

function columnChoices(spec: ChartSpec, table: Table, change: (part: Partial<ChartSpec>) => void): HTMLElement[] {
  const dimensions = dimensionsOf(table).map(({ name, label }): [string, string] => [name, label]);
  const measures = measuresOf(table).map(({ name, label }): [string, string] => [name, label]);
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
