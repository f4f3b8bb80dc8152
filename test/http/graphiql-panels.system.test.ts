import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Papa from 'papaparse';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { makeKey } from '../support/auth/keys.ts';
import { chromiumPath } from '../support/browser/browser.ts';
import { editorTexts, execute, type GraphiQL, linkTo, openGraphiQL, violations } from '../support/browser/graphiql.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway({ EXPLAIN_SQL: 'on' });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const perWeek = `query Weeks($zone: String) {
  leads(first: 0) { groups(first: 2, orderBy: { field: by, direction: asc }) {
    totalCount
    nodes { by { week: createdAt(every: week, timeZone: $zone) { from } campaign: utm(key: "campaign") } count }
  } }
}`;

describe.skipIf(!chromiumPath)('beside GraphiQL (left out where no Chromium is; CHROMIUM may name one)', () => {
  let graphiql: GraphiQL;
  let owner: Viewer;
  let bearer: string;
  beforeAll(async () => {
    const opening = openGraphiQL(gateway);
    ({ owner } = await makeWorkspace(gateway));
    bearer = await gateway.bearer(owner);
    const create = 'mutation ($input: CreateLeadInput!) { createLead(input: $input) { lead { id } } }';
    for (const [name, campaign] of [
      ['Ana', 'Acme, Inc.'],
      ['Bia', 'Acme, Inc.'],
      ['Caio', '=1+1'],
      ['Davi', 'Outra'],
    ]) {
      await gateway.data(owner, create, { input: { name, utm: { campaign } } });
    }
    graphiql = await opening;
  });
  afterAll(() => graphiql?.close());

  const open = (page: Page, panel: string) => page.getByRole('button', { name: panel, exact: true }).click();
  const panel = (page: Page) => page.getByRole('complementary');
  const edit = (page: Page, text: string) =>
    page.evaluate((value) => {
      const { monaco } = globalThis as unknown as {
        monaco: { editor: { getModels(): { uri: { path: string }; setValue(text: string): void }[] } };
      };
      const isOperation = ({ uri }: { uri: { path: string } }) => uri.path.endsWith('operation.graphql');
      monaco.editor.getModels().find(isOperation)?.setValue(value);
    }, text);

  test('an operation in an address opens in the editor, is not run, and leaves the address', async () => {
    const { page, wrong } = await graphiql.visit(bearer, {}, linkTo(perWeek, { zone: 'Asia/Tokyo' }));
    await expect.poll(() => editorTexts(page)).toEqual({ query: perWeek, variables: '{"zone":"Asia/Tokyo"}' });
    expect(new URL(page.url()).hash).toBe('');
    const tabs = page.getByRole('tablist').getByRole('tab');
    expect(await tabs.first().textContent()).toContain('Weeks');
    expect(await tabs.count()).toBe(2);
    await page.goto(new URL(`/graphql?query=${encodeURIComponent('{ viewer { role } }')}`, page.url()).href);
    await expect.poll(async () => (await editorTexts(page)).query).toBe('{ viewer { role } }');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('Copied: an address').waitFor();
    const shared = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    expect(new URLSearchParams(shared.hash.slice(1)).get('query')).toBe('{ viewer { role } }');
    expect(wrong).toEqual([]);
  });

  test('the chart panel draws groups, says what is left out, and gives them as CSV, PNG and a specification', async () => {
    const { page, wrong } = await graphiql.visit(bearer, {}, linkTo(perWeek, { zone: 'Asia/Tokyo' }));
    await open(page, 'Chart');
    await panel(page).getByText('Run an operation').waitFor();
    await execute(page);
    const chart = panel(page).getByRole('img', { name: /^A line chart of count by week, 1 points in 2 series/ });
    await chart.waitFor();
    expect(await panel(page).getByRole('listitem').allTextContents()).toEqual([expect.stringMatching(/^2 of 3 rows/)]);
    await panel(page).getByLabel('Axis').selectOption('by.campaign');
    await panel(page).getByRole('button', { name: 'pie' }).press('Enter');
    await panel(page)
      .getByRole('img', { name: /^A pie chart of count by campaign, 2 points/ })
      .waitFor();

    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      panel(page).getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const text = readFileSync(await csv.path(), 'utf8');
    expect(csv.suggestedFilename()).toBe('leads-groups.csv');
    const { data } = Papa.parse<Record<string, string>>(text.replace(/^\uFEFF/, ''), {
      header: true,
      skipEmptyLines: true,
    });
    expect(data.map((row) => [row['by.campaign'], row.count]).sort()).toEqual([
      ["'=1+1", '1'],
      ['Acme, Inc.', '2'],
    ]);
    const [png] = await Promise.all([
      page.waitForEvent('download'),
      panel(page).getByRole('button', { name: 'Download PNG' }).click(),
    ]);
    expect(
      readFileSync(await png.path())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    await panel(page).getByRole('button', { name: 'Copy spec' }).click();
    await page.getByText('Copy spec: copied.').waitFor();
    const spec = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    expect(spec).toMatchObject({
      mark: 'arc',
      data: {
        values: [
          { x: '=1+1', y: 1 },
          { x: 'Acme, Inc.', y: 2 },
        ],
      },
    });

    await panel(page).getByRole('button', { name: 'table' }).click();
    await panel(page).getByRole('cell', { name: 'Acme, Inc.' }).waitFor();
    expect(wrong).toEqual([]);
  });

  test('the REST panel shows the curl that an operation equals, and opens a curl as an operation', async () => {
    const { page, wrong } = await graphiql.visit(bearer, {}, linkTo('{ agents(first: 5) { nodes { id name } } }'));
    await open(page, 'REST');
    const curl = panel(page).getByLabel('curl', { exact: true });
    await expect.poll(() => curl.textContent()).toContain(`${new URL(page.url()).origin}/rest/agents?size=5'`);
    await panel(page)
      .getByLabel('A curl of the REST service')
      .fill(`curl https://old.example/rest/leads -H 'Authorization: Bearer old' --json '{"name":"D\\u0027Ávila"}'`);
    await panel(page).getByRole('button', { name: 'Open as GraphQL' }).press('Enter');
    await panel(page).getByText('Opened in a new tab').waitFor();
    await expect.poll(async () => (await editorTexts(page)).query).toContain('mutation CreateLead');
    expect(JSON.parse((await editorTexts(page)).variables)).toEqual({ input: { name: "D'Ávila" } });
    await expect.poll(() => curl.textContent()).toContain('/rest/leads');
    await execute(page);
    await expect.poll(() => gateway.database.lead.count({ where: { name: "D'Ávila" } })).toBe(1);
    await panel(page).getByLabel('A curl of the REST service').fill('curl https://old.example/rest/lead');
    await panel(page).getByRole('button', { name: 'Open as GraphQL' }).click();
    await panel(page).getByText('No REST operation has GET and this path.').waitFor();
    expect(wrong).toEqual([]);
  });

  test('the cost panel prices the operation before it is sent, field by field, and says what to change', async () => {
    const link = linkTo('query Some($first: Int) { top: leads(first: $first) { totalCount nodes { name } } }', {
      first: 50,
    });
    const { page, wrong } = await graphiql.visit(bearer, {}, link);
    await open(page, 'Cost');
    await panel(page).getByText('of at most 100,000 for one operation').waitFor();
    await panel(page).getByText('No limit').waitFor();
    const rows = panel(page).getByRole('table').getByRole('row');
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual(['Field\tCost\tRows read', 'top\t7\t4', 'totalCount\t1\t4', 'nodes\t5\t', 'name\t4\t']);
    await panel(page).getByRole('region', { name: 'Cost by field' }).focus();

    await edit(page, '{ leads { nope } }');
    await panel(page).getByText('Line 1: Cannot query field "nope"').waitFor();
    const wide = Array.from({ length: 200 }, (_, at) => `n${at}: leads(first: 100) { nodes { name } }`).join(' ');
    await edit(page, `{ ${Array.from({ length: 1_100 }, (_, at) => `n${at}: __typename`).join(' ')} }`);
    await panel(page).getByRole('alert').getByText('It would be refused: The operation is too large').waitFor();
    await edit(page, `{ ${wide} }`);
    await panel(page).getByRole('cell', { name: '6', exact: true }).first().waitFor();
    expect(wrong).toEqual([]);
  });

  test('the cost panel names the budget of a key, and without a token says that it needs one', async () => {
    const key = await makeKey(gateway, owner, { scopes: ['leads.read'], costPerMinute: 5 });
    const link = linkTo('{ leads { nodes { id name email } } }');
    const { page } = await graphiql.visit(key, {}, link);
    await open(page, 'Cost');
    await panel(page).getByText('left of 5 for this token this minute').waitFor();
    await panel(page).getByRole('alert').getByText('more than the budget of a minute').waitFor();
    const { page: without } = await graphiql.visit('', {}, link);
    await open(without, 'Cost');
    await panel(without).getByText('The operation cannot be priced').waitFor();
    expect(await panel(without).getByRole('listitem').allInnerTexts()).toEqual([expect.stringMatching(/token/i)]);
  });

  test('the cost panel shows owners the SQL and its plan where the setting is on, and nobody else', async () => {
    const link = linkTo('{ leads { nodes { name } } }');
    const { page, wrong } = await graphiql.visit(bearer, {}, link);
    await open(page, 'Cost');
    await panel(page).getByRole('button', { name: 'Show SQL and plan' }).press('Enter');
    await expect.poll(() => panel(page).getByLabel('Statement 1').textContent()).toContain('FROM "Lead"');
    expect(await panel(page).getByLabel('Plan 1').textContent()).toMatch(/rows=/);
    await panel(page).getByRole('button', { name: 'Copy SQL' }).click();
    await page.getByText('Copy SQL: copied.').waitFor();
    expect(await violations(page, axe)).toEqual([]);
    const { SCREENSHOTS } = process.env;
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/Cost-sql.png` });
    expect(wrong).toEqual([]);
    const key = await makeKey(gateway, owner, { scopes: ['leads.read'] });
    const { page: other } = await graphiql.visit(key, {}, link);
    await open(other, 'Cost');
    await panel(other).getByRole('button', { name: 'Show SQL and plan' }).click();
    await panel(other).getByText('Only owners with their own token').waitFor();
  });

  test('the cost panel does not show the SQL of an operation that was left meanwhile', async () => {
    const { page } = await graphiql.visit(bearer, {}, linkTo('{ leads { nodes { name } } }'));
    await open(page, 'Cost');
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/graphiql/sql', async (route) => {
      await mayAnswer;
      await route.continue();
    });
    const answered = page.waitForResponse('**/graphiql/sql');
    await panel(page).getByRole('button', { name: 'Show SQL and plan' }).click();
    await edit(page, '{ agents { nodes { name } } }');
    await panel(page).getByRole('cell', { name: '1', exact: true }).first().waitFor();
    answer();
    await (await answered).finished();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    expect(await panel(page).getByLabel('Statement 1').count()).toBe(0);
  });

  test('the cost panel and the REST panel ask again after the gateway could not be reached', async () => {
    const { page } = await graphiql.visit(bearer, {}, linkTo('{ agents(first: 5) { nodes { id name } } }'));
    for (const [name, answer] of [
      ['Cost', 'of at most 100,000 for one operation'],
      ['REST', '/rest/agents?size=5'],
    ] as const) {
      await page.route(/graphql$|rest\/request$/, (route) => route.abort());
      await open(page, name);
      await panel(page).getByText('The gateway cannot be reached.').waitFor();
      await page.unroute(/graphql$|rest\/request$/);
      await open(page, name);
      await open(page, name);
      await panel(page).getByText(answer).first().waitFor();
    }
  });

  test('the history panel lists what was run, opens it again, and stores no token', async () => {
    const { page, wrong } = await graphiql.visit(bearer, {}, linkTo(perWeek, { zone: 'Asia/Tokyo' }));
    await open(page, 'History');
    await panel(page).getByText('Operations that you run are listed here').waitFor();
    await execute(page);
    const entries = panel(page).getByRole('listitem');
    await entries.getByText('Weeks').waitFor();
    await open(page, 'Examples');
    await page.locator('[data-example=Team]').click();
    await expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toContain('Team');
    await execute(page);
    await open(page, 'History');
    await entries.getByText('Team').waitFor();
    expect(await entries.locator('strong').allTextContents()).toEqual(['Team', 'Weeks']);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(bearer);

    await panel(page).getByRole('button', { name: 'Keep: Weeks' }).press('Enter');
    await panel(page).getByRole('button', { name: 'Clear the history' }).press('Enter');
    await expect.poll(() => entries.locator('strong').allTextContents()).toEqual(['Weeks']);
    await page.reload();
    await entries.getByRole('button', { name: /^Weeks/ }).press('Enter');
    await expect
      .poll(async () => JSON.parse((await editorTexts(page)).variables || '{}'))
      .toEqual({ zone: 'Asia/Tokyo' });
    expect((await editorTexts(page)).query).toBe(perWeek);
    await panel(page).getByRole('button', { name: 'Remove: Weeks' }).click();
    await panel(page).getByText('Operations that you run are listed here').waitFor();
    expect(wrong).toEqual([]);
  });

  test('the page has no fault at 1440 and 390 px, in light and dark', async () => {
    const { page, wrong } = await graphiql.visit(bearer, {}, linkTo(perWeek));
    await execute(page);
    await panel(page).getByRole('button', { name: 'Close the panel' }).click();
    for (const name of ['Examples', 'Chart', 'Save', 'Cost', 'REST', 'History']) {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1_440, 390]) {
          const look = `${name}-${width}-${colorScheme}`;
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          await open(page, name);
          await panel(page).getByRole('heading', { name, exact: true }).waitFor();
          if (name === 'Examples') await panel(page).getByText('Make an agent').waitFor();
          if (name === 'Chart') await panel(page).getByRole('img').waitFor();
          if (name === 'Save') await panel(page).getByLabel('Board', { exact: true }).waitFor();
          if (name === 'Cost') await panel(page).getByRole('table').waitFor();
          if (name === 'History') await panel(page).getByRole('button', { name: 'Clear the history' }).waitFor();
          if (name === 'REST') await panel(page).getByText('None.').waitFor();
          expect(await violations(page, axe), look).toEqual([]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth), look).toBe(width);
          const { SCREENSHOTS } = process.env;
          if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${look}.png` });
          await panel(page).getByRole('button', { name: 'Close the panel' }).press('Escape');
          await panel(page).waitFor({ state: 'hidden' });
          expect(await page.evaluate(() => document.activeElement?.textContent), look).toBe(name);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});
