import type { GraphQLResolveInfo } from 'graphql';
import {
  alertOfTile,
  createDashboard,
  dashboardList,
  deleteDashboard,
  operationOfTile,
  updateDashboard,
  type WhyBroken,
} from '../../src/domain/dashboards/dashboards.ts';
import type { Page } from '../../src/domain/dashboards/page.ts';
import type { Chart, Tile } from '../../src/domain/dashboards/tiles.ts';
import { complexity } from '../../src/graphql/price/index.ts';
import { whyTileBroken } from '../../src/graphql/saved/tiles.ts';
import { builder } from '../builder.ts';
import { SavedOperation } from '../operations/operations.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';
import { auditFields } from '../workspace/actors.ts';

const maxTiles = 24;

const ChartType = builder.enumType('DashboardChartType', {
  description: 'How a tile draws a table.',
  values: {
    line: { description: 'A line for each series.' },
    bar: { description: 'Bars side by side.' },
    stacked: { description: 'Bars upon each other.' },
    pie: { description: 'Slices of a whole.' },
    heatmap: { description: 'A colour for each pair of values of `x` and `split`, such as hours and weekdays.' },
    number: { description: 'Numbers: those of a single row, or the sum of a column.' },
    table: { description: 'The rows.' },
  } as const,
});

const chartTexts = {
  data: 'The list to draw, by its path in the result, such as `leads.groups`. Defaults to the one with the most to draw.',
  x: 'The column of the axis or of the slices, such as `by.week.from`.',
  y: 'The column of the values, such as `count`.',
  y2: 'The column of a second measure of a line or of bars, where no `split` makes series: on an axis of its own if its unit is another.',
  split: 'The column that makes the series.',
};
const DashboardChart = builder.objectRef<Chart>('DashboardChart').implement({
  description: 'How a tile draws the result of its operation. Columns are named by their paths within a row.',
  fields: (t) => ({
    type: t.expose('type', { type: ChartType, description: 'The kind of chart.' }),
    data: t.exposeString('data', { nullable: true, description: chartTexts.data }),
    x: t.exposeString('x', { nullable: true, description: chartTexts.x }),
    y: t.exposeString('y', { nullable: true, description: chartTexts.y }),
    y2: t.exposeString('y2', { nullable: true, description: chartTexts.y2 }),
    split: t.exposeString('split', { nullable: true, description: chartTexts.split }),
  }),
});

const alertTexts = {
  column: 'The column of the number, such as `count`. `null` for that of the chart, or the first.',
  rows: 'Which rows of the result are compared.',
  above: 'It holds for a number above this.',
  below: 'It holds for a number below this.',
  noData: 'Whether it holds if there is no number.',
  forMinutes: 'For how many minutes it must hold before `alert_started` is sent.',
};
const AlertRows = builder.enumType('DashboardAlertRows', {
  description: 'Which rows of a result a condition checks.',
  values: { any: { description: 'All: one is enough.' }, last: { description: 'The last.' } } as const,
});
const AlertState = builder.enumType('DashboardAlertState', {
  description: 'The state of a condition.',
  values: {
    quiet: { description: 'It does not hold.' },
    pending: { description: 'It holds, but not yet for as long as it must.' },
    started: { description: '`alert_started` was sent, and `alert_ended` will be.' },
  } as const,
});
type ShownAlert = NonNullable<Awaited<ReturnType<typeof alertOfTile>>>;
const DashboardAlert = builder.objectRef<ShownAlert>('DashboardAlert').implement({
  description: 'A condition of a tile, which notifies webhooks. It is checked every minute.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'ID of the alert, which a tile keeps when it is moved.' }),
    column: t.exposeString('column', { nullable: true, description: alertTexts.column }),
    rows: t.expose('rows', { type: AlertRows, description: alertTexts.rows }),
    above: t.exposeFloat('above', { nullable: true, description: alertTexts.above }),
    below: t.exposeFloat('below', { nullable: true, description: alertTexts.below }),
    noData: t.exposeBoolean('noData', { description: alertTexts.noData }),
    forMinutes: t.exposeInt('forMinutes', { description: alertTexts.forMinutes }),
    state: t.expose('state', { type: AlertState, description: 'Its state.' }),
    since: t.expose('since', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when it holds. `null` if it does not.',
    }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last checked. `null` if it was not yet.',
    }),
    pausedReason: t.exposeString('pausedReason', {
      nullable: true,
      description: 'Why it is no longer checked, until it is saved with `resume`. `null` if it is checked.',
    }),
    waitingReason: t.exposeString('waitingReason', {
      nullable: true,
      description: 'Why the last check failed, which is retried. `null` if it did not fail.',
    }),
    runsAs: t.exposeID('runsAs', {
      description: 'ID of the member or key with whose rights it asks: who set it, or resumed it when it was paused.',
    }),
  }),
});

