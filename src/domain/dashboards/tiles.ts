import { z } from 'zod';
import { invalid } from '../../core/errors.ts';
import { grouped } from '../../core/validation.ts';
import { type AlertRule, alertInput, readAlert } from './alerts.ts';

/** Columns of the grid. */
const columns = 12;
const maxRows = 200;
const maxTiles = 24;
const maxLength = 100_000;

/** How panels and pages draw a table, by the paths of its columns. */
const chart = z.object({
  type: z.enum(['line', 'bar', 'stacked', 'pie', 'heatmap', 'number', 'table']),
  data: z.string().max(200).nullish(),
  x: z.string().max(200).nullish(),
  y: z.string().max(200).nullish(),
  y2: z.string().max(200).nullish(),
  split: z.string().max(200).nullish(),
});
const text = (max: number) => z.string().max(max).nullish();
const whole = (least: number, most: number) => z.int().min(least).max(most);
const tile = z.object({
  operation: z.string().max(200).nullish(),
  title: text(200),
  text: text(2_000),
  variables: z
    .record(z.string(), z.unknown())
    .refine((value) => JSON.stringify(value).length <= 2_000, 'must have at most 2,000 characters as JSON')
    .nullish(),
  chart: chart.nullish(),
  alert: alertInput.nullish(),
  x: whole(0, columns - 1).nullish(),
  y: whole(0, maxRows - 1).nullish(),
  width: whole(1, columns).nullish(),
  height: whole(1, 24).nullish(),
});

export const tilesInput = z.array(tile).max(maxTiles);
export type TilesInput = z.input<typeof tilesInput>;

/** The columns and rows of the grid that a tile takes. */
export type Area = { x: number; y: number; width: number; height: number };
export type Chart = { type: z.output<typeof chart>['type'] } & Record<
  'data' | 'x' | 'y' | 'y2' | 'split',
  string | null
>;
/**
 * A tile as it is kept. `operation`: the name of a saved operation, which may no longer exist; null for a text alone.
 */
export type Tile = Area & {
  operation: string | null;
  title: string;
  text: string;
  variables: Record<string, unknown>;
  chart: Chart | null;
  alert: AlertRule | null;
};

/** Checks tiles, and positions those that have no area. Throws 400. */
export function readTiles(given: z.output<typeof tilesInput>): Tile[] {
  const tiles: Tile[] = [];
  const issues: string[] = [];
  for (const [at, one] of given.entries()) {
    const { title, text, variables, chart = null, x, y, width, height } = one;
    const operation = one.operation || null;
    if (!operation && !text?.trim()) issues.push(`tiles.${at}: must have an operation, a text or both`);
    if ((x == null) !== (y == null)) issues.push(`tiles.${at}: must have both x and y, or neither`);
    const size = { width: width ?? columns / 2, height: height ?? 4 };
    const area = x == null || y == null ? nextArea(tiles, size) : { x, y, ...size };
    if (area.x + area.width > columns) issues.push(`tiles.${at}: x and width exceed the ${columns} columns`);
    const other = tiles.findIndex((before) => overlap(before, area));
    if (other >= 0) issues.push(`tiles.${at}: overlaps tiles.${other}`);
    tiles.push({
      operation,
      title: title ?? '',
      text: text ?? '',
      variables: variables ?? {},
      chart: chart && { type: chart.type, ...paths(chart) },
      alert: one.alert ? readAlert(one.alert, at, operation !== null) : null,
      ...area,
    });
  }
  if (JSON.stringify(tiles).length > maxLength)
    issues.push(`tiles: must have at most ${grouped(maxLength)} characters as JSON`);
  if (issues.length > 0) throw invalid(issues);
  return tiles;
}

const paths = ({ data = null, x = null, y = null, y2 = null, split = null }: z.output<typeof chart>) => ({
  data,
  x,
  y,
  y2,
  split,
});

/** Beside the tile before, if there is room, otherwise below all. */
function nextArea(tiles: Tile[], size: Pick<Area, 'width' | 'height'>): Area {
  const last = tiles.at(-1);
  const beside = last && { x: last.x + last.width, y: last.y, ...size };
  if (beside && beside.x + beside.width <= columns && !tiles.some((one) => overlap(one, beside))) return beside;
  return { x: 0, y: Math.max(0, ...tiles.map(({ y, height }) => y + height)), ...size };
}

const overlap = (a: Area, b: Area): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
