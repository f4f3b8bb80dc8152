import { beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { button, closeWith, saveBoard, usePages } from '../support/browser/pages.ts';
import { violationsOf } from '../support/browser/widget-pages.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const save = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
const create = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';

describe.skipIf(!chromiumPath)('what there is already is duplicated (left out where no Chromium is)', () => {
  const pages = usePages();
  const { gateway } = pages;
  let home: TestWorkspace;
  beforeEach(async () => {
    home = await makeWorkspace(gateway);
    const document = 'query ($words: String) { agents(filter: { name: { contains: $words } }) { totalCount } }';
    const description = 'How many agents there are.';
    await gateway.data(home.owner, save, { input: { name: 'agents', description, document } });
    const chart = { type: 'number', y: 'agents.totalCount' };
    const agents = { operation: 'agents', variables: { words: 'x' }, chart, width: 4, height: 2, alert: { above: 3 } };
    const tiles = [agents, { text: 'A note', width: 8 }];
    const board = { name: 'week', title: 'Week', description: 'For Mondays', last: '7d', timeZone: 'Asia/Tokyo' };
    await gateway.data(home.owner, create, { input: { ...board, tiles } });
  });

  const boards = async () => {
    const asked = `{ dashboards(first: 10, orderBy: { field: title, direction: desc }) { nodes {
      name title description last timeZone
      tiles { operationName variables title text x y width height chart { type y } alert { above } } } } }`;
    return (await gateway.data(home.owner, asked)).dashboards.nodes;
  };

  test('a tile, as it is edited and without its alert, by the keyboard', async () => {
    const page = await pages.open('/dashboards/week', home.owner);
    // A description is a sentence, a heading is not.
    const heading = 'How many agents there are';
    await page.getByRole('region', { name: heading, exact: true }).getByRole('definition').waitFor();
    await button(page, 'Edit').press('Enter');
    await button(page, `Edit the content of ${heading}`).press('Enter');
    await page.getByRole('dialog').getByLabel('Title').fill('Agents');
    await button(page, 'Set').press('Enter');
    await button(page, 'Duplicate Agents').press('Enter');
    await page.getByText('“Agents (copy)” is added below when the board is saved.').waitFor();
    const copy = page.getByRole('region', { name: 'Agents (copy)', exact: true });
    await copy.getByRole('definition').waitFor();
    expect(await page.evaluate(() => document.activeElement?.closest('.tile')?.id)).toBe('tile-2');
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'Undo').press('Enter');
    expect(await copy.isVisible()).toBe(false);
    await button(page, 'Duplicate Agents').press('Enter');
    await saveBoard(page);
    // Tiles of the same title have names of their own.
    await button(page, 'Edit').press('Enter');
    await button(page, 'Edit the content of Agents (copy)').press('Enter');
    await page.getByRole('dialog').getByLabel('Title').fill('Agents');
    await closeWith(page, 'Set');
    await page.getByRole('region', { name: 'Agents (2)', exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'Undo').press('Enter');
    await page.getByRole('region', { name: 'Agents (copy)', exact: true }).waitFor();
    await button(page, 'Cancel').press('Enter');
    const [{ tiles }] = await boards();
    const shown = { operationName: 'agents', variables: { words: 'x' }, width: 4, height: 2 };
    expect(tiles).toMatchObject([
      { ...shown, title: 'Agents', y: 0, alert: { above: 3 } },
      { text: 'A note' },
      { ...shown, title: 'Agents (copy)', x: 0, y: 4, chart: { type: 'number', y: 'agents.totalCount' }, alert: null },
    ]);
    await page.context().close();
  });

  test('a board, as it is edited: the copy is shown, and the first stays as it was', async () => {
    const [before] = await boards();
    await gateway.data(home.owner, create, { input: { name: 'copy-of-week', title: 'Another' } });
    const page = await pages.open('/dashboards/week', home.owner);
    await button(page, 'Edit').press('Enter');
    await button(page, 'Remove tile 2').press('Enter');
    await button(page, 'Settings').press('Enter');
    await button(page, 'Duplicate the board').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Copy of Week', exact: true }).waitFor();
    // Its name was taken.
    await expect.poll(() => page.url()).toBe(`${pages.url}/dashboards/copy-of-week-2`);
    await button(page, 'Save').waitFor();
    const [week, copy] = await boards();
    expect(week).toEqual(before);
    const [tile] = before.tiles;
    const tiles = [{ ...tile, alert: null }];
    expect(copy).toEqual({ ...before, name: 'copy-of-week-2', title: 'Copy of Week', tiles });
    await page.context().close();
  });

  test('a board that cannot be created is told, and what was edited stays', async () => {
    const page = await pages.open('/dashboards/week', home.owner);
    await button(page, 'Edit').press('Enter');
    await button(page, 'Remove tile 2').press('Enter');
    await button(page, 'Settings').press('Enter');
    await page.route('**/graphql', (route) =>
      route.fulfill({ status: 503, json: { errors: [{ message: 'Not now.' }] } }),
    );
    await button(page, 'Duplicate the board').press('Enter');
    await page.getByRole('alert').getByText('Not now.').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter');
    await saveBoard(page);
    expect((await boards())[0].tiles).toHaveLength(1);
    await page.context().close();
  });

  test('a board, with what is filled in and not set yet, once that is valid', async () => {
    const page = await pages.open('/dashboards/week', home.owner);
    await button(page, 'Edit').press('Enter');
    await button(page, 'Settings').press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('this board stays as it was saved').waitFor();
    await dialog.getByLabel('Title').fill('Month');
    await dialog.getByLabel('Description').fill('For the first');
    await dialog.getByLabel('Time zone').fill('Mars/Base');
    await button(page, 'Duplicate the board').press('Enter');
    await page.getByRole('alert').getByText('“Mars/Base” is not a time zone').waitFor();
    await dialog.getByLabel('Time zone').fill('');
    await button(page, 'Duplicate the board').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Copy of Month', exact: true }).waitFor();
    const copy = { name: 'copy-of-month', title: 'Copy of Month', description: 'For the first', timeZone: null };
    expect(await boards()).toMatchObject([
      { title: 'Week', description: 'For Mondays' },
      { ...copy, last: '7d' },
    ]);
    await page.context().close();
  });

  test.each(['created', 'refused'])(
    'a board whose copy is %s when the dialog is closed: the page stays',
    async (way) => {
      const page = await pages.open('/dashboards/week', home.owner);
      await button(page, 'Edit').press('Enter');
      await button(page, 'Remove tile 2').press('Enter');
      await button(page, 'Settings').press('Enter');
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('CreateBoard')) return route.continue();
        await promise;
        if (way === 'created') return route.continue();
        return route.fulfill({ status: 503, json: { errors: [{ message: 'Not now.' }] } });
      });
      await button(page, 'Duplicate the board').press('Enter');
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      resolve();
      const said = way === 'created' ? '“Copy of Week” is created.' : 'Not now.';
      await page.getByRole('status').getByText(said).waitFor();
      expect(page.url()).toBe(`${pages.url}/dashboards/week`);
      await button(page, 'Undo').press('Enter');
      await page.locator('#tile-1').waitFor();
      expect(await boards()).toHaveLength(way === 'created' ? 2 : 1);
      await page.context().close();
    },
  );

  test('titles at their limit are cut between characters, and are saved', async () => {
    const [long, longer] = [`${'a'.repeat(191)}😀b`, `${'a'.repeat(192)}😀b`];
    const tiles = [{ title: longer, text: 'x' }];
    await gateway.data(home.owner, create, { input: { name: 'long', title: long, tiles } });
    const page = await pages.open('/dashboards/long', home.owner);
    await button(page, 'Edit').press('Enter');
    await button(page, `Duplicate ${longer}`).press('Enter');
    await saveBoard(page);
    await button(page, 'Edit').press('Enter');
    await button(page, 'Settings').press('Enter');
    await button(page, 'Duplicate the board').press('Enter');
    const title = `Copy of ${'a'.repeat(191)}`;
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    const saved = (await boards()).filter((one: { name: string }) => one.name !== 'week');
    expect(saved.map((one: { title: string }) => one.title).sort()).toEqual([title, long].sort());
    for (const one of saved) expect(one.tiles[1].title).toBe(`${'a'.repeat(192)} (copy)`);
    await page.context().close();
  });
});