const DashboardTile = builder.objectRef<Tile & { page: Page; dashboardId: string }>('DashboardTile').implement({
  description: 'A tile of a dashboard: the result of a saved operation, a text, or both.',
  fields: (t) => ({
    operationName: t.exposeString('operation', {
      nullable: true,
      description: 'The name of the saved operation, which may no longer exist. `null` for a text alone.',
    }),
    operation: t.field({
      type: SavedOperation,
      nullable: true,
      description: 'The saved operation; `null` if the tile has none, or if it was deleted.',
      resolve: (tile, _args, context) => operationOfTile(context, tile),
    }),
    broken: t.string({
      nullable: true,
      description: 'Why the tile cannot be drawn: its operation was deleted, or no longer fits. `null` if it can.',
      resolve: async ({ page, ...tile }, _args, context, { schema }) =>
        tile.operation && whyTileBroken(schema, tile, await operationOfTile(context, tile), page),
    }),
    title: t.exposeString('title', { description: 'The heading. If empty, the description of the operation.' }),
    text: t.exposeString('text', { description: 'A text above the chart. May be empty.' }),
    variables: t.expose('variables', {
      type: 'JSONObject',
      description: 'Values for variables of the operation. They take precedence over those of the page.',
    }),
    chart: t.expose('chart', {
      type: DashboardChart,
      nullable: true,
      description: 'How the result is drawn; `null` for what suits its columns.',
    }),
    alert: t.field({
      type: DashboardAlert,
      nullable: true,
      description: 'Its condition; `null` if it has none.',
      resolve: ({ page: _, ...tile }, _args, context) => alertOfTile(context, tile),
    }),
    x: t.exposeInt('x', { description: 'The first of the 12 columns of the grid that it takes, from 0.' }),
    y: t.exposeInt('y', { description: 'The first row of the grid that it takes, from 0.' }),
    width: t.exposeInt('width', { description: 'How many columns it takes.' }),
    height: t.exposeInt('height', { description: 'How many rows it takes.' }),
  }),
});

const texts = {
  title: 'The heading of the page.',
  last: 'The time range of the page, up to now, such as `12w`: the variable `$last` of the operations that declare one.',
  timeZone: 'The IANA time zone of the page: the variable `$timeZone` of the operations that declare one.',
};
const Dashboard = builder.prismaNode('Dashboard', {
  description: 'A page of tiles, each of which draws a saved operation of the workspace.',
  id: { resolve: ({ id }) => id, description: 'ID of the dashboard.' },
  nullable: true,
  findUnique: rowById('Dashboard'),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name in its address. Unique in the workspace.' }),
    title: t.exposeString('title', { description: texts.title }),
    description: t.exposeString('description', { description: 'What it is for. May be empty.' }),
    last: t.exposeString('last', { nullable: true, description: texts.last }),
    timeZone: t.exposeString('timeZone', { nullable: true, description: texts.timeZone }),
    tiles: t.field({
      type: [DashboardTile],
      description: `The tiles in reading order, at most ${maxTiles}.`,
      extensions: complexity({ multiplier: maxTiles }),
      select: { id: true, tiles: true, last: true, timeZone: true },
      resolve: ({ id, tiles, last, timeZone }) =>
        (tiles as unknown as Tile[]).map((tile) => ({ ...tile, dashboardId: id, page: { last, timeZone } })),
    }),
    ...auditFields(t),
  }),
});

const DashboardList = defineList(Dashboard, 'Dashboard', dashboardList, {
  orders: {
    createdAt: 'When it was created.',
    name: 'The name.',
    title: 'The title.',
    updatedAt: 'When it was last updated.',
  },
  filter: {
    names: { type: 'String', description: 'Dashboards with one of these names.' },
    ids: { type: 'ID', description: 'Dashboards with one of these IDs.' },
    createdAt: { description: 'Dashboards created in this time range.' },
    updatedAt: { description: 'Dashboards last updated in this time range.' },
  },
});

