import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../../support/browser/browser.ts';
import { editorTexts, execute, type GraphiQL, openGraphiQL } from '../../support/browser/graphiql.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { makeWorkspace } from '../../support/gateway/factories.ts';
import { useSite } from '../../support/knowledge/site.ts';

const gateway = useGateway();
const site = useSite();
const handbook = new URL('../../files/handbook.pdf', import.meta.url);

/** Whether an element is in the part of the window that is shown of what is around it. */
const isInView = (element: Element) => {
  const { left, right, top, height } = element.getBoundingClientRect();
  const at = (x: number) => element.contains(document.elementFromPoint(x, top + height / 2));
  return at(left + 4) && at(right - 4) && scrollY === 0;
};

describe.skipIf(!chromiumPath)("GraphiQL's tour (left out where no Chromium is; CHROMIUM may name one)", () => {
  let graphiql: GraphiQL;
  let bearer: string;
  let workspaceId: string;
  beforeAll(async () => {
    const opening = openGraphiQL(gateway);
    await gateway.work();
    const { owner } = await makeWorkspace(gateway);
    workspaceId = owner.workspaceId;
    bearer = await gateway.bearer(owner);
    graphiql = await opening;
  });
  afterAll(() => graphiql?.close());

  const response = (page: Page) => page.locator('.result-window').innerText();
  /** GraphiQL runs an operation by its name, once it has named the tab. */
  const opened = (page: Page, operation: string) =>
    expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toContain(operation);
  const choose = async (page: Page, label: string | RegExp, operation: string) => {
    await page.getByRole('complementary').getByRole('button', { name: label }).click();
    await opened(page, operation);
  };
  const run = async (page: Page, expected: string) => {
    await execute(page);
    await expect.poll(async () => (await response(page)).replaceAll(/\s+/g, ' ')).toContain(expected);
  };
  const setVariables = (page: Page, variables: object) =>
    page.evaluate((text) => {
      const { monaco } = globalThis as unknown as {
        monaco: { editor: { getModels(): { uri: { path: string }; setValue(text: string): void }[] } };
      };
      const isVariables = ({ uri }: { uri: { path: string } }) => uri.path.endsWith('variables.json');
      monaco.editor.getModels().find(isVariables)?.setValue(text);
    }, JSON.stringify(variables));

  test('leads from an agent to a widget, a PDF taught by a click, a page by its address, and no id copied', async () => {
    const { page, wrong } = await graphiql.visit(bearer);
    const hint = () =>
      page.locator('.graphiql-response').evaluate((element) => getComputedStyle(element, '::before').content);
    await expect.poll(hint).toContain('Press ▶');
    await choose(page, 'Make an agent', 'CreateAgent');
    await run(page, '"name": "Front desk"');
    expect(await hint()).toBe('none');

    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('complementary').getByRole('button', { name: 'Choose…' }).click();
    await (await choosing).setFiles({
      name: 'handbook.pdf',
      mimeType: 'application/pdf',
      buffer: readFileSync(handbook),
    });
    await opened(page, 'TeachFile');
    expect((await editorTexts(page)).variables).toContain('"title": "handbook"');
    await run(page, '"description": "handbook"');

    site.pages.set('/hours', { body: '<title>Hours</title><article><p>The shop opens at nine.</p></article>' });
    await choose(page, 'Teach it a page', 'TeachPage');
    const given = JSON.parse((await editorTexts(page)).variables);
    expect(given.input.baseId).toMatch(/^bas_/);
    await setVariables(page, { input: { ...given.input, file: { url: site.url('/hours') } } });
    await run(page, '"type": "page"');
    await choose(page, 'See it read', 'ReadProgress');
    await run(page, '"status": "succeeded"');
    await page.getByRole('button', { name: /execute query/i }).waitFor();
    expect(await gateway.database.base.count({ where: { workspaceId, status: 'succeeded' } })).toBe(1);
    await choose(page, 'Let it answer', 'PublishAgent');
    await run(page, '"status": "succeeded"');

    await choose(page, 'Ask it', 'Ask');
    const { input } = JSON.parse((await editorTexts(page)).variables);
    await setVariables(page, {
      input: { ...input, message: { content: 'What is the emergency number of the lake rescue?' } },
    });
    await run(page, '0881 556677');
    // The reply is what is in sight.
    expect(await response(page)).toMatch(/^\{\s*"data":\s\{\s*"streamMessage":\s\{\s*"turn"/);

    await choose(page, 'Leave an address', 'SendMessage');
    await run(page, '"email": "ana@example.com"');
    await choose(page, 'See the lead', 'CapturedLead');
    await run(page, '"capture": "completed"');
    await choose(page, 'Answer as a person', 'AnswerAsPerson');
    await run(page, '"takenOverAt": "2');
    await choose(page, 'Put it on a page', 'CreateWidget');
    await run(page, '"publishableToken": "');
    const panel = page.getByRole('complementary');
    expect(await panel.locator('[aria-current]').textContent()).toContain('Put it on a page');
    const copy = panel.getByRole('button', { name: 'Copy the tag' });
    await copy.waitFor();
    expect(await copy.evaluate(isInView)).toBe(true);
    await copy.click();
    const tag = await page.evaluate(() => navigator.clipboard.readText());
    const { publishableToken } = await gateway.database.channel.findFirstOrThrow({ where: { workspaceId } });
    const { origin } = new URL(page.url());
    expect(tag).toBe(`<script async src="${origin}/widget.js?channel=${publishableToken}"></script>`);
    expect(await page.getByRole('tab', { selected: true }).evaluate(isInView)).toBe(true);
    await choose(page, 'See the numbers', 'Overview');
    await run(page, '"completedLeads": {');
    expect(wrong).toEqual([]);
    const conversations = await gateway.database.conversation.findMany({ where: { workspaceId } });
    expect(conversations.map(({ status }) => status)).toEqual(['waiting_human']);
  });

  test('asks the agent that is chosen, of those in the results', async () => {
    const { page } = await graphiql.visit(bearer);
    for (const name of ['Porter', 'Bell']) {
      await choose(page, 'Make an agent', 'CreateAgent');
      await setVariables(page, { input: { name } });
      await run(page, `"name": "${name}"`);
    }
    const agents = page.getByRole('complementary').getByLabel('Agent');
    expect(await agents.locator('option').allTextContents()).toEqual(['Bell', 'Porter']);
    await agents.selectOption('Porter');
    await choose(page, 'Ask it', 'Ask');
    const { input } = JSON.parse((await editorTexts(page)).variables);
    const porter = await gateway.database.agent.findFirstOrThrow({ where: { workspaceId, name: 'Porter' } });
    expect(input.agentId).toBe(porter.id);
  });

  test('goes on with what was made after another page, in another tab, and after a list of others', async () => {
    const { owner } = await makeWorkspace(gateway);
    const own = await gateway.bearer(owner);
    const { page } = await graphiql.visit(own);
    const made: string[] = [];
    for (const name of ['Porter', 'Bell']) {
      await choose(page, 'Make an agent', 'CreateAgent');
      await setVariables(page, { input: { name } });
      await run(page, `"name": "${name}"`);
      made.push(/agt_\w+/.exec(await response(page))?.[0] ?? '');
    }
    const [porter, bell] = made;
    const agentOf = async (from: Page) => {
      await choose(from, 'Put it on a page', 'CreateWidget');
      return JSON.parse((await editorTexts(from)).variables).agent;
    };
    const menu = (from: Page) => from.getByRole('complementary').getByLabel('Agent');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('searchbox').waitFor();
    await page.goBack();
    await menu(page).waitFor();
    expect(await agentOf(page)).toBe(bell);

    await menu(page).selectOption('Porter');
    const other = await page.context().newPage();
    other.setDefaultTimeout(60_000);
    await other.goto(page.url());
    await menu(other).waitFor();
    expect(await agentOf(other)).toBe(porter);
    await choose(other, /^Agents/, 'Agents');
    await run(other, '"totalCount": 2');
    expect(await agentOf(other)).toBe(porter);

    // What is gone is not offered, and another workspace has its own.
    await gateway.database.agent.deleteMany({ where: { workspaceId: owner.workspaceId, name: 'Porter' } });
    await other.reload();
    await menu(other).waitFor();
    expect(await menu(other).locator('option').allTextContents()).toEqual(['Bell']);
    await page.context().addInitScript((token) => sessionStorage.setItem('parley:token', token), bearer);
    await other.reload();
    await choose(other, 'Put it on a page', 'CreateWidget');
    expect(await menu(other).locator('option', { hasText: 'Bell' }).count()).toBe(0);
    await page.context().close();
  });

  test('shows ids letter by letter, in the editors, the response and the panels', async () => {
    const { page } = await graphiql.visit(bearer);
    await choose(page, 'Ask it', 'Ask');
    const signs = () =>
      page.locator('.view-lines, .panel-body').evaluateAll((all) =>
        all.map((element) => {
          const { fontVariantLigatures, fontFeatureSettings } = getComputedStyle(element);
          return fontFeatureSettings === 'normal' ? fontVariantLigatures : fontFeatureSettings.replaceAll('"', '');
        }),
      );
    await expect.poll(async () => (await signs()).length).toBeGreaterThan(2);
    await expect.poll(async () => [...new Set(await signs())].toSorted()).toEqual(['calt 0, liga 0', 'none']);
    await page.context().close();
  });

  test('on a phone shows what was chosen, and goes by the keyboard alone', async () => {
    const { page } = await graphiql.visit(bearer, { viewport: { width: 390, height: 844 } });
    expect((await page.locator('#bar').boundingBox())?.height).toBeLessThan(100);
    const focused = () => page.evaluate(() => document.activeElement?.closest('button')?.textContent ?? '');
    const press = async (until: string) => {
      for (let count = 0; count < 12 && !(await focused()).includes(until); count++) await page.keyboard.press('Tab');
      expect(await focused()).toContain(until);
      await page.keyboard.press('Enter');
    };
    await press('Examples');
    await press('Make an agent');
    await opened(page, 'CreateAgent');
    expect(await page.getByRole('complementary').isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    // Some lines of the variables can be seen and edited.
    const variables = page.locator('.graphiql-editor-tool .graphiql-editor:visible');
    expect((await variables.boundingBox())?.height).toBeGreaterThan(70);
    // A narrow editor shows spaces that do not break.
    await expect.poll(() => response(page)).toMatch(/Front\sdesk/);
  });

  test.each([390, 1_280])('a message moves nothing, %i pixels wide', async (width) => {
    const { page } = await graphiql.visit(bearer, { viewport: { width, height: 844 } });
    const top = async () => (await page.locator('.graphiql-sessions').boundingBox())?.y;
    const before = await top();
    expect(before).toBeGreaterThan(0);
    await page.evaluate(() =>
      document.querySelector('#panel-status')?.append('A message of some length is told here.'),
    );
    await page.getByText('A message of some length').waitFor();
    expect(await top()).toBe(before);
  });
});
