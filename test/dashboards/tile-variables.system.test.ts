import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { chromiumPath } from '../support/browser/browser.ts';
import { violationsOf } from '../support/browser/widget-pages.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
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
  let gateway: Gateway;
  let server: Listening;
  let browser: Browser;
  let home: TestWorkspace;
  let operation: string;
  let agent: string;
  beforeAll(async () => {
    const launching = chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
    gateway = await openGateway();
    server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
    browser = await launching;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close(0);
    await gateway?.close();
  });
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
    const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, ...options });
    const bearer = await gateway.bearer(home.owner);
    await context.addInitScript((given) => sessionStorage.setItem('parley:token', given), bearer);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(`${server.url}/dashboards/wall#edit`);
    return page;
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const content = async (page: Page) => {
    await button(page, 'Edit the content of Agents').press('Enter');
    return page.getByRole('dialog', { name: 'Content of Agents' });
  };
  const counted = (page: Page, number: number) =>
    page.getByRole('region', { name: 'Agents', exact: true }).getByText(String(number), { exact: true }).first();
  const variables = async () => {
    const asked = '{ dashboards(first: 1) { nodes { tiles { variables } } } }';
    return (await gateway.data(home.owner, asked)).dashboards.nodes[0].tiles[0].variables;
  };
  const store = async (page: Page) => {
    await button(page, 'Save').press('Enter');
    await page.getByText('The board is saved.').waitFor();
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
    await dialog.getByLabel('range').fill('{ "last": "1y" }');
    await button(page, 'Set').press('Enter');
    await counted(page, 1).waitFor();
    const graphiql = page.getByRole('link', { name: 'Open Agents in GraphiQL' });
    expect(decodeURIComponent((await graphiql.getAttribute('href')) ?? '')).toContain(agent);
    await button(page, 'Undo').press('Enter');
    await counted(page, 0).waitFor();
    await content(page);
    await words.fill('');
    await dialog.getByLabel('ids').fill(agent);
    await dialog.getByLabel('isShown').selectOption('Default');
    await button(page, 'Set').press('Enter');
    await counted(page, 1).waitFor();
    // The new range is asked with what is not saved yet.
    await page.getByLabel('Time range').selectOption('24h');
    await counted(page, 1).waitFor();
    await store(page);
    expect(await variables()).toEqual({ ids: [agent] });
    await counted(page, 1).waitFor();
    await page.context().close();
  });

  test('what the query refuses is told beside the field that has it, and not set', async () => {
    const page = await openBoard();
    const dialog = await content(page);
    const wrong = (name: string) => dialog.getByRole('paragraph').filter({ hasText: name }).getByRole('alert');
    await dialog.getByLabel('range').fill('last: 1y');
    await button(page, 'Set').press('Enter');
    await wrong('range').filter({ hasText: 'This is not JSON.' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('variable-range');
    await dialog.getByLabel('range').fill('{ "lasts": "1y" }');
    await button(page, 'Set').press('Enter');
    await wrong('range').filter({ hasText: 'unknown field "lasts"' }).waitFor();
    await dialog.getByLabel('range').fill('');
    await dialog.getByLabel('last', { exact: true }).fill('long');
    await button(page, 'Set').press('Enter');
    await wrong('last').filter({ hasText: 'must be a number and a unit' }).waitFor();
    expect(await dialog.getByLabel('range').getAttribute('aria-invalid')).toBe('false');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('last', { exact: true }).fill('7d');
    await button(page, 'Set').press('Enter');
    await counted(page, 2).waitFor();
    await store(page);
    expect(await variables()).toEqual({ last: '7d' });
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
    await button(page, 'Set').press('Enter');
    await counted(page, 2).waitFor();
    await store(page);
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