builder.queryFields((t) => ({
  dashboards: rootConnection(t, DashboardList, 'The dashboards of the workspace, newest first.'),
  dashboard: rootRow(t, DashboardList, 'Returns a dashboard by ID.'),
}));

const ChartInput = builder.inputType('DashboardChartInput', {
  description: 'How a tile draws the result of its operation. What is omitted suits the columns of the result.',
  fields: (t) => ({
    type: t.field({ type: ChartType, required: true, description: 'The kind of chart.' }),
    data: t.string({ description: chartTexts.data }),
    x: t.string({ description: chartTexts.x }),
    y: t.string({ description: chartTexts.y }),
    y2: t.string({ description: chartTexts.y2 }),
    split: t.string({ description: chartTexts.split }),
  }),
});
const AlertInput = builder.inputType('DashboardAlertInput', {
  description: 'A condition of a tile: at least one of `above`, `below` and `noData`.',
  fields: (t) => ({
    column: t.string({ description: alertTexts.column }),
    rows: t.field({ type: AlertRows, description: `${alertTexts.rows} Defaults to \`any\`.` }),
    above: t.float({ description: alertTexts.above }),
    below: t.float({ description: alertTexts.below }),
    noData: t.boolean({ description: alertTexts.noData }),
    forMinutes: t.int({ description: `${alertTexts.forMinutes} Defaults to 0, at most a week.` }),
    resume: t.boolean({
      description:
        'Whether one that is paused is checked again: with your rights, and for the query and the page as they are now. An update alone reads it.',
    }),
  }),
});
const TileInput = builder.inputType('DashboardTileInput', {
  description: 'A tile: a saved query, a text, or both. Without `x` and `y` it follows the tile before.',
  fields: (t) => ({
    operation: t.string({ description: 'The name or the ID of a saved query.' }),
    title: t.string({ description: 'The heading. Defaults to the description of the operation.' }),
    text: t.string({ description: 'A text above the chart, or on its own.' }),
    variables: t.field({ type: 'JSONObject', description: 'Values for variables of the operation.' }),
    chart: t.field({ type: ChartInput, description: 'How the result is drawn. Defaults to what suits its columns.' }),
    alert: t.field({ type: AlertInput, description: 'A condition that notifies webhooks.' }),
    x: t.int({ description: 'The first of the 12 columns of the grid that it takes, from 0.' }),
    y: t.int({ description: 'The first row of the grid that it takes, from 0.' }),
    width: t.int({ description: 'How many of the 12 columns it takes. Defaults to 6.' }),
    height: t.int({ description: 'How many rows it takes, at most 24. Defaults to 4.' }),
  }),
});

const nameText = 'The name in its address';
const payload = { field: 'dashboard', type: Dashboard, description: 'The created or updated dashboard.' };
const more = (t: InputBuilder) => ({
  description: t.string({ description: 'What it is for.' }),
  last: t.string({ description: texts.last }),
  timeZone: t.string({ description: texts.timeZone }),
  tiles: t.field({
    type: [TileInput],
    description: `The tiles in reading order, at most ${maxTiles}: they replace those that there are.`,
  }),
});
const brokenBy =
  ({ schema }: GraphQLResolveInfo): WhyBroken =>
  (tile, operation, page) =>
    whyTileBroken(schema, tile, operation, page);

rowMutation('createDashboard', {
  description: 'Creates a dashboard of saved operations. One with a tile that cannot be drawn is not saved.',
  payload,
  input: (t) => ({
    name: t.string({
      required: true,
      description: `${nameText}: a letter, then a-z, 0-9 and \`-\`.`,
    }),
    title: t.string({ required: true, description: texts.title }),
    ...more(t),
  }),
  permission: 'operations.write',
  resolve: (context, input, info) => createDashboard(context, input, brokenBy(info)),
});

rowMutation('updateDashboard', {
  updates: { model: 'Dashboard' },
  description: 'Updates a dashboard. Omitted fields are unchanged; given tiles replace all.',
  payload,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the dashboard.' }),
    name: t.string({
      description: `${nameText}. At /dashboards and /run/boards, the former one leads to it too, as long as no other dashboard has it.`,
    }),
    title: t.string({ description: texts.title }),
    ...more(t),
  }),
  permission: 'operations.write',
  resolve: (context, input, info) => updateDashboard(context, input, brokenBy(info)),
});

deleteMutation('deleteDashboard', {
  description: 'Deletes a dashboard. The operations that it draws stay.',
  what: 'dashboard',
  write: deleteDashboard,
});
