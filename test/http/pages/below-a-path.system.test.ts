import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { seedDemo } from '../../../prisma/seed.ts';
import { issueToken } from '../../../src/auth/issue.ts';
import { type Listening, listen } from '../../../src/http/server.ts';
import { chromiumPath, openBrowser } from '../../support/browser/browser.ts';
import { type Gateway, openGateway } from '../../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../../support/gateway/factories.ts';
import { freePort } from '../../support/gateway/free-port.ts';

const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((file) => existsSync(file)) ?? null;

/** nginx at `port`, where everything below /parley/ is the gateway, which knows only the part after it. */
const configOf = (folder: string, port: number, gateway: string) => `
daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location = /parley { return 301 http://$http_host/parley/; }
    location /parley/ {
      proxy_pass ${gateway}/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_buffering off;
    }
  }
}`;

describe.skipIf(!chromiumPath || !nginx)('below a path of nginx (left out where it or Chromium is missing)', () => {
  let gateway: Gateway;
  let home: TestWorkspace;
  let server: Listening;
  const browser = openBrowser();
  let proxy: ChildProcess;
  let folder: string;
  let address: string;
  beforeAll(async () => {
    const port = await freePort();
    address = `http://127.0.0.1:${port}/parley`;
    gateway = await openGateway({ PUBLIC_URL: address, DEMO: 'true', TRUSTED_PROXIES: '127.0.0.1' });
    await seedDemo(gateway.services);
    home = await makeWorkspace(gateway);
    server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
    folder = await mkdtemp(path.join(tmpdir(), 'parley-nginx-'));
    await writeFile(path.join(folder, 'nginx.conf'), configOf(folder, port, server.url));
    proxy = spawn(nginx ?? '', ['-c', path.join(folder, 'nginx.conf')], { stdio: 'ignore' });
    await vi.waitFor(() => fetch(`${address}/health`), 30_000);
  });
  afterAll(async () => {
    await browser.close();
    proxy?.kill();
    if (proxy?.exitCode === null) await once(proxy, 'exit');
    await server?.close(0);
    await gateway?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A page, and what went wrong in it: errors, failed requests, and requests to anywhere else. */
  async function open(place: string, token?: string): Promise<{ page: Page; wrong: string[] }> {
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    page.setDefaultTimeout(60_000);
    if (token) await page.context().addInitScript((it) => sessionStorage.setItem('parley:token', it), token);
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
    page.on('response', (response) => response.status() >= 400 && wrong.push(`${response.url()} ${response.status()}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!/^(data|blob):/.test(url) && !url.startsWith(`${address}/`)) wrong.push(url);
    });
    await page.goto(`${address}${place}`);
    return { page, wrong };
  }

  test('GraphiQL runs operations, and its panels and editors load', async () => {
    const { page, wrong } = await open('/', await gateway.bearer(home.owner));
    await page.waitForURL(`${address}/graphql`);
    await page.getByRole('tab').first().waitFor();
    await page.getByRole('button', { name: /execute query/i }).click();
    await expect.poll(() => page.locator('.graphiql-response').textContent()).toContain('"data"');
    for (const name of ['Chart', 'Cost', 'REST']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('complementary').waitFor();
    }
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    const hrefs = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    expect(hrefs).toEqual(['graphql', 'reference', 'dashboards', 'docs'].map((name) => `${address}/${name}`));
    expect(wrong).toEqual([]);
  });

  test('the reference shows its operations, whose addresses and links are below the path', async () => {
    const { page, wrong } = await open('/reference');
    await page.getByRole('button', { name: 'Open Group - Agents' }).click();
    await page.getByRole('link', { name: /^List agents/ }).click();
    const operation = page.getByRole('region', { name: 'List agents' });
    const link = operation.getByRole('link', { name: 'Open in GraphiQL' });
    expect(await link.evaluate((it) => (it as HTMLAnchorElement).href)).toContain(`${address}/graphql#`);
    await expect.poll(() => operation.textContent()).toContain(`${address}/rest/agents?page=1`);
    expect(wrong).toEqual([]);
  });

  test('the documentation is searched, and its links lead on', async () => {
    const { page, wrong } = await open('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('stale reads');
    await page.getByRole('link', { name: /^Stale reads/ }).click();
    await page.waitForURL(`${address}/docs/graphql#stale-reads`);
    await page.getByRole('link', { name: 'GraphiQL', exact: true }).first().click();
    await page.waitForURL(`${address}/graphql`);
    expect(wrong).toEqual([]);
  });

  test('a board draws its tiles, follows them, and leads to their operations', async () => {
    const { page, wrong } = await open(
      '/dashboards',
      await issueToken(gateway.services, { userId: 'owner@demo.example' }),
    );
    await page.getByRole('link', { name: 'Marketing' }).click();
    await page.waitForURL(`${address}/dashboards/marketing`);
    await expect.poll(() => page.locator('.tile canvas').count()).toBe(4);
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    await page.getByRole('link', { name: 'Open Leads per week in GraphiQL' }).click();
    await page.getByRole('tab').first().waitFor();
    expect(page.url()).toContain(`${address}/graphql`);
    expect(wrong).toEqual([]);
  });

  test('an invitation is accepted by its link', async () => {
    const document = `mutation { inviteMember(input: { name: "Ana", email: "ana.path@example.com", role: viewer }) {
      link { url } } }`;
    const { inviteMember } = await gateway.data(home.owner, document);
    const { url } = inviteMember.link;
    expect(url).toContain(`${address}/invitation#`);
    const { page, wrong } = await open(url.slice(address.length));
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('You are now a member of').waitFor();
    expect(wrong).toEqual([]);
  });

  test('the page with the widget opens it, and the widget speaks to its gateway', async () => {
    const { page, wrong } = await open('/demo/widget');
    await page.getByRole('button', { name: /Gear guide/ }).click();
    await page.getByRole('dialog').waitFor();
    expect(wrong).toEqual([]);
  });
});
