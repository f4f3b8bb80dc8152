import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../prisma/seed.ts';
import { issueToken } from '../../src/auth/issue.ts';
import { chromiumPath } from '../support/browser/browser.ts';
import { usePages } from '../support/browser/pages.ts';
import { violationsOf } from '../support/browser/widget-pages.ts';

type Bars = { data: { x: number; y: number; base: number }[] };
type ChartJs = { Chart: { getChart(of: unknown): { getDatasetMeta(at: number): Bars } | undefined } };

/** Clicks the middle of a bar, once it is drawn. */
async function clickBar(canvas: Locator, series: number, label: number): Promise<void> {
  const middle = () =>
    canvas.evaluate(
      (element, { series, label }) => {
        const { Chart } = globalThis as unknown as Partial<ChartJs>;
        const bar = Chart?.getChart(element)?.getDatasetMeta(series).data[label];
        return bar ? { x: bar.x, y: (bar.y + bar.base) / 2 } : null;
      },
      { series, label },
    );
  await expect.poll(middle).not.toBeNull();
  await canvas.click({ position: (await middle()) ?? { x: 0, y: 0 } });
}

describe.skipIf(!chromiumPath)('a click on a chart of a board (left out where no Chromium is)', () => {
  const pages = usePages({ DEMO: 'true' });
  const { gateway } = pages;
  let token: string;
  beforeAll(async () => {
    await seedDemo(gateway.services);
    token = await issueToken(gateway.services, { userId: 'owner@demo.example' });
  });

  /** Opens a board with one chart of a document. */
  async function openChart(name: string, document: string, chart: object): Promise<Page> {
    const save = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
    await gateway.data(token, save, { input: { name, document, chart } });
    const create = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';
    const tiles = [{ operation: name, title: 'Chart', chart }];
    await gateway.data(token, create, { input: { name, title: name, tiles } });
    return pages.open(`/dashboards/${name}`, token, { viewport: { width: 1_440, height: 900 } });
  }

  /** Runs the operation that GraphiQL has by then, looks for a text in its response, and returns to the board. */
  async function shows(page: Page, text: string): Promise<void> {
    const response = async () => (await page.locator('.graphiql-response').textContent())?.replaceAll(/\s/g, '');
    await page.waitForURL(/\/graphql/);
    await page.getByRole('button', { name: /execute query/i }).click();
    await expect.poll(response).toContain('"totalCount"');
    expect(await response()).toContain(text);
    await page.goBack();
    await page.locator('.tile canvas').waitFor();
  }

  test('leads from a count with a filter to the rows of its group that it counts', async () => {
    const document = `query { leads(first: 0) { groups(first: 20) {
      nodes { by { campaign: utm(key: "campaign") } withEmail: count(filter: { hasEmail: true }) count } } } }`;
    const chart = { type: 'bar', x: 'by.campaign', y: 'withEmail', y2: 'count' };
    const [{ by, withEmail, count }] = (await gateway.data(token, document)).leads.groups.nodes;
    expect(withEmail).toBeLessThan(count);
    const page = await openChart('mailed', document, chart);
    const textOf = (wanted: number) =>
      `"campaign":${JSON.stringify(by.campaign)}},"count":${wanted},"rows":{"totalCount":${wanted},`;
    await clickBar(page.locator('.tile canvas'), 0, 0);
    await shows(page, textOf(withEmail));
    await clickBar(page.locator('.tile canvas'), 1, 0);
    await shows(page, textOf(count));
    // By the keyboard, from the cell of the table.
    await page.getByRole('button', { name: 'Rows of Chart' }).press('Enter');
    expect(await violationsOf(page)).toEqual([]);
    const cell = `${withEmail}: show the rows of With email of `;
    await page.getByRole('row').nth(1).getByRole('button', { name: cell }).press('Enter');
    await shows(page, textOf(withEmail));
    await page.context().close();
  });

  test('leads from a cell of a heat map to its rows', async () => {
    const document = `query { conversations(first: 0) { groups(first: 100, orderBy: { field: by, direction: asc }) {
      totalCount nodes { by { day: dayOfWeek hour: hourOfDay } count } } } }`;
    const chart = { type: 'heatmap', x: 'by.hour', y: 'count', split: 'by.day' };
    const [{ by, count }] = (await gateway.data(token, document)).conversations.groups.nodes;
    const page = await openChart('heat', document, chart);
    const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
    await clickBar(page.locator('.tile canvas'), days.indexOf(by.day), by.hour);
    await shows(page, `"count":${count},"rows":{"totalCount":${count},`);
    await page.context().close();
  });
});
