import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { button, closeWith, saveBoard, usePages } from '../support/browser/pages.ts';
import { violationsOf } from '../support/browser/widget-pages.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const save = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
const update = 'mutation ($input: UpdateOperationInput!) { updateOperation(input: $input) { operation { id } } }';
const create = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';
const searching = `query (
  "What the name contains"
  $words: String = "a"
  $ids: [ID!]
  $last: String
  $first: Int! = 5
  $direction: OrderDirection! = asc
  $isShown: Boolean! = true
  $range: DateTimeRange
) {
  agents(first: $first, orderBy: { field: name, direction: $direction }, filter: { name: { contains: $words }, ids: $ids, createdAt: { last: $last } }) {
    totalCount @include(if: $isShown)
    nodes { id }
  }
  leads(filter: { createdAt: $range }) { totalCount }
}`;

describe.skipIf(!chromiumPath)('variables of tiles (left out where no Chromium is)', () => {
  const pages = usePages();
  const { gateway } = pages;
  let home: TestWorkspace;
  let operation: string;
  let agent: string;
  beforeEach(async () => {
    home = await makeWorkspace(gateway);
    agent = (await makeAgent(gateway, home.editor, { name: 'Ada' })).id;
    await makeAgent(gateway, home.editor, { name: 'Maria' });
    const input = { name: 'found', description: 'Found', document: searching, chart: { type: 'number' } };
    operation = (await gateway.data(home.owner, save, { input })).createOperation.operation.id;
  });

  async function openBoard(tile: object = {}, options: BrowserContextOptions = {}): Promise<Page> {
    const tiles = [{ operation: 'found', title: 'Agents', width: 12, ...tile }];
    await gateway.data(home.owner, create, { input: { name: 'wall', title: 'Wall', last: '12w', tiles } });
    return pages.open('/dashboards/wall#edit', home.owner, options);
  }
  const content = async (page: Page) => {
    await button(page, 'Edit the content of Agents').press('Enter');
    return page.getByRole('dialog', { name: 'Content of Agents' });
  };
  const range = (page: Page) => page.getByRole('group', { name: 'range', exact: true });
  const counted = (page: Page, number: number) =>
    page.getByRole('region', { name: 'Agents', exact: true }).getByText(String(number), { exact: true }).first();
  const variables = async () => {
    const asked = '{ dashboards(first: 1) { nodes { tiles { variables } } } }';
    return (await gateway.data(home.owner, asked)).dashboards.nodes[0].tiles[0].variables;
  };

  test('each has a field of its type, is tried when it is set, shown at once, and saved with the board', async () => {
    const page = await openBoard({ variables: { words: 'nobody', isShown: true } });
    await counted(page, 0).waitFor();
    const dialog = await content(page);
    expect(await violationsOf(page)).toEqual([]);
    const words = dialog.getByLabel('words', { exact: true });
    expect(await words.inputValue()).toBe('nobody');
    await dialog.getByText('What the name contains. Empty for "a".').waitFor();
    await dialog.getByText('Empty for that of the board.').waitFor();
    expect(await dialog.getByLabel('isShown').inputValue()).toBe('true');
    expect(await dialog.getByLabel('direction').getByRole('option').allTextContents()).toEqual([
      'Default',
      'asc',
      'desc',
    ]);
    await words.fill('');
    await dialog.getByLabel('ids').fill(`${agent}\n`);
    await dialog.getByLabel('first').fill('3');
    await range(page).getByLabel('last', { exact: true }).fill('1y');
    await closeWith(page, 'Set');
    await counted(page, 1).waitFor();
    const graphiql = page.getByRole('link', { name: 'Open Agents in GraphiQL' });
    expect(decodeURIComponent((await graphiql.getAttribute('href')) ?? '')).toContain(agent);
    await button(page, 'Undo').press('Enter');
    await counted(page, 0).waitFor();
    await content(page);
    await words.fill('');
    await dialog.getByLabel('ids').fill(agent);
    await dialog.getByLabel('isShown').selectOption('Default');
    await closeWith(page, 'Set');
    await counted(page, 1).waitFor();
    // The new range is asked with what is not saved yet.
    await page.getByLabel('Time range').selectOption('24h');
    await counted(page, 1).waitFor();
    await saveBoard(page);
    expect(await variables()).toEqual({ ids: [agent] });
    await counted(page, 1).waitFor();
    await page.context().close();
  });

  test('what the query refuses is told beside the field that has it, and not set', async () => {
    const page = await openBoard();
    const dialog = await content(page);
    const wrong = (id: string) => dialog.locator(`#variable-${id}-wrong`);
    await range(page).getByLabel('from', { exact: true }).fill('soon');
    await button(page, 'Set').press('Enter');
    await wrong('range-from').filter({ hasText: 'must be a timestamp such as' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('variable-range-from');
    await range(page).getByLabel('from', { exact: true }).fill('');
    const last = dialog.locator('#variable-last');
    await last.fill('long');
    await button(page, 'Set').press('Enter');
    await wrong('last').filter({ hasText: 'must be a number and a unit' }).waitFor();
    expect(await range(page).getByLabel('from', { exact: true }).getAttribute('aria-invalid')).toBe('false');
    expect(await violationsOf(page)).toEqual([]);
    await last.fill('7d');
    await closeWith(page, 'Set');
    await counted(page, 2).waitFor();
    await saveBoard(page);
    expect(await variables()).toEqual({ last: '7d' });
    await page.context().close();
  });

  test('those that are objects and lists have a field for each part', async () => {
    const filtering = 'query ($filter: AgentFilter = { ids: [] }) { agents(filter: $filter) { totalCount } }';
    await gateway.data(home.owner, update, { input: { id: operation, document: filtering } });
    const page = await openBoard();
    const dialog = await content(page);
    const group = (name: string) => dialog.getByRole('group', { name, exact: true });
    const choose = async (name: string, chosen: string) => {
      await dialog.getByLabel(`Add a field to ${name}`, { exact: true }).selectOption(chosen);
      await button(page, `Add to ${name}`).press('Enter');
    };
    await choose('filter', 'or');
    await button(page, 'Add to or').press('Enter');
    await choose('or 1', 'name');
    await group('name').getByLabel('contains', { exact: true }).fill('Ada');
    await button(page, 'Add to or').press('Enter');
    await choose('filter', 'createdAt');
    const last = group('createdAt').getByLabel('last', { exact: true });
    await last.fill('long');
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'Set').press('Enter');
    await dialog.locator('#variable-filter-createdAt-last-wrong', { hasText: 'must be a number and a unit' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('variable-filter-createdAt-last');
    await last.fill('');
    await button(page, 'Remove or 2').press('Enter');
    await closeWith(page, 'Set');
    await counted(page, 1).waitFor();
    await saveBoard(page);
    expect(await variables()).toEqual({ filter: { or: [{ name: { contains: 'Ada' } }] } });
    // What is set has its fields, and an emptied one is no part of the value.
    await button(page, 'Edit').press('Enter');
    await content(page);
    expect(await group('name').getByLabel('contains', { exact: true }).inputValue()).toBe('Ada');
    await group('name').getByLabel('contains', { exact: true }).fill('');
    await closeWith(page, 'Set');
    await counted(page, 0).waitFor();
    await content(page);
    await dialog.getByLabel('Empty instead of the default').check();
    await closeWith(page, 'Set');
    await counted(page, 2).waitFor();
    await saveBoard(page);
    expect(await variables()).toEqual({ filter: {} });
    await page.context().close();
  });

  test('one that the query no longer has is shown, to be removed', async () => {
    const page = await openBoard({ variables: { words: 'Ada' } });
    await gateway.data(home.owner, update, { input: { id: operation, document: '{ agents { totalCount } }' } });
    await page.reload();
    await page.getByText('its saved operation has no variable words').waitFor();
    const dialog = await content(page);
    await dialog.getByText('The query has no such variable any more').waitFor();
    expect(await dialog.getByLabel('words').inputValue()).toBe('"Ada"');
    await dialog.getByLabel('words').fill('');
    await closeWith(page, 'Set');
    await counted(page, 2).waitFor();
    await saveBoard(page);
    expect(await variables()).toEqual({});
    await page.context().close();
  });

  test('they are asked for when somebody opens them: a type of input has a large description', async () => {
    const page = await openBoard({ alert: { above: 9 } });
    await counted(page, 2).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    const described = () => asked.filter((one) => one.includes('inputSchema')).length;
    await page.clock.install();
    await page.reload();
    await counted(page, 2).waitFor();
    await page.clock.fastForward(60_000);
    await expect.poll(() => asked.join()).toContain('BoardAlerts');
    await button(page, 'Edit').press('Enter');
    await button(page, 'Add a tile').press('Enter');
    const adding = page.getByRole('dialog', { name: 'Add a tile' });
    await adding.getByLabel('It shows').waitFor();
    expect(described()).toBe(0);
    await adding.getByLabel('It shows').selectOption('found');
    await adding.getByLabel('words', { exact: true }).waitFor();
    expect(described()).toBe(1);
    await page.keyboard.press('Escape');
    await page.route('**/graphql', (route) => route.abort());
    const dialog = await content(page);
    await dialog.getByRole('alert').filter({ hasText: /fetch/i }).waitFor();
    await button(page, 'Set').press('Enter');
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.unroute('**/graphql');
    await (await content(page)).getByLabel('words', { exact: true }).waitFor();
    await page.context().close();
  });

  test('on a phone, in the dark', async () => {
    const page = await openBoard({}, { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    const dialog = await content(page);
    await dialog.getByLabel('words', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.context().close();
  });
});
