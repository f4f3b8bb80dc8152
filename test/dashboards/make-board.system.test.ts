import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { button, closeWith, saveBoard, usePages } from '../support/browser/pages.ts';
import { violationsOf } from '../support/browser/widget-pages.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const save = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
const rename = 'mutation ($input: UpdateDashboardInput!) { updateDashboard(input: $input) { dashboard { id } } }';
const create = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';

describe.skipIf(!chromiumPath)('a board is made on the pages (left out where no Chromium is)', () => {
  const pages = usePages();
  const { gateway } = pages;
  let home: TestWorkspace;
  beforeEach(async () => {
    home = await makeWorkspace(gateway);
    const document = '{ agents { totalCount } }';
    const chart = { type: 'number', y: 'agents.totalCount' };
    const input = { name: 'agents', description: 'How many agents', document, chart };
    await gateway.data(home.owner, save, { input });
    const writing = 'mutation ($id: ID!) { deleteDashboard(input: { id: $id }) { deletedId } }';
    await gateway.data(home.owner, save, { input: { name: 'deleting', document: writing } });
  });

  const open = (path: string, options: BrowserContextOptions = {}, viewer = home.owner) =>
    pages.open(path, viewer, options);
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const boards = async () => {
    const asked = `{ dashboards(first: 10) { nodes { name title description last timeZone
      tiles { operationName variables title text x y width height chart { type y } alert { above forMinutes } } } } }`;
    return (await gateway.data(home.owner, asked)).dashboards.nodes;
  };

  test.each([
    { name: 'with the keyboard', options: {} },
    { name: 'on a phone, in the dark', options: { viewport: { width: 390, height: 800 }, colorScheme: 'dark' } },
  ] as const)('empty from the list, then with a text and a saved query: $name', async ({ options }) => {
    await gateway.data(home.owner, create, { input: { name: 'week', title: 'Week' } });
    const page = await open('/dashboards', options);
    await button(page, 'New board').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New board' });
    await dialog.getByLabel('Title').fill('Week');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Title').press('Enter');
    await heading(page, 'Week').waitFor();
    // The name is taken, and the board that has it stays.
    await expect.poll(() => page.url()).toBe(`${pages.url}/dashboards/week-2`);
    await page.getByText('This board is empty.').waitFor();
    expect(await page.getByText('Edit adds tiles.').isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add a tile');

    await button(page, 'Add a tile').press('Enter');
    const adding = page.getByRole('dialog', { name: 'Add a tile' });
    expect(await violationsOf(page)).toEqual([]);
    expect(await adding.getByRole('option').allTextContents()).toEqual(['A text alone', 'How many agents']);
    await button(page, 'Add').press('Enter');
    await adding.getByText('needs a text').waitFor();
    await adding.getByLabel('Title').fill('Note');
    await adding.getByLabel('Text').fill('What we look at');
    await button(page, 'Add').press('Enter');
    await page.getByRole('region', { name: 'Note', exact: true }).getByText('What we look at').waitFor();
    await button(page, 'Add a tile').press('Enter');
    await adding.getByLabel('It shows').selectOption('agents');
    await button(page, 'Add').press('Enter');
    // Its result is there before the board is saved.
    const added = page.getByRole('region', { name: 'How many agents', exact: true });
    await added.getByRole('definition').waitFor();
    await button(page, 'Edit the content of How many agents').press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'table', exact: true }).press('Enter');
    await closeWith(page, 'Set');
    await added.getByRole('table').waitFor();
    await button(page, 'Undo').press('Enter');
    await button(page, 'Undo').press('Enter');
    expect(await added.isVisible()).toBe(false);
    await button(page, 'Add a tile').press('Enter');
    await adding.getByLabel('It shows').selectOption('agents');
    await button(page, 'Add').press('Enter');
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await saveBoard(page);
    await added.getByRole('definition').waitFor();
    const chart = { type: 'number', y: 'agents.totalCount' };
    const made = (await boards()).find((one: { name: string }) => one.name === 'week-2');
    expect(made).toMatchObject({
      title: 'Week',
      tiles: [
        { operationName: null, title: 'Note', text: 'What we look at', x: 0, y: 0, width: 12, height: 1, chart: null },
        { operationName: 'agents', title: '', text: '', x: 0, y: 1, width: 6, height: 4, chart },
      ],
    });
    await page.context().close();
  });

  test('a query whose variable has no value is given one', async () => {
    const document = `query ($words: String!, $last: String) {
      agents(filter: { name: { contains: $words }, createdAt: { last: $last } }) { totalCount } }`;
    await gateway.data(home.owner, save, { input: { name: 'named', document } });
    await gateway.data(home.owner, create, { input: { name: 'week', title: 'Week', last: '7d' } });
    const page = await open('/dashboards/week#edit');
    await button(page, 'Add a tile').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add a tile' });
    const words = dialog.getByLabel('words');
    expect(await words.count()).toBe(0);
    await dialog.getByLabel('It shows').selectOption('named');
    expect(await words.evaluate((field: HTMLInputElement) => field.required)).toBe(true);
    await dialog.getByText('Empty for that of the board.').waitFor();
    await words.fill('nobody');
    await button(page, 'Add').press('Enter');
    await page.getByRole('region', { name: 'named', exact: true }).getByText('0', { exact: true }).waitFor();
    await saveBoard(page);
    expect((await boards())[0].tiles).toMatchObject([{ operationName: 'named', variables: { words: 'nobody' } }]);
    await page.context().close();
  });

  test('what was added is gone after Cancel', async () => {
    await gateway.data(home.owner, create, { input: { name: 'week', title: 'Week' } });
    const page = await open('/dashboards/week#edit');
    await button(page, 'Add a tile').press('Enter');
    await page.getByRole('dialog').getByLabel('Text').fill('Gone');
    await button(page, 'Add').press('Enter');
    await page.getByText('Gone', { exact: true }).waitFor();
    await button(page, 'Cancel').press('Enter');
    expect(await page.locator('.tile').count()).toBe(0);
    await button(page, 'Edit').press('Enter');
    await button(page, 'Add a tile').press('Enter');
    await page.getByRole('dialog').getByLabel('Text').fill('Kept');
    await button(page, 'Add').press('Enter');
    await saveBoard(page);
    expect((await boards())[0].tiles).toMatchObject([{ text: 'Kept', y: 0 }]);
    await page.context().close();
  });

  test('its title, description, time range and zone are set, also where a tile can no longer be drawn', async () => {
    const tiles = [{ operation: 'agents', title: 'Agents' }];
    await gateway.data(home.owner, create, { input: { name: 'week', title: 'Week', last: '90d', tiles } });
    await gateway.database.savedOperation.deleteMany({ where: { workspaceId: home.id, name: 'agents' } });
    const page = await open('/dashboards/week');
    await button(page, 'Edit').press('Enter');
    await button(page, 'Settings').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Settings of the board' });
    expect(await violationsOf(page)).toEqual([]);
    expect(await dialog.getByLabel('Time range').inputValue()).toBe('90d');
    await dialog.getByLabel('Title').fill('The week');
    await dialog.getByLabel('Description').fill('For Mondays');
    await dialog.getByLabel('Time range').selectOption('7d');
    await dialog.getByLabel('Time zone').fill('Mars/Base');
    await button(page, 'Set').press('Enter');
    await dialog.getByText('“Mars/Base” is not a time zone').waitFor();
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');
    await closeWith(page, 'Set');
    await heading(page, 'The week').waitFor();
    await page.getByText('For Mondays').waitFor();
    await button(page, 'Undo').press('Enter');
    await heading(page, 'Week').waitFor();
    await button(page, 'Settings').press('Enter');
    await dialog.getByLabel('Title').fill('The week');
    await dialog.getByLabel('Time range').selectOption('');
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');
    await closeWith(page, 'Set');
    await saveBoard(page);
    await heading(page, 'The week').waitFor();
    expect(await boards()).toMatchObject([
      { name: 'week', title: 'The week', description: '', last: null, timeZone: 'Europe/Berlin', tiles: [{}] },
    ]);
    await page.context().close();
  });

  test('its address is changed: the page moves there without a reload, and the former one leads there', async () => {
    await gateway.data(home.owner, create, { input: { name: 'other', title: 'Other' } });
    await gateway.data(home.owner, create, { input: { name: 'week', title: 'Week', tiles: [{ text: 'A text' }] } });
    const page = await open('/dashboards/week?last=7d');
    await button(page, 'Edit').press('Enter');
    await button(page, 'Settings').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Settings of the board' });
    const address = dialog.getByLabel('Address');
    await address.fill('The Week');
    await button(page, 'Set').press('Enter');
    expect(await address.evaluate((field: HTMLInputElement) => field.validity.patternMismatch)).toBe(true);
    await address.fill('other');
    await button(page, 'Set').press('Enter');
    await dialog.getByText('Another board has the address “other”.').waitFor();
    await address.fill('weekly');
    await closeWith(page, 'Set');
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await saveBoard(page);
    expect(page.url()).toBe(`${pages.url}/dashboards/weekly?last=7d`);
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Edit');
    await page.goto(`${pages.url}/dashboards/week?last=24h`);
    await heading(page, 'Week').waitFor();
    expect(page.url()).toBe(`${pages.url}/dashboards/weekly?last=24h`);
    // Another board may have it again.
    await gateway.data(home.owner, create, { input: { name: 'week', title: 'Another week' } });
    await page.goto(`${pages.url}/dashboards/week`);
    await heading(page, 'Another week').waitFor();
    await page.context().close();
  });

  test('an open page keeps to its board when another takes the name', async () => {
    const tiles = [{ operation: 'agents', title: 'Agents', alert: { above: 3 } }];
    const { dashboard } = (await gateway.data(home.owner, create, { input: { name: 'week', title: 'Week', tiles } }))
      .createDashboard;
    const page = await open('/dashboards');
    await page.clock.install();
    await page.getByRole('link', { name: 'Week', exact: true }).click();
    const tile = page.getByRole('region', { name: 'Agents', exact: true });
    await tile.getByRole('definition').waitFor();
    await gateway.data(home.owner, rename, { input: { id: dashboard.id, name: 'weekly' } });
    const other = [{ text: 'Nothing to run' }, { operation: 'agents' }];
    await gateway.data(home.owner, create, { input: { name: 'week', title: 'Another week', tiles: other } });
    await gateway.database.alert.updateMany({
      where: { workspaceId: home.id },
      data: { pausedReason: 'Why it rests' },
    });
    await page.clock.fastForward(60_000);
    await tile.getByText('The alert is paused: Why it rests').waitFor();
    await page.getByLabel('Time zone').selectOption('UTC');
    await tile.getByRole('definition').waitFor();
    await page.context().close();
  });

  test('a page that was opened by the ID of its board keeps that when it is saved', async () => {
    const made = await gateway.data(home.owner, create, { input: { name: 'week', title: 'Week' } });
    const address = `/dashboards/${made.createDashboard.dashboard.id}`;
    const page = await open(address);
    await button(page, 'Edit').press('Enter');
    await button(page, 'Settings').press('Enter');
    await page.getByRole('dialog').getByLabel('Address').fill('weekly');
    await closeWith(page, 'Set');
    await saveBoard(page);
    expect(page.url()).toBe(pages.url + address);
    expect(await boards()).toMatchObject([{ name: 'weekly' }]);
    await page.context().close();
  });

  test('not by who may only read', async () => {
    const page = await open('/dashboards', {}, home.viewer);
    await page.getByText('There are no boards yet.').waitFor();
    expect(await button(page, 'New board').count()).toBe(0);
    await page.context().close();
  });
});
