import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../prisma/seed.ts';
import { DEMO_WORKSPACE_ID } from '../../src/auth/demo.ts';
import { issueToken } from '../../src/auth/issue.ts';
import { chromiumPath } from '../support/browser/browser.ts';
import { usePages } from '../support/browser/pages.ts';
import { violationsOf } from '../support/browser/widget-pages.ts';

describe.skipIf(!chromiumPath)('the page of a board (left out where no Chromium is)', () => {
  const pages = usePages({ DEMO: 'true' });
  const { gateway } = pages;
  let token: string;
  beforeAll(async () => {
    await seedDemo(gateway.services);
    token = await issueToken(gateway.services, { userId: 'owner@demo.example' });
  });

  const open = (path: string, options: BrowserContextOptions = {}) =>
    pages.open(path, token, { viewport: { width: 1_440, height: 900 }, ...options });
  const tile = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const drawn = async (page: Page) => {
    await page.getByRole('heading', { level: 1, name: 'Marketing' }).waitFor();
    await expect.poll(() => page.locator('.tile canvas').count()).toBe(4);
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
  };
  const boxesOf = (page: Page) =>
    page.locator('.tile').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON() as DOMRect));

  test('is reached from the list, and draws the results of its operations on the grid', async () => {
    const page = await open('/dashboards');
    await page.getByRole('link', { name: 'Marketing' }).click();
    await page.waitForURL(`${pages.url}/dashboards/marketing`);
    await drawn(page);
    const { conversations } = await gateway.data(
      token,
      '{ conversations(first: 0, filter: { createdAt: { last: "12w" } }) { totalCount } }',
    );
    const number = tile(page, 'Conversations and leads').getByRole('definition').first();
    expect(await number.textContent()).toBe(conversations.totalCount.toLocaleString('en'));
    const [first, weeks, campaigns] = await boxesOf(page);
    expect(weeks?.y).toBeGreaterThanOrEqual((first as DOMRect).y + (first as DOMRect).height);
    expect([campaigns?.y, campaigns?.x]).toEqual([weeks?.y, expect.closeTo((weeks as DOMRect).right + 16, 0)]);
    await page.context().close();
  });

  test('shows what changes without a reload', async () => {
    const page = await open('/dashboards/marketing');
    await drawn(page);
    const number = tile(page, 'Conversations and leads').getByRole('definition').first();
    const shown = async () => Number((await number.textContent())?.replaceAll(',', ''));
    const before = await shown();
    const { conversations } = await gateway.data(token, '{ conversations(last: 5) { nodes { id } } }');
    await gateway.services.database.conversation.updateMany({
      where: { workspaceId: DEMO_WORKSPACE_ID, id: { in: conversations.nodes.map(({ id }: { id: string }) => id) } },
      data: { createdAt: new Date() },
    });
    await expect.poll(shown, { timeout: 60_000 }).toBeGreaterThan(before);
    await page.context().close();
  });

  test('has a time range and zone to choose, which its address keeps', async () => {
    const page = await open('/dashboards/marketing');
    await drawn(page);
    const number = tile(page, 'Conversations and leads').getByRole('definition').first();
    const ofTwelve = await number.textContent();
    await page.getByLabel('Time range').selectOption('Last 4 weeks');
    await page.getByLabel('Time zone').selectOption('UTC');
    expect(new URL(page.url()).search).toBe('?last=4w&timeZone=UTC');
    await expect.poll(() => number.textContent()).not.toBe(ofTwelve);
    const ofFour = await number.textContent();
    await page.reload();
    await expect.poll(() => number.textContent()).toBe(ofFour);
    expect(await page.getByLabel('Time range').inputValue()).toBe('4w');
    await page.context().close();
  });

  test('is used with the keyboard: rows of a chart, full screen, and the operation in GraphiQL', async () => {
    const page = await open('/dashboards/marketing');
    await drawn(page);
    const weeks = tile(page, 'Leads per week');
    await weeks.getByRole('button', { name: 'Rows of Leads per week' }).press('Enter');
    expect(await weeks.getByRole('row').count()).toBeGreaterThan(10);
    await weeks.getByRole('button', { name: 'Rows of Leads per week' }).press('Space');
    await weeks.getByRole('img', { name: /^A line chart of count by week/ }).waitFor();
    const full = page.getByRole('button', { name: 'Full screen' });
    await full.press('Enter');
    await expect.poll(() => full.getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false);
    await full.press('Enter');
    await expect.poll(() => full.getAttribute('aria-pressed')).toBe('false');
    await weeks.getByRole('link', { name: 'Open Leads per week in GraphiQL' }).press('Enter');
    await page.getByRole('tab').first().waitFor();
    await page.getByRole('button', { name: /execute query/i }).click();
    await expect.poll(() => page.locator('.graphiql-response').textContent()).toContain('"withEmail"');
    await page.context().close();
  });

  test('leads from a group to its rows in GraphiQL', async () => {
    const page = await open('/dashboards/marketing');
    await drawn(page);
    const campaigns = tile(page, 'Leads by campaign');
    await campaigns.getByRole('button', { name: 'Rows of Leads by campaign' }).press('Enter');
    const row = campaigns.getByRole('row').nth(2);
    const [name, count] = await row.getByRole('cell').allTextContents();
    await row.getByRole('button', { name: `Show the rows of ${name}` }).press('Enter');
    await page.waitForURL(/\/graphql/);
    await page.getByRole('button', { name: /execute query/i }).click();
    const response = () => page.locator('.graphiql-response').textContent();
    await expect.poll(response).toContain('"totalCount"');
    expect((await response())?.replaceAll(/\s/g, '')).toContain(`"totalCount":${count}`);
    await page.context().close();
  });

  test('leads from a number to the rows that it counts in GraphiQL', async () => {
    const page = await open('/dashboards/marketing');
    await drawn(page);
    const numbers = tile(page, 'Conversations and leads');
    const buttons = numbers.getByRole('button', { name: /show the rows of .* in GraphiQL$/ });
    expect(await buttons.count()).toBe(await numbers.getByRole('definition').count());
    const leads = numbers.getByRole('button', { name: /: show the rows of Leads in GraphiQL$/ });
    const count = Number((await leads.textContent())?.replaceAll(',', ''));
    await leads.press('Enter');
    await page.waitForURL(/\/graphql/);
    await page.getByRole('button', { name: /execute query/i }).click();
    const response = async () => (await page.locator('.graphiql-response').textContent())?.replaceAll(/\s/g, '');
    await expect.poll(response).toContain(`"conversations":{"totalCount":${count},"nodes":[{"id":"cnv_`);
    await page.context().close();
  });

  test('is shared by a link, which shows it and nothing else to who has no account, until it is revoked', async () => {
    const page = await open('/dashboards/marketing');
    await drawn(page);
    await page.getByRole('button', { name: 'Share' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Share Marketing' });
    await dialog.getByText('Nobody has a link to this board.').waitFor();
    await dialog.getByRole('button', { name: 'Create a link' }).press('Enter');
    const link = await dialog.getByRole('textbox', { name: 'The link' }).inputValue();
    expect(link).toMatch(new RegExp(`^${pages.url}/dashboards/marketing#key=pky_`));
    expect(await violationsOf(page)).toEqual([]);

    const ended = 'This link does not work: it was revoked';
    const context = await pages.browser.newContext({ viewport: { width: 390, height: 800 } });
    const asked: string[] = [];
    context.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`));
    const guest = await context.newPage();
    await guest.goto(link);
    await drawn(guest);
    expect(await guest.getByRole('button', { name: 'Share' }).count()).toBe(0);
    for (const role of ['link', 'button'] as const)
      expect(await guest.getByRole(role, { name: /in GraphiQL/ }).count()).toBe(0);
    expect(await violationsOf(guest)).toEqual([]);
    // The browser may say the whole address of a page, but never sends its fragment.
    const secret = link.split('=')[1] ?? '';
    expect(asked.filter((one) => one.split('#')[0]?.includes(secret))).toEqual([]);
    await guest.reload();
    await drawn(guest);
    // Opened by the ID of its board, it keeps that, as for a member.
    const byName = '{ dashboards(filter: { names: ["marketing"] }) { nodes { id } } }';
    const [{ id }] = (await gateway.data(token, byName)).dashboards.nodes;
    const byId = link.replace('/marketing#', `/${id}#`);
    await guest.goto(byId);
    await drawn(guest);
    expect(guest.url()).toBe(byId);
    await guest.goto(link.replace('/marketing#', '/support#'));
    await guest.getByText('The address of this link is not that of its board').waitFor();
    await guest.goto(link);

    await dialog.getByRole('button', { name: /^Revoke the link/ }).press('Enter');
    await dialog.getByText('The link is revoked').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Close');
    await guest.getByText(ended).waitFor();
    // A page whose link is exchanged loads again.
    await guest.goto(`${link}x`);
    await guest.getByText(ended).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    await context.close();
    await page.context().close();
  });

  test('has its tiles one below the other on a phone, and prints them on light paper', async () => {
    const page = await open('/dashboards/marketing', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await drawn(page);
    const boxes = await boxesOf(page);
    for (const [at, box] of boxes.entries())
      if (at > 0) expect(box.y).toBeGreaterThan((boxes[at - 1] as DOMRect).bottom);
    await page.setViewportSize({ width: 1_000, height: 800 });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const corner = () =>
      page
        .locator('.tile canvas')
        .first()
        .evaluate((canvas) => [
          ...((canvas as HTMLCanvasElement).getContext('2d')?.getImageData(1, 1, 1, 1).data ?? []),
        ]);
    await expect.poll(corner).toEqual([255, 255, 255, 255]);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('light');
    expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false);
    expect(await page.locator('button:visible:not(dd button)').count()).toBe(0);
    // Who reads the paper cannot ask for them.
    for (const name of ['Time range', 'Time zone']) expect(await page.getByLabel(name).isVisible(), name).toBe(true);
    await page.context().close();
  });

  test('says what is missing: an operation that was deleted, a board that there is not, a right', async () => {
    const create = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
    const input = { name: 'gone-soon', document: '{ bases { totalCount } }' };
    const { createOperation } = await gateway.data(token, create, { input });
    const tiles = [{ operation: 'gone-soon', title: 'Gone' }, { text: 'A text' }];
    await gateway.data(
      token,
      'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }',
      { input: { name: 'broken', title: 'Broken', tiles } },
    );
    const { id } = createOperation.operation;
    await gateway.data(token, `mutation { deleteOperation(input: {id: "${id}"}) { deletedId } }`);
    const page = await open('/dashboards/broken');
    await tile(page, 'Gone').getByText('its saved operation no longer exists').waitFor();
    await page.goto(`${pages.url}/dashboards/nowhere`);
    await page.getByText('There is no board “').waitFor();
    await page.context().close();
  });
});
