import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { holdBack } from '../support/browser/hold-back.ts';
import { button, closeWith, saveBoard, usePages } from '../support/browser/pages.ts';
import { violationsOf } from '../support/browser/widget-pages.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

describe.skipIf(!chromiumPath)('a board is edited (left out where no Chromium is)', () => {
  const pages = usePages();
  const { gateway } = pages;
  let home: TestWorkspace;
  let board: string;
  beforeEach(async () => {
    home = await makeWorkspace(gateway);
    const save = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
    await gateway.data(home.owner, save, { input: { name: 'agents', document: '{ agents { totalCount } }' } });
    const create = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';
    const tiles = [
      { operation: 'agents', title: 'Agents', alert: { above: 3 }, width: 4, height: 2 },
      { text: 'A text', title: 'Note', width: 4, height: 2 },
      { operation: 'agents', title: 'Again', variables: {}, chart: { type: 'number' }, width: 4, height: 2 },
    ];
    const made = await gateway.data(home.owner, create, { input: { name: 'wall', title: 'Wall', tiles } });
    board = made.createDashboard.dashboard.id;
  });

  async function open(options: BrowserContextOptions = {}, viewer = home.owner): Promise<Page> {
    const page = await pages.open('/dashboards/wall', viewer, options);
    await page.getByRole('heading', { level: 1, name: 'Wall' }).waitFor();
    return page;
  }
  const saved = async () => {
    const document = `query ($id: ID!) { dashboard(id: $id) {
      tiles { title x y width height alert { column above below forMinutes pausedReason } } } }`;
    return (await gateway.data(home.owner, document, { id: board })).dashboard.tiles;
  };

  test('with the keyboard: moved, resized, removed, undone and saved', async () => {
    const page = await open();
    await button(page, 'Edit').press('Enter');
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'Move Agents').press('ArrowRight');
    await page.getByText('Agents: column 2, row 1').waitFor();
    await button(page, 'Resize Agents').press('ArrowDown');
    await button(page, 'Remove Again').press('Enter');
    expect(await page.getByRole('heading', { name: 'Again' }).count()).toBe(0);
    await button(page, 'Undo').press('Enter');
    await page.getByRole('heading', { name: 'Again' }).waitFor();
    await button(page, 'Remove Note').press('Enter');
    await saveBoard(page);
    expect(await saved()).toMatchObject(
      [
        { title: 'Again', x: 8, y: 0, width: 4, height: 2, alert: null },
        { title: 'Agents', x: 1, y: 0, width: 4, height: 3, alert: { above: 3 } },
      ].toSorted((a, b) => a.x - b.x),
    );
    await page.context().close();
  });

  test('by drag: a tile goes where it is dropped, and cancelling leaves all as it was', async () => {
    const page = await open();
    const boxes = () => page.locator('.tile').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
    const before = await boxes();
    await button(page, 'Edit').click();
    const from = await button(page, 'Move Agents').boundingBox();
    const tile = await page.getByRole('region', { name: 'Agents', exact: true }).boundingBox();
    if (!from || !tile) throw new Error('The tile has no place.');
    const drag = async () => {
      await page.mouse.move(from.x + 5, from.y + 5);
      await page.mouse.down();
      await page.mouse.move(from.x + 5 + tile.width + 16, from.y + 5, { steps: 5 });
      await page.mouse.up();
    };
    await drag();
    await page.getByText('Agents: column 5, row 1').waitFor();
    await button(page, 'Cancel').click();
    expect(await boxes()).toEqual(before);
    await button(page, 'Edit').click();
    await drag();
    await saveBoard(page);
    // What was in its way is below.
    expect((await saved()).map(({ title, x, y }: { title: string; x: number; y: number }) => [title, x, y])).toEqual([
      ['Agents', 4, 0],
      ['Again', 8, 0],
      ['Note', 4, 2],
    ]);
    await page.context().close();
  });

  test('an alert is set, resumed and removed in a dialog', async () => {
    await gateway.database.alert.updateMany({
      where: { workspaceId: home.id },
      data: { pausedReason: 'Why it rests' },
    });
    const page = await open();
    await page.getByText('The alert is paused: Why it rests').waitFor();
    const again = page.getByRole('region', { name: 'Again', exact: true });
    await again.getByRole('definition').waitFor();
    await button(page, 'Edit').press('Enter');
    await button(page, 'Edit the alert of Again').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Alert of Again' });
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'Set').press('Enter');
    await dialog.getByText('Set a bound').waitFor();
    expect(await dialog.getByLabel('The number').getByRole('option').allTextContents()).toEqual([
      'That of the chart',
      'Agents',
    ]);
    await dialog.getByLabel('The number').selectOption('agents.totalCount');
    await dialog.getByLabel('Below').fill('2.5');
    await dialog.getByLabel('For this many minutes').fill('10');
    await closeWith(page, 'Set');
    await saveBoard(page);
    const alertsOf = async () => (await saved()).map(({ alert }: { alert: object | null }) => alert);
    expect(await alertsOf()).toMatchObject([
      { above: 3, pausedReason: 'Why it rests' },
      null,
      { column: 'agents.totalCount', above: null, below: 2.5, forMinutes: 10 },
    ]);
    await button(page, 'Edit').press('Enter');
    await button(page, 'Edit the alert of Agents').press('Enter');
    await page.getByLabel('Resume it').check();
    await closeWith(page, 'Set');
    await button(page, 'Edit the alert of Again').press('Enter');
    await closeWith(page, 'Remove the alert');
    await saveBoard(page);
    expect(await alertsOf()).toMatchObject([{ above: 3, pausedReason: null }, null, null]);
    await page.context().close();
  });

  test('title, text and chart of a tile are set in a dialog, shown at once, and saved with the board', async () => {
    const page = await open();
    const again = page.getByRole('region', { name: 'Again', exact: true });
    await again.getByRole('definition').waitFor();
    await button(page, 'Edit').press('Enter');
    await button(page, 'Edit the content of Again').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Content of Again' });
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Title').fill('How many');
    await dialog.getByLabel('Text').fill('All agents.');
    await dialog.getByRole('button', { name: 'table', exact: true }).press('Enter');
    await closeWith(page, 'Set');
    const renamed = page.getByRole('region', { name: 'How many', exact: true });
    await renamed.getByText('All agents.').waitFor();
    await renamed.getByRole('table').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Edit the content of How many',
    );
    await button(page, 'Undo').press('Enter');
    await again.getByRole('definition').waitFor();
    expect(await page.getByText('All agents.').isVisible()).toBe(false);
    await button(page, 'Edit the content of Again').press('Enter');
    await dialog.getByLabel('Title').fill('');
    await dialog.getByRole('button', { name: 'table', exact: true }).press('Enter');
    await closeWith(page, 'Set');
    await button(page, 'Edit the content of Note').press('Enter');
    const note = page.getByRole('dialog', { name: 'Content of Note' });
    await note.getByLabel('Text').fill(' ');
    await button(page, 'Set').press('Enter');
    await note.getByText('needs a text').waitFor();
    await note.getByLabel('Text').fill('Another text');
    await closeWith(page, 'Set');
    await saveBoard(page);
    const asked = `query ($id: ID!) { dashboard(id: $id) { tiles { title text chart { type y } alert { above } } } }`;
    expect((await gateway.data(home.owner, asked, { id: board })).dashboard.tiles).toEqual([
      { title: 'Agents', text: '', chart: null, alert: { above: 3 } },
      { title: 'Note', text: 'Another text', chart: null, alert: null },
      { title: '', text: '', chart: { type: 'table', y: 'agents.totalCount' }, alert: null },
    ]);
    await page.context().close();
  });

  test('who cancels while the queries for a tile are loaded is asked for none', async () => {
    const page = await open();
    const queries = await holdBack(page, 'OperationsForTiles');
    await button(page, 'Edit').press('Enter');
    await button(page, 'Add a tile').press('Enter');
    await queries.asked;
    await button(page, 'Cancel').press('Enter');
    const loaded = page.waitForResponse('**/graphql');
    queries.letGo();
    await (await loaded).finished();
    // What the response leads to has happened once another of the same page is shown.
    await button(page, 'Edit').press('Enter');
    await button(page, 'Settings').press('Enter');
    await page.getByRole('dialog', { name: 'Settings of the board' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.context().close();
  });

  test('who saves while the queries for a tile are loaded adds none', async () => {
    const page = await open();
    const queries = await holdBack(page, 'OperationsForTiles');
    const saving = await holdBack(page, 'EditBoard');
    await button(page, 'Edit').press('Enter');
    await button(page, 'Remove Note').press('Enter');
    await button(page, 'Add a tile').press('Enter');
    await queries.asked;
    await button(page, 'Save').press('Enter');
    await saving.asked;
    // What is saved is not changed meanwhile.
    expect(await button(page, 'Settings').isDisabled()).toBe(true);
    const loaded = page.waitForResponse('**/graphql');
    queries.letGo();
    await (await loaded).finished();
    expect(await button(page, 'Add a tile').isDisabled()).toBe(true);
    saving.letGo();
    await page.getByText('The board is saved.', { exact: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.locator('.tile').count()).toBe(2);
    await button(page, 'Edit').press('Enter');
    expect(await button(page, 'Undo').isDisabled()).toBe(true);
    expect(await saved()).toHaveLength(2);
    await page.context().close();
  });

  test('once it is saved, nothing changes it until the page shows it again', async () => {
    const page = await open();
    await button(page, 'Edit').press('Enter');
    await button(page, 'Remove Note').press('Enter');
    const reading = await holdBack(page, 'query Board(');
    await button(page, 'Save').press('Enter');
    await reading.asked;
    for (const name of ['Save', 'Add a tile', 'Settings', 'Undo', 'Cancel'])
      expect(await button(page, name).isDisabled(), name).toBe(true);
    expect(await page.locator('#grid').evaluate((grid) => (grid as HTMLElement).inert)).toBe(true);
    expect(await page.locator('.tile:visible').count()).toBe(2);
    reading.letGo();
    await page.getByText('The board is saved.', { exact: true }).waitFor();
    expect(await page.locator('.tile:visible').count()).toBe(2);
    await button(page, 'Edit').press('Enter');
    expect(await button(page, 'Add a tile').isEnabled()).toBe(true);
    expect(await saved()).toHaveLength(2);
    await page.context().close();
  });

  test('not over what somebody else has saved meanwhile, nor by who may not', async () => {
    const page = await open();
    await button(page, 'Edit').press('Enter');
    await button(page, 'Remove Note').press('Enter');
    const update = 'mutation ($input: UpdateDashboardInput!) { updateDashboard(input: $input) { dashboard { id } } }';
    await gateway.data(home.editor, update, { input: { id: board, description: 'Changed' } });
    await button(page, 'Save').press('Enter');
    await page.locator('.edit-state', { hasText: /changed|updated/i }).waitFor();
    expect(await saved()).toHaveLength(3);
    await page.context().close();
    const other = await open({}, home.viewer);
    await other.getByRole('region', { name: 'Agents', exact: true }).waitFor();
    expect(await button(other, 'Edit').count()).toBe(0);
    await other.context().close();
  });

  test('a script that cannot be loaded is told on the page', async () => {
    for (const missing of ['**/boards/tile.js', '**/token.js']) {
      const context = await pages.browser.newContext();
      const page = await context.newPage();
      await page.route(missing, (route) => route.abort());
      await page.goto(`${pages.url}/dashboards/wall`);
      await page.getByRole('status').filter({ hasText: 'A part of this page could not be loaded' }).waitFor();
      await context.close();
    }
  });

  test('on a phone too, in the dark, where tiles have no place to be dragged to', async () => {
    const page = await open({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await button(page, 'Edit').press('Enter');
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await button(page, 'Move Agents').isVisible()).toBe(false);
    await button(page, 'Remove Note').press('Enter');
    await saveBoard(page);
    expect(await saved()).toHaveLength(2);
    await page.context().close();
  });
});
