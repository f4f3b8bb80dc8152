import { createHash } from 'node:crypto';
import type { GraphQLSchema } from 'graphql';
import { tagged } from '../graphql/saved/etag.ts';
import { readKnown } from '../graphql/saved/known.ts';
import { chartConfig, groundOf } from '../http/pages/panels/charts/chart-config.ts';
import { numbersIn } from '../http/pages/panels/charts/numbers.ts';
import { drawingOf } from '../http/pages/panels/charts/series.ts';
import {
  type ChartSpec,
  type ChosenChart,
  chartIn,
  chosenSpec,
  chosenTable,
  defaultSpec,
} from '../http/pages/panels/charts/spec.ts';
import { summaryOf } from '../http/pages/panels/charts/summary.ts';
import { type Table, tablesOf } from '../http/pages/panels/charts/table.ts';
import { timeZoneIn } from '../http/pages/panels/charts/time-labels.ts';
import { asJson, formats, maxTable } from './formats.ts';
import type { Saved } from './operation.ts';
import { escaped, SvgCanvas, textWidth } from './svg-canvas.ts';

type Asked = { schema: GraphQLSchema; saved: Saved; variables: Record<string, unknown>; isDark: boolean };

/** Size of the chart in pixels; the notes on what it leaves out are below. */
const [width, height] = [960, 480];
const lineHeight = 20;
/** For how long a picture of a result stays the same, in milliseconds: what has begun of it is drawn. */
const stepMs = 15 * 60_000;

/** A result as the picture of its chart, as a page draws it. Errors stay one body of JSON. */
export async function asPicture(request: Request, response: Response, asked: Asked): Promise<Response> {
  const { schema, saved, variables, isDark } = asked;
  const text = await response.clone().text();
  const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: [] };
  if (errors) return asJson(response);
  const { document, description, name } = saved;
  const content = [text, document, saved.variables, variables, saved.chart, description, name, isDark];
  const of = { content: JSON.stringify([...content, Math.floor(Date.now() / stepMs)]), maxAge: saved.maxAge };
  return tagged(request, of, async () => {
    const chart = chartIn(saved.chart);
    const { values } = await readKnown(schema, document);
    const tables = tablesOf(data, values, maxTable);
    const table = chosenTable(tables, chart);
    const title = description.split('\n', 1)[0] || name;
    const timeZone = timeZoneIn(document, { ...(saved.variables as object), ...variables }, table?.path ?? '');
    const svg = table?.rows.length
      ? await pictureOf(title, table, drawnSpec(table, chart), { timeZone, isDark })
      : noteOf(title, 'There are no rows.', isDark);
    return new Response(svg, { headers: { 'content-type': `${formats.svg}; charset=utf-8` } });
  });
}

/** Draws a table: its chart, and below what that leaves out. */
export async function pictureOf(
  title: string,
  table: Table,
  spec: ChartSpec,
  { timeZone = 'UTC', isDark = false }: { timeZone?: string; isDark?: boolean } = {},
): Promise<string> {
  if (spec.type === 'table') return noteOf(title, 'The result has no numbers to draw.', isDark);
  if (spec.type === 'number') return numbersOf(title, table, spec, isDark);
  const { Chart } = await import('chart.js/auto');
  const drawing = drawingOf(table, spec, timeZone);
  const config = chartConfig(drawing, { isDark });
  const id = `c${createHash('sha256')
    .update(JSON.stringify([spec, drawing.labels, drawing.series]))
    .digest('hex')
    .slice(0, 12)}`;
  const canvas = new SvgCanvas(width, height, id);
  const options = { ...config.options, layout: { padding: 12 }, responsive: false, devicePixelRatio: 1, events: [] };
  const notes = drawing.leftOut.flatMap((note) => wrapped(`· ${note}`));
  let content: string;
  try {
    void new Chart(canvas as never, { ...config, options } as never);
    content = `${canvas.content}${lines(notes, height)}`;
  } finally {
    Chart.getChart(canvas as never)?.destroy();
  }
  const bottom = notes.length > 0 ? (notes.length + 1) * lineHeight : 0;
  const summary = `${title.replace(/\.$/, '')}. ${summaryOf(drawing)}`;
  return svgOf(title, summary, content, { full: height + bottom, isDark });
}

function numbersOf(title: string, table: Table, spec: ChartSpec, isDark: boolean): string {
  const [columns, row] = [4, 80];
  const numbers = numbersIn(table, spec).map(([name, text], index) => {
    const [x, y] = [20 + (index % columns) * 230, 30 + Math.floor(index / columns) * row];
    return `<text x="${x}" y="${y}" font-size="14">${escaped(name)}</text><text x="${x}" y="${y + 34}" font-size="32">${escaped(text)}</text>`;
  });
  const summary = numbersIn(table, spec).map(([name, text]) => `${name}: ${text}`);
  const bottom = row * Math.ceil(numbers.length / columns) + 10;
  const notes = table.leftOut.flatMap((note) => wrapped(`· ${note}`));
  const below = notes.length > 0 ? (notes.length + 1) * lineHeight : 0;
  const content = `${numbers.join('')}${lines(notes, bottom)}`;
  return svgOf(title, `${title}. ${summary.join(', ')}`, content, { full: bottom + below, isDark });
}

/** A picture has no table of rows: what suits the columns is drawn instead. */
function drawnSpec(table: Table, chart: ChosenChart | null): ChartSpec {
  const spec = chosenSpec(table, chart);
  return spec.type === 'table' ? defaultSpec(table) : spec;
}

const noteOf = (title: string, note: string, isDark: boolean): string =>
  svgOf(title, `${title}. ${note}`, lines([note], 0), { full: 3 * lineHeight, isDark });

type Ground = { full: number; isDark: boolean };

function svgOf(title: string, summary: string, content: string, { full, isDark }: Ground): string {
  const [ink, , base] = groundOf(isDark);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${full}" viewBox="0 0 ${width} ${full}" font-family="Helvetica, Arial, sans-serif" role="img" aria-label="${escaped(summary)}"><title>${escaped(title)}</title><rect width="${width}" height="${full}" fill="${base}"/><g fill="${ink}">${content}</g></svg>`;
}

const lines = (texts: string[], top: number): string =>
  texts
    .map((text, index) => {
      const y = top + (index + 1.25) * lineHeight;
      return `<text x="20" y="${y}" font-size="13">${escaped(text)}</text>`;
    })
    .join('');

/** Breaks a text into lines that fit. */
function wrapped(text: string): string[] {
  const found: string[] = [];
  for (const word of text.split(' ')) {
    const last = found.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, 13) < width - 40)
      found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  return found;
}
