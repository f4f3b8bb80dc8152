import { h } from '../dom.ts';
import { chartConfig, type OpenPoint } from './chart-config.ts';
import type { Drawing } from './series.ts';

type Chart = { destroy(): void };
type ChartLibrary = { Chart: new (canvas: HTMLCanvasElement, config: object) => Chart };

let library: Promise<ChartLibrary> | undefined;
/** Loads Chart.js, which sets a global, when the first chart is drawn; after a failure, when the next one is. */
function load(): Promise<ChartLibrary> {
  library ??= new Promise((resolve, reject) => {
    // Not `import()`: some browsers never fetch a module again that they could not load.
    const script = h('script', { src: new URL('../../chart.js', import.meta.url).href });
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

/**
 * Draws a chart on a canvas, in the colours of the page, whose points open their rows. Rejects if the library cannot be
 * loaded.
 */
export async function draw(canvas: HTMLCanvasElement, drawing: Drawing, openPoint?: OpenPoint): Promise<void> {
  const { Chart } = await load();
  drawn.get(canvas)?.destroy();
  drawn.delete(canvas);
  if (!canvas.isConnected) return;
  const chart = new Chart(canvas, chartConfig(drawing, { isDark: isDarkPage(), ...(openPoint && { openPoint }) }));
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
