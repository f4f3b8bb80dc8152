import type { AlertRule } from '../../../domain/dashboards/alerts.ts';
import type { Area } from '../../../domain/dashboards/tiles.ts';
import type { ChosenChart } from './charts/spec.ts';

/** What is saved of a tile. */
export type SavedTile = Area & {
  operationName: string | null;
  title: string;
  text: string;
  variables: Record<string, unknown>;
  chart: ChosenChart | null;
  alert: AlertRule | null;
};

const ruleFields = 'column rows above below noData forMinutes';
/** All that is saved of a tile, since a board is saved with all its tiles. `ofAlert` are more fields of its alert. */
export const tileFields = (ofAlert = ''): string =>
  `operationName title text variables x y width height chart { type data x y y2 split } alert { ${ruleFields} ${ofAlert} }`;

/** A tile as it is saved again. */
export function tileInput({ operationName, title, text, variables, chart, alert, x, y, width, height }: SavedTile) {
  return {
    operation: operationName,
    title,
    text,
    variables,
    chart,
    alert: alert && ruleOf(alert),
    x,
    y,
    width,
    height,
  };
}

const ruleOf = ({ column, rows, above, below, noData, forMinutes }: AlertRule): AlertRule => ({
  column,
  rows,
  above,
  below,
  noData,
  forMinutes,
});
