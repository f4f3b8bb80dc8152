import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { execute, type GraphiQL, linkTo, openGraphiQL } from '../support/browser/graphiql.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const byCampaign = '{ leads(first: 0) { groups { nodes { by { campaign: utm(key: "campaign") } count } } } }';

describe.skipIf(!chromiumPath)('beside GraphiQL (left out where no Chromium is; CHROMIUM may name one)', () => {
  let graphiql: GraphiQL;
  let bearer: string;
  beforeAll(async () => {
    const { owner } = await makeWorkspace(gateway);
    bearer = await gateway.bearer(owner);
    const create = 'mutation ($input: CreateLeadInput!) { createLead(input: $input) { lead { id } } }';
    for (const campaign of ['Acme', 'Outra']) {
      await gateway.data(owner, create, { input: { name: campaign, utm: { campaign } } });
    }
    graphiql = await openGraphiQL(gateway);
  });
  afterAll(() => graphiql?.close());
  const panel = (page: Page) => page.getByRole('complementary');

  test('the library of the charts is fetched again after a failure', async () => {
    const { page } = await graphiql.visit(bearer, {}, linkTo(byCampaign));
    await page.route('**/graphiql/chart.js', (route) => route.abort());
    await page.getByRole('button', { name: 'Chart', exact: true }).click();
    await execute(page);
    await panel(page).getByText('The chart could not be drawn').waitFor();
    await page.unroute('**/graphiql/chart.js');
    await panel(page).getByRole('button', { name: 'Try again' }).click();
    const isDrawn = () =>
      panel(page)
        .getByRole('img', { name: /^A bar chart/ })
        .evaluate((canvas: HTMLCanvasElement) => {
          const { width, height } = canvas;
          return canvas.getContext('2d')?.getImageData(0, 0, width, height).data.some(Boolean);
        });
    await expect.poll(isDrawn).toBe(true);
    expect(await panel(page).getByText('The chart could not be drawn').count()).toBe(0);
  });
});
