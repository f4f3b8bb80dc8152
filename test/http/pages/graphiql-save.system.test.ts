import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Viewer } from '../../../src/core/viewer.ts';
import { newId } from '../../../src/database/ids.ts';
import { chromiumPath } from '../../support/browser/browser.ts';
import { execute, type GraphiQL, linkTo, openGraphiQL, violations } from '../../support/browser/graphiql.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { makeWorkspace } from '../../support/gateway/factories.ts';

const gateway = useGateway();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const byCampaign = `query LeadsByCampaign($first: Int) {
  leads(first: 0) { groups(first: $first) { nodes { by { campaign: utm(key: "campaign") } count } } }
}`;
const boards = `{ dashboards(orderBy: { field: name, direction: asc }) { nodes {
  name title tiles { operationName title chart { type data x y split } }
} } }`;

describe.skipIf(!chromiumPath)('Save in GraphiQL (left out where no Chromium is; CHROMIUM may name one)', () => {
  let graphiql: GraphiQL;
  let owner: Viewer;
  let bearer: string;
  beforeAll(async () => {
    const opening = openGraphiQL(gateway);
    ({ owner } = await makeWorkspace(gateway));
    bearer = await gateway.bearer(owner);
    const create = 'mutation ($input: CreateLeadInput!) { createLead(input: $input) { lead { id } } }';
    for (const campaign of ['spring', 'summer']) {
      await gateway.data(owner, create, { input: { name: 'Ana', utm: { campaign } } });
    }
    graphiql = await opening;
  });
  afterAll(() => graphiql?.close());

  const open = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const panel = (page: Page) => page.getByRole('complementary');
  const save = (page: Page, button = 'Save') => panel(page).getByRole('button', { name: button, exact: true }).click();

  test('keeps the operation and its chart, on a new board, then again on the same', async () => {
    const { page, wrong } = await graphiql.visit(bearer, {}, linkTo(byCampaign, { first: 10 }));
    await execute(page);
    await open(page, 'Chart');
    await panel(page).getByRole('button', { name: 'pie' }).click();
    await open(page, 'Save');
    await expect.poll(() => panel(page).getByLabel('Name', { exact: true }).inputValue()).toBe('leads-by-campaign');
    expect(await panel(page).getByLabel('Title', { exact: true }).inputValue()).toBe('Leads by campaign');
    expect(await violations(page, axe)).toEqual([]);
    await panel(page).getByLabel('Board', { exact: true }).selectOption('A new board');
    await panel(page).getByLabel('Title of the board').fill('Ana’s numbers');
    await save(page);
    await panel(page).getByRole('link', { name: 'Ana’s numbers' }).waitFor();
    expect(await gateway.data(owner, boards)).toEqual({
      dashboards: {
        nodes: [
          {
            name: 'ana-s-numbers',
            title: 'Ana’s numbers',
            tiles: [
              {
                operationName: 'leads-by-campaign',
                title: 'Leads by campaign',
                chart: { type: 'pie', data: 'leads.groups', x: 'by.campaign', y: 'count', split: null },
              },
            ],
          },
        ],
      },
    });

    await panel(page).getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await panel(page).getByText('An operation is saved as leads-by-campaign already.').waitFor();
    // Whoever goes by the keyboard stands where they were.
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Replace it');
    await save(page, 'Replace it');
    await panel(page).getByRole('link', { name: 'Ana’s numbers' }).waitFor();
    await panel(page).getByLabel('Name', { exact: true }).fill('campaigns');
    await save(page);
    await panel(page).getByText('/run/campaigns').waitFor();
    const { dashboards } = await gateway.data(owner, boards);
    expect(dashboards.nodes[0].tiles.map(({ operationName }: { operationName: string }) => operationName)).toEqual([
      'leads-by-campaign',
      'campaigns',
    ]);
    await panel(page).getByRole('link', { name: 'Ana’s numbers' }).click();
    await page.getByRole('heading', { name: 'Ana’s numbers' }).waitFor();
    await page
      .getByRole('img', { name: /^A pie chart of count by campaign/ })
      .first()
      .waitFor();
    expect(wrong).toEqual([]);
  });

  test('offers all boards, names one whose title has no letters of an address, and says how a mutation runs', async () => {
    const names = Array.from({ length: 101 }, (_, at) => `many-${at}`);
    await gateway.database.dashboard.createMany({
      data: names.map((name) => ({
        id: newId('dashboard'),
        workspaceId: owner.workspaceId,
        name,
        title: name,
        createdBy: '',
        updatedBy: '',
      })),
    });
    const { page } = await graphiql.visit(bearer, {}, linkTo('query Totals { leads { totalCount } }'));
    await open(page, 'Save');
    await expect.poll(() => panel(page).getByLabel('Name', { exact: true }).inputValue()).toBe('totals');
    await expect
      .poll(() =>
        panel(page)
          .getByRole('option', { name: /^many-/ })
          .count(),
      )
      .toBe(101);
    await panel(page).getByLabel('Board', { exact: true }).selectOption('A new board');
    await panel(page).getByLabel('Title of the board').fill('数字');
    await save(page);
    await panel(page).getByRole('link', { name: '数字' }).waitFor();
    expect(await gateway.database.dashboard.count({ where: { name: 'totals' } })).toBe(1);

    const broken = await graphiql.visit(bearer, {}, linkTo('query Wrong { leads { nope } }'));
    await open(broken.page, 'Save');
    await save(broken.page);
    await panel(broken.page).getByText('nope').waitFor();

    const mutation = await graphiql.visit(
      bearer,
      {},
      linkTo('# A\nmutation Hire { createAgent(input: {name: "A"}) { agent { id } } }'),
    );
    await open(mutation.page, 'Save');
    await expect.poll(() => panel(mutation.page).getByLabel('Name', { exact: true }).inputValue()).toBe('hire');
    await panel(mutation.page).getByLabel('Board', { exact: true }).selectOption('数字');
    await save(mutation.page);
    await panel(mutation.page)
      .getByText(/^The operation is saved, .* a tile only reads/)
      .waitFor();
    await panel(mutation.page).getByLabel('Board', { exact: true }).selectOption('None');
    await save(mutation.page);
    await save(mutation.page, 'Replace it');
    await panel(mutation.page).getByText('{"documentId": "hire"}').waitFor();
  });

  test('says why an operation cannot be saved', async () => {
    const { page } = await graphiql.visit(bearer, {}, linkTo('query Broken { leads { nope } }'));
    await open(page, 'Save');
    await expect.poll(() => panel(page).getByLabel('Name', { exact: true }).inputValue()).toBe('broken');
    await save(page);
    await panel(page).getByText('Cannot query field').waitFor();
    expect(await gateway.database.savedOperation.count({ where: { name: 'broken' } })).toBe(0);
  });
});
