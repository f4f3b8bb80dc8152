import { formatNumber } from './numbers.ts';
import type { Drawing, Series } from './series.ts';
import type { ResultValue } from './table.ts';

type Elements = { datasetIndex: number; index: number }[];
type Clickable = {
  canvas: HTMLCanvasElement;
  getElementsAtEventForMode(event: Event, mode: string, options: object, useFinal: boolean): Elements;
};
type Pointer = { native: Event | null };
/** Opens the rows of a point, by its position in the drawing; null if none can be opened. */
export type OpenPoint = (series: number, label: number) => (() => void) | null;
/** A point of a chart. */
type Pointed = { dataset: { label: string }; datasetIndex: number; label: string; raw: unknown };

const light = [
  '#4338ca',
  '#0f766e',
  '#b45309',
  '#be185d',
  '#0369a1',
  '#4d7c0f',
  '#7e22ce',
  '#b91c1c',
  '#0e7490',
  '#854d0e',
  '#475569',
  '#a21caf',
];
const dark = [
  '#a5b4fc',
  '#5eead4',
  '#fcd34d',
  '#f9a8d4',
  '#7dd3fc',
  '#bef264',
  '#d8b4fe',
  '#fca5a5',
  '#67e8f9',
  '#fdba74',
  '#cbd5e1',
  '#f0abfc',
];

/** The colours of texts, of lines behind a chart, and of its ground. */
export const groundOf = (isDark: boolean): [ink: string, grid: string, base: string] =>
  isDark ? ['#d5dae3', '#3f4a5f', '#212a3b'] : ['#3b4b68', '#dfe3ea', '#ffffff'];

/** The configuration of Chart.js for a drawing, on a page and on the server. */
export function chartConfig(
  drawing: Drawing,
  { isDark, openPoint = () => null }: { isDark: boolean; openPoint?: OpenPoint },
) {
  const [ink, grid, base] = groundOf(isDark);
  const colours = isDark ? dark : light;
  const { labels, series, titles } = drawing;
  const type = drawing.type === 'line' || drawing.type === 'pie' ? drawing.type : 'bar';
  const datasets = series.map(({ name, values, isPrevious, second }, at) => {
    // A second measure on the axis of the first is drawn as that, unless it would be stacked upon it.
    const isLine = type === 'line' || (type === 'bar' && second && (second.isApart || drawing.type === 'stacked'));
    const colour = colours[at % colours.length] ?? ink;
    const colourOf = type === 'pie' ? labels.map((_, point) => colours[point % colours.length]) : colour;
    return {
      label: name,
      // The time before is beside its present, not upon it. Bars of one stack would hide each other where none are
      // stacked.
      ...(isLine && type === 'bar' && { type: 'line', order: -1 }),
      ...(second?.isApart && { yAxisID: 'y2' }),
      ...(drawing.type === 'stacked' && !isLine && { stack: isPrevious ? 'previous' : 'present' }),
      data: values,
      backgroundColor: isPrevious && type === 'bar' ? `${colour}80` : colourOf,
      borderColor: type === 'pie' ? base : colour,
      borderWidth: type === 'bar' && !isLine ? 0 : 2,
      borderDash: isPrevious ? [5, 4] : [],
      borderRadius: type === 'bar' ? 3 : 0,
      maxBarThickness: 56,
      pointRadius: labels.length > 60 ? 0 : 3,
      pointHitRadius: 12,
    };
  });
  const heat = drawing.type === 'heatmap' ? heatMap(drawing, { ink, base, strong: colours[0] ?? ink }) : undefined;
  const stacked = drawing.type === 'stacked';
  const ticks = { color: ink, font: { size: 12 } };
  const axis = {
    stacked,
    // What is marked is so on a second line: on one, it would lie upon the label beside it.
    ticks: {
      ...ticks,
      maxRotation: 45,
      autoSkip: true,
      callback: (at: number) => (labels[at] ?? '').split(/ (?=\(partial\)$)/),
    },
    grid: { display: false },
    border: { color: grid },
  };
  const apart = series.find(({ second }) => second?.isApart);
  const onFirst = series.filter((one) => one !== apart);
  const alike = onFirst.filter(({ second }) => second).map(({ name }) => name);
  const heightOf = (title: string | null, value: ResultValue | undefined, shown: Series[]) => ({
    beginAtZero: true,
    ticks: {
      ...ticks,
      callback: (tick: number) => formatNumber(tick, value),
      precision: shown.every(({ values }) => values.every((one) => Number.isInteger(one ?? 0))) ? 0 : undefined,
    },
    border: { display: false },
    title: { display: title !== null, text: title, color: ink },
  });
  const opening = ({ native }: Pointer, chart: Clickable) => {
    const [point] = native ? chart.getElementsAtEventForMode(native, 'nearest', { intersect: true }, true) : [];
    return point ? openPoint(point.datasetIndex, point.index) : null;
  };
  return {
    type,
    data: heat?.data ?? { labels, datasets },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      onClick: (event: Pointer, _elements: unknown, chart: Clickable) => opening(event, chart)?.(),
      onHover: (event: Pointer, _elements: unknown, chart: Clickable) => {
        chart.canvas.style.cursor = opening(event, chart) ? 'pointer' : '';
      },
      interaction: { mode: type === 'pie' ? 'nearest' : 'index', intersect: false },
      ...(type !== 'pie' && {
        scales: {
          x: axis,
          y: {
            ...heightOf(titles.y && [titles.y, ...alike].join(', '), drawing.value, onFirst),
            stacked,
            grid: { color: grid },
          },
          ...(apart && {
            y2: {
              ...heightOf(apart.name, apart.second?.value, [apart]),
              position: 'right',
              grid: { drawOnChartArea: false },
            },
          }),
        },
      }),
      plugins: {
        legend: {
          display: series.length > 1 || type === 'pie',
          position: 'bottom',
          labels: { color: ink, boxWidth: 12, boxHeight: 12, font: { size: 12 } },
        },
        tooltip: {
          boxPadding: 4,
          callbacks: {
            label: ({ dataset, datasetIndex, label, raw }: Pointed) => {
              const { second } = series[datasetIndex] ?? {};
              const text = typeof raw === 'number' ? formatNumber(raw, second ? second.value : drawing.value) : '';
              return `${type === 'pie' ? label : dataset.label}: ${text}`;
            },
          },
        },
      },
      ...heat?.options,
    },
    // Give the image the page's background instead of a transparent one.
    plugins: [
      {
        id: 'background',
        beforeDraw({ ctx, width, height }: { ctx: CanvasRenderingContext2D; width: number; height: number }) {
          ctx.save();
          ctx.fillStyle = base;
          ctx.fillRect(0, 0, width, height);
          ctx.restore();
        },
      },
    ],
  };
}

