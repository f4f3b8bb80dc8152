import { type DocumentNode, parse, print, visit } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueToken } from '../../src/auth/issue.ts';
import { readOperations } from '../../src/cli/shared/operation-files.ts';
import { drawingOf } from '../../src/http/pages/panels/charts/series.ts';
import { bestTable, type ChosenChart, defaultSpec, shownTable } from '../../src/http/pages/panels/charts/spec.ts';
import { noList, type ResultValue, tablesOf } from '../../src/http/pages/panels/charts/table.ts';
import type { Gateway } from '../support/gateway/app.ts';
import { openDemo } from '../support/gateway/demo.ts';
import { textOf } from '../support/repository/documents.ts';

type Tile = {
  variables: Record<string, unknown>;
  chart: ChosenChart;
  broken: string | null;
  operation: { name: string; values: ResultValue[] };
};

const [, part = ''] = /^## Fifteen questions\n(.*?)^## /ms.exec(textOf('docs/dashboards.md')) ?? [];
const questions = part
  .split(/^### /m)
  .slice(1)
  .filter((section) => section.includes('```graphql'))
  .map((section) => {
    const blockOf = (language: string) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(section)?.[1] ?? '';
    return {
      question: section.split('\n', 1)[0] ?? '',
      document: blockOf('graphql'),
      tile: blockOf('text'),
      warnings: section.match(/^- /gm)?.length ?? 0,
    };
  });
const nameIn = (tile: string) => /operation: "([\w-]+)"/.exec(tile)?.[1] ?? '';
const saved = new Map(readOperations('examples/operations').map(({ name, document }) => [name, document]));

/** Operations without the descriptions of their variables, which the page leaves out. */
const withoutDescriptions = (document: DocumentNode): string =>
  print(visit(document, { VariableDefinition: (node) => ({ ...node, description: undefined }) }));

let gateway: Gateway;
let bearer: string;
let tiles: Tile[];
beforeAll(async () => {
  gateway = await openDemo();
  bearer = await issueToken(gateway.services, { userId: 'owner@demo.example' });
  const { createDashboard } = await gateway.data(
    bearer,
    `mutation {
      createDashboard(input: {
        name: "cookbook", title: "Fifteen questions", last: "12w", timeZone: "Europe/Lisbon"
        tiles: [${questions.map(({ tile }) => tile).join('\n')}]
      }) { dashboard { tiles {
        variables broken chart { type data x y split } operation { name values { path kind additive unit } }
      } } }
    }`,
  );
  tiles = createDashboard.dashboard.tiles;
});
afterAll(() => gateway?.close());

test('there are fifteen questions, each with another operation, a chart and what to beware of', () => {
  expect(questions).toHaveLength(15);
  expect(new Set(questions.map(({ tile }) => nameIn(tile))).size).toBe(15);
  expect(questions.filter(({ tile, warnings }) => !tile.includes('chart:') || warnings < 2)).toEqual([]);
});

describe.each(questions.map((asked, place) => ({ ...asked, place })))('$question', ({ document, tile, place }) => {
  test('is answered by the saved operation that the page shows', () => {
    expect(withoutDescriptions(parse(document))).toBe(withoutDescriptions(parse(saved.get(nameIn(tile)) ?? '{ _ }')));
  });

  test('is answered from the demo, and drawn as the page says', async () => {
    const { operation, chart, variables, broken } = tiles[place] as Tile;
    expect([operation.name, broken]).toEqual([nameIn(tile), null]);
    const page = { last: '12w', timeZone: 'Europe/Lisbon' };
    const declared = Object.entries(page).filter(([name]) => document.includes(`$${name}:`));
    const data = await gateway.data(bearer, document, { ...Object.fromEntries(declared), ...variables });
    const table = shownTable(tablesOf(data, operation.values), chart);
    // A list, not the number of its rows.
    if (chart.type === 'table') expect(table?.path).not.toBe(noList);
    expect(table?.rows.length).toBeGreaterThan(0);
    const columns = table?.columns.map(({ name }) => name) ?? [];
    expect([chart.x, chart.y, chart.split].filter((name) => name !== null && !columns.includes(name))).toEqual([]);
    if (!table || chart.type === 'table' || chart.type === 'number') return;
    const { type, series } = drawingOf(table, chart);
    expect([type, series.flatMap(({ values }) => values).some((value) => Number(value) > 0)]).toEqual([
      chart.type,
      true,
    ]);
  });
});

test('what the page says does not add up is not added up by a chart', () => {
  const notAdded = tiles.flatMap(({ operation }) =>
    operation.values.filter(({ additive, kind }) => !additive && kind !== 'key').map(({ path }) => path),
  );
  expect(notAdded).toEqual(
    expect.arrayContaining(['conversations.groups.nodes.distinct.visitors', 'messages.groups.nodes.p95.replyTime']),
  );
});

const [, shapes = ''] = /^## Histograms\n(.*?)^## A key/ms.exec(textOf('docs/dashboards.md')) ?? [];
test.each([
  ['bar', 'a histogram'],
  ['heatmap', 'weekdays and hours'],
  ['line', 'a running total'],
])('the page draws a %s of %s of the demo', async (type) => {
  const documents = [...shapes.matchAll(/^```graphql\n(.*?)^```/gms)].map(([, document = '']) => document);
  const drawn = await Promise.all(
    documents.map(async (query) => {
      const data = await gateway.data(bearer, query);
      const asked = 'query ($of: OperationInput!) { resultValues(operation: $of) { path kind additive unit } }';
      const { resultValues } = await gateway.data(bearer, asked, { of: { query } });
      const table = bestTable(tablesOf(data, resultValues));
      return table && { spec: defaultSpec(table), ...drawingOf(table, defaultSpec(table)) };
    }),
  );
  const found = drawn.find((one) => one?.type === type);
  expect(found?.series.flatMap(({ values }) => values).some((value) => Number(value) > 0)).toBe(true);
});

test('a heat map is a tile of a board as the page says', async () => {
  const [, section = ''] = /^## Weekdays and hours\n(.*?)^## /ms.exec(textOf('docs/dashboards.md')) ?? [];
  const [, document] = /^```graphql\n(.*?)^```/ms.exec(section) ?? [];
  const [, chart = ''] = /`chart: (\{ type: heatmap.*?\})`/.exec(section) ?? [];
  const create = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
  await gateway.data(bearer, create, { input: { name: 'by-day-and-hour', document } });
  const { createDashboard } = await gateway.data(
    bearer,
    `mutation { createDashboard(input: { name: "hours", title: "Hours", tiles: [{ operation: "by-day-and-hour", chart: ${chart} }] }) {
      dashboard { tiles { broken chart { type data x y split } operation { values { path kind additive unit } } } } } }`,
  );
  const [tile] = createDashboard.dashboard.tiles;
  expect(tile.broken).toBeNull();
  const tables = tablesOf(await gateway.data(bearer, document ?? ''), tile.operation.values);
  const table = tables.find(({ path }) => path === tile.chart.data);
  expect(table && drawingOf(table, tile.chart)).toMatchObject({ type: 'heatmap', leftOut: [] });
  expect(table && { data: table.path, ...defaultSpec(table) }).toEqual(tile.chart);
});
