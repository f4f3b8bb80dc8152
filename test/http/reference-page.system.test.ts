import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { referenceAsset, referencePage } from '../../src/http/pages/reference.ts';
import { securityHeaders } from '../../src/http/security.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { chromiumPath, openBrowser } from '../support/browser/browser.ts';

const description = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

describe.skipIf(!chromiumPath)('the REST reference in a browser', () => {
  let bearers: (string | undefined)[] = [];
  const sent: string[] = [];
  let server: Listening;
  const browser = openBrowser();

  beforeAll(async () => {
    const app = new Hono().use(securityHeaders());
    app.get('/reference', () =>
      referencePage({
        description: 'openapi.json',
        signIn: { session: true, notice: '' },
        links: [['GraphiQL', 'graphql', false]],
      }),
    );
    app.post('/demo/session', (c) => c.json({ csrfToken: 'csrf' }));
    app.post('/demo/token', (c) => c.json({ token: 'a-demo-token' }));
    app.post('/graphql', (c) =>
      c.json({
        data: {
          leads: { nodes: [{ id: 'led_of_the_workspace' }] },
          bases: { nodes: [{ id: 'bas_of_the_workspace' }] },
        },
      }),
    );
    app.get('/reference/:name', (c) => referenceAsset(c.req.raw, c.req.param('name')));
    app.get('/openapi.json', () => new Response(description, { headers: { 'content-type': 'application/json' } }));
    app.all('/rest/*', (c) => {
      sent.push(`${c.req.method} ${c.req.path}`);
      bearers.push(c.req.header('authorization'));
      return c.json({ data: [], meta: {} });
    });
    server = await listen(app.fetch as never, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await browser.close();
    await server?.close(0);
  });

  /** Opens the page; records its requests and errors. */
  async function open(path: string) {
    const page = await (await browser.newContext({ viewport: { width: 1_400, height: 900 } })).newPage();
    page.setDefaultTimeout(60_000);
    const asked: string[] = [];
    const wrong: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || /Content.Security.Policy/i.test(message.text())) wrong.push(message.text());
    });
    await page.goto(server.url + path);
    return {
      page,
      wrong,
      elsewhere: () => asked.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(server.url)),
    };
  }

  test('draws the description, asks no other machine for anything and breaks no rule of its policy', async () => {
    const { page, wrong, elsewhere } = await open('/reference');
    await page.getByRole('button', { name: 'Open Group - Agents' }).click();
    await page.getByRole('link', { name: /^List agents/ }).click();
    await page.getByRole('button', { name: 'Test Request (get /rest/agents)' }).waitFor();
    expect(await page.getByRole('link', { name: 'GraphiQL', exact: true }).getAttribute('href')).toBe('graphql');
    expect(wrong).toEqual([]);
    expect(elsewhere()).toEqual([]);
    expect(
      await page
        .getByText(/ask ai|generate mcp|developer tools/i)
        .filter({ visible: true })
        .count(),
    ).toBe(0);
  });

  test('leads the keyboard past its many links by one, seen when it is reached', async () => {
    const { page, wrong } = await open('/reference');
    await page.getByRole('main').waitFor();
    await page.keyboard.press('Tab');
    const link = page.getByRole('link', { name: 'Skip to the operations' });
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
    expect((await link.boundingBox())?.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
    await page.keyboard.press('Tab');
    expect(await page.getByRole('main').evaluate((main) => main.contains(document.activeElement))).toBe(true);
    expect(wrong).toEqual([]);
  });

  test('shows each operation with its ids, as GraphQL and as code, and each of its errors', async () => {
    const { page, wrong, elsewhere } = await open('/reference#key=of-the-start');
    await page.getByRole('button', { name: 'Open Group - Bases' }).click();
    await page.getByRole('link', { name: /^Get a knowledge base/ }).click();
    const operation = page.getByRole('region', { name: 'Get a knowledge base' });
    const link = operation.getByRole('link', { name: 'Open in GraphiQL' });
    const { pathname, hash } = new URL((await link.getAttribute('href')) ?? '', server.url);
    const given = new URLSearchParams(hash.slice(1));
    expect([pathname, given.get('query'), JSON.parse(given.get('variables') ?? '')]).toEqual([
      '/graphql',
      expect.stringMatching(/^query ReadBase\b/),
      expect.objectContaining({ id: 'bas_of_the_workspace' }),
    ]);
    await expect.poll(() => operation.textContent()).toContain(`curl ${server.url}/rest/bases/bas_of_the_workspace`);
    expect(await operation.textContent()).not.toContain('If-Match: ');
    await operation.getByRole('button', { name: 'Shell Curl' }).click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['openapi-fetch', 'GraphQL', 'Fetch', 'Curl']);
    await page.getByRole('option', { name: 'openapi-fetch' }).click();
    await expect.poll(() => operation.textContent()).toContain(`baseUrl: '${server.url}'`);
    await operation.getByRole('tab', { name: '404' }).click();
    await expect.poll(() => operation.textContent()).toMatch(/base not found\./i);
    expect(wrong).toEqual([]);
    expect(elsewhere()).toEqual([]);
  });

  test.each([
    ['delete', '/rest/leads/{id}', 'Leads', 'Delete a lead', 'deletes for good'],
    ['put', '/rest/bases/{id}', 'Bases', 'Update a knowledge base', 'overwrites what is stored'],
    ['post', '/rest/settings', 'Workspace', 'Save the settings of the workspace', 'overwrites what is stored'],
  ])('asks before it sends %s %s, which names no row of the workspace', async (method, path, group, title, does) => {
    const { page } = await open('/reference#key=of-the-start');
    const asked: string[] = [];
    let agrees = false;
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      return agrees ? dialog.accept() : dialog.dismiss();
    });
    await page.getByRole('button', { name: `Open Group - ${group}` }).click();
    await page.getByRole('link', { name: new RegExp(`^${title}`) }).click();
    await page.getByRole('button', { name: `Test Request (${method} ${path})` }).click();
    const send = page.getByRole('button', { name: /^Send / }).first();
    const [parameter] = JSON.parse(description).paths[path][method].parameters;
    const named = `${method.toUpperCase()} ${path.replace('{id}', parameter.example)}`;
    await send.click();
    await expect.poll(() => asked).toEqual([`${named} ${does}. Send it?`]);
    expect(sent).not.toContain(named);
    agrees = true;
    await send.click();
    await expect.poll(() => sent).toContain(named);
  });

  test('finds an operation by its name, with the keyboard alone', async () => {
    const { page } = await open('/reference');
    await page.getByRole('button', { name: /Search/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Enter search query' }).waitFor();
    await page.keyboard.type('Create a lead');
    await page.getByRole('option').first().filter({ hasText: 'Create a lead' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => decodeURIComponent(new URL(page.url()).hash)).toContain('/rest/leads');
  });

  test('asks this gateway, with the token that it was given', async () => {
    bearers = [];
    const { page, wrong, elsewhere } = await open('/reference#key=of-the-start');
    await page.getByRole('button', { name: 'Open Group - Agents' }).click();
    await page.getByRole('link', { name: /^List agents/ }).click();
    await page.getByRole('button', { name: 'Test Request (get /rest/agents)' }).click();
    await page
      .getByRole('button', { name: /^Send / })
      .first()
      .click();
    await expect.poll(() => bearers).toEqual(['Bearer a-demo-token']);
    expect(wrong).toEqual([]);
    expect(elsewhere()).toEqual([]);
  });
});