/** `strong` is the colour of the largest value. */
type Colours = { ink: string; base: string; strong: string };
type Cell = { datasetIndex: number; dataIndex: number };

/** Draws a heat map as bars of the same height upon each other, one row for each series: Chart.js has no such type. */
function heatMap({ labels, series, value, titles: { y } }: Drawing, { ink, base, strong }: Colours) {
  const numbers = series.flatMap(({ values }) => values.filter((one) => one !== null));
  const [least, most] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
  // 0 is faint, so that it is not taken for a gap.
  const colourOf = (number: number | null) => {
    if (number === null) return base;
    const opacity = 20 + Math.round((235 * (number - least)) / (most - least || 1));
    return `${strong}${opacity.toString(16).padStart(2, '0')}`;
  };
  const datasets = series.map(({ name, values }) => ({
    label: name,
    data: labels.map(() => 1),
    backgroundColor: values.map(colourOf),
    borderColor: base,
    borderWidth: 1,
    borderSkipped: false,
    barPercentage: 1,
    categoryPercentage: 1,
  }));
  const ticks = { color: ink, font: { size: 12 } };
  const plain = { stacked: true, grid: { display: false }, border: { display: false } };
  const scale = `${y}: ${formatNumber(least, value)} is faint, ${formatNumber(most, value)} is strong`;
  const textOf = ({ datasetIndex, dataIndex }: Cell) => {
    const { name = '', values = [] } = series[datasetIndex] ?? {};
    const number = values[dataIndex] ?? null;
    return `${name}: ${number === null ? 'none' : formatNumber(number, value)}`;
  };
  return {
    data: { labels, datasets },
    options: {
      interaction: { mode: 'nearest', intersect: true },
      scales: {
        x: { ...plain, ticks: { ...ticks, maxRotation: 45 } },
        y: {
          ...plain,
          reverse: true,
          max: series.length,
          afterBuildTicks: (axis: { ticks: { value: number }[] }) => {
            axis.ticks = series.map((_, at) => ({ value: at + 0.5 }));
          },
          ticks: { ...ticks, autoSkip: false, callback: (tick: number) => series[Math.floor(tick)]?.name ?? '' },
        },
      },
      plugins: {
        legend: { display: false },
        title: { display: true, text: scale, color: ink, font: { size: 12, weight: 'normal' } },
        tooltip: { boxPadding: 4, callbacks: { label: textOf } },
      },
    },
  };
}
