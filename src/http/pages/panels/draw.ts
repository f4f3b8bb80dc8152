import { h } from './dom.ts';
import { heatMap } from './heat-map.ts';
import { written } from './numbers.ts';
import type { Drawing } from './series.ts';
import type { ChartSpec } from './spec.ts';

type Chart = { destroy(): void };
type Elements = { datasetIndex: number; index: number }[];
type Clickable = {
  canvas: HTMLCanvasElement;
  getElementsAtEventForMode(event: Event, mode: string, options: object, useFinal: boolean): Elements;
};
type Pointer = { native: Event | null };
/** Opens the rows of a point, by its place in the drawing; null if none can be opened. */
export type OpenPoint = (series: number, label: number) => (() => void) | null;
/** A point of a chart. */
type Pointed = { dataset: { label: string }; label: string; raw: unknown };
type ChartLibrary = { Chart: new (canvas: HTMLCanvasElement, config: object) => Chart };

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

let library: Promise<ChartLibrary> | undefined;
/** Loads Chart.js, which sets a global, when the first chart is drawn; after a failure, when the next one is. */
function load(): Promise<ChartLibrary> {
  library ??= new Promise((resolve, reject) => {
    // Not `import()`: some browsers never fetch a module again that they could not load.
    const script = h('script', { src: new URL('../chart.js', import.meta.url).href });
    script.addEventListener('load', () => resolve(globalThis as unknown as ChartLibrary));
    script.addEventListener('error', () => {
      script.remove();
      library = undefined;
      reject(new Error('The chart could not be drawn: /graphiql/chart.js could not be loaded.'));
    });
    document.head.append(script);
  });
  return library;
}

const drawn = new Map<HTMLCanvasElement, Chart>();

/** Draws a chart on a canvas, in the colours of the page, whose points open their rows. Rejects if the library cannot be loaded. */
export async function draw(
  canvas: HTMLCanvasElement,
  drawing: Drawing,
  spec: ChartSpec,
  openPoint: OpenPoint = () => null,
): Promise<void> {
  const { Chart } = await load();
  drawn.get(canvas)?.destroy();
  drawn.delete(canvas);
  if (!canvas.isConnected) return;
  const isDark = isDarkPage();
  const [ink, grid, base] = isDark ? ['#d5dae3', '#3f4a5f', '#212a3b'] : ['#3b4b68', '#dfe3ea', '#ffffff'];
  const colours = isDark ? dark : light;
  const { labels, series } = drawing;
  const type = drawing.type === 'line' || drawing.type === 'pie' ? drawing.type : 'bar';
  const datasets = series.map(({ name, values, isPrevious }, at) => {
    const colour = colours[at % colours.length] ?? ink;
    const colourOf = type === 'pie' ? labels.map((_, point) => colours[point % colours.length]) : colour;
    return {
      label: name,
      // Beside its present, not upon it.
      ...(type === 'bar' && { stack: isPrevious ? 'previous' : 'present' }),
      data: values,
      backgroundColor: isPrevious && type === 'bar' ? `${colour}80` : colourOf,
      borderColor: type === 'pie' ? base : colour,
      borderWidth: type === 'bar' ? 0 : 2,
      borderDash: isPrevious ? [5, 4] : [],
      borderRadius: type === 'bar' ? 3 : 0,
      maxBarThickness: 56,
      pointRadius: labels.length > 60 ? 0 : 3,
      pointHitRadius: 12,
    };
  });
  const heat =
    drawing.type === 'heatmap' ? heatMap(drawing, spec, { ink, base, strong: colours[0] ?? ink }) : undefined;
  const stacked = drawing.type === 'stacked';
  const ticks = { color: ink, font: { size: 12 } };
  const axis = {
    stacked,
    ticks: { ...ticks, maxRotation: 45, autoSkip: true },
    grid: { display: false },
    border: { color: grid },
  };
  const opening = ({ native }: Pointer, chart: Clickable) => {
    const [point] = native ? chart.getElementsAtEventForMode(native, 'nearest', { intersect: true }, true) : [];
    return point && !heat ? openPoint(point.datasetIndex, point.index) : null;
  };
  const chart = new Chart(canvas, {
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
            stacked,
            beginAtZero: true,
            ticks: {
              ...ticks,
              callback: (tick: number) => written(tick, drawing.value),
              precision: series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)))
                ? 0
                : undefined,
            },
            grid: { color: grid },
            border: { display: false },
            title: { display: spec.y !== null, text: spec.y, color: ink },
          },
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
            label: ({ dataset, label, raw }: Pointed) =>
              `${type === 'pie' ? label : dataset.label}: ${typeof raw === 'number' ? written(raw, drawing.value) : ''}`,
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
  });
  drawn.set(canvas, chart);
}

/** Destroys the charts within an element, by default all. */
export function clear(within: Node = document): void {
  for (const [canvas, chart] of drawn) {
    if (canvas.isConnected && !within.contains(canvas)) continue;
    chart.destroy();
    drawn.delete(canvas);
  }
}

/** Whether the page is dark: by GraphiQL's settings, otherwise by the system. Paper is light. */
export function isDarkPage(): boolean {
  const { classList } = document.body;
  if (matchMedia('print').matches) return false;
  if (classList.contains('graphiql-dark')) return true;
  return !classList.contains('graphiql-light') && matchMedia('(prefers-color-scheme: dark)').matches;
}

/** The image of a canvas. */
export const pictureOf = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The chart has no size.'))), 'image/png');
  });
