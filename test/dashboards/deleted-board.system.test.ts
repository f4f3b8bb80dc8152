import { beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { button, usePages } from '../support/browser/pages.ts';
import { violationsOf } from '../support/browser/widget-pages.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const save = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
const create = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';

describe.skipIf(!chromiumPath)('a deleted board (left out where no Chromium is)', () => {
  const pages = usePages();
  const { gateway } = pages;
  let home: TestWorkspace;
  beforeEach(async () => {
    home = await makeWorkspace(gateway);
  });

  const boards = async () => {
    const asked = `{ dashboards(first: 10) { nodes { name title description last timeZone
      tiles { operationName variables title text x y width height chart { type y } alert { above forMinutes } } } } }`;
    return (await gateway.data(home.owner, asked)).dashboards.nodes;
  };

  test('is deleted when that is asked for twice, and restored by Undo', async () => {
    await gateway.data(home.owner, save, { input: { name: 'all', document: '{ agents { totalCount } }' } });
    const tiles = [
      { text: 'A text', title: 'Note', x: 8, y: 0, width: 4, height: 1 },
      { operation: 'all', chart: { type: 'number' }, alert: { above: 3, forMinutes: 5 } },
    ];
    const week = { name: 'week', title: 'Week', description: 'For Mondays', last: '7d', timeZone: 'Asia/Tokyo' };
    await gateway.data(home.owner, create, { input: { ...week, tiles } });
    const [before] = await boards();
    const page = await pages.open('/dashboards/week', home.owner);
    await button(page, 'Edit').press('Enter');
    await button(page, 'Remove Note').press('Enter');
    await button(page, 'Settings').press('Enter');
    await button(page, 'Delete the board').press('Enter');
    await page.getByText('Saved operations stay.').waitFor();
    expect(await boards()).toHaveLength(1);
    await button(page, 'Delete it for everyone').press('Enter');
    await page.waitForURL(`${pages.url}/dashboards`);
    await page.getByText('There are no boards yet.').waitFor();
    expect(await boards()).toEqual([]);
    await page.getByText('“Week” is deleted. Undo restores all but its links.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Undo');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${pages.url}/dashboards/week`);
    await page.getByRole('region', { name: 'Note', exact: true }).waitFor();
    expect(await boards()).toEqual([before]);
    // It is offered once.
    await page.goto(`${pages.url}/dashboards`);
    await page.getByRole('link', { name: 'Week' }).waitFor();
    expect(await button(page, 'Undo').count()).toBe(0);
    await page.context().close();
  });

  test('is restored in its workspace alone, by who deleted it', async () => {
    const other = await makeWorkspace(gateway);
    await gateway.data(home.owner, create, { input: { name: 'week', title: 'Week', tiles: [{ text: 'A text' }] } });
    const page = await pages.open('/dashboards/week', home.owner);
    const signIn = async (viewer: TestWorkspace['owner']) =>
      page.addInitScript((given) => sessionStorage.setItem('parley:token', given), await gateway.bearer(viewer));
    await button(page, 'Edit').press('Enter');
    await button(page, 'Settings').press('Enter');
    await button(page, 'Delete the board').press('Enter');
    await page.getByText('Saved operations stay.').waitFor();
    await signIn(other.owner);
    await button(page, 'Delete it for everyone').press('Enter');
    const { workspace } = await gateway.data(home.owner, '{ workspace { name } }');
    const elsewhere = `“Week” was deleted in the workspace “${workspace.name}”: sign in there to undo that.`;
    await page.getByText(elsewhere).waitFor();
    expect(await button(page, 'Undo').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await signIn(home.editor);
    await page.reload();
    await page.getByText('“Week” was deleted by somebody else, who alone can undo that here.').waitFor();
    expect(await button(page, 'Undo').count()).toBe(0);
    await signIn(home.owner);
    await page.reload();
    await button(page, 'Undo').waitFor();
    // The session of an open page may become that of another workspace.
    const bearer = await gateway.bearer(other.owner);
    const asOther = { authorization: `Bearer ${bearer}` };
    await page.route('**/graphql', (route) =>
      route.continue({ headers: { ...route.request().headers(), ...asOther } }),
    );
    await button(page, 'Undo').press('Enter');
    await page.getByText(elsewhere).waitFor();
    expect((await gateway.data(other.owner, '{ dashboards { totalCount } }')).dashboards.totalCount).toBe(0);
    await page.unroute('**/graphql');
    await expect.poll(() => button(page, 'Undo').isEnabled()).toBe(true);
    await button(page, 'Undo').press('Enter');
    await page.waitForURL(`${pages.url}/dashboards/week`);
    await expect.poll(boards).toMatchObject([{ name: 'week', tiles: [{ text: 'A text' }] }]);
    await page.context().close();
  });
});
