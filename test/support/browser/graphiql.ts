import type { BrowserContextOptions, Page } from 'playwright-core';
import { type Listening, listen } from '../../../src/http/server.ts';
import type { Gateway } from '../gateway/app.ts';
import { openBrowser } from './browser.ts';

/** A gateway's GraphiQL in a browser. */
export type GraphiQL = {
  /** Opens the page with a bearer; `wrong` collects page errors and requests to other hosts. */
  visit(bearer: string, options?: BrowserContextOptions, path?: string): Promise<{ page: Page; wrong: string[] }>;
  close(): Promise<void>;
};

/** Opens a browser, and a server for it. */
export async function openGraphiQL(gateway: Gateway): Promise<GraphiQL> {
  const server: Listening = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  const browser = openBrowser();
  return {
    async visit(bearer, options = {}, path = '/graphql') {
      const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, ...options });
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await context.addInitScript((token) => sessionStorage.setItem('parley:token', token), bearer);
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const wrong: string[] = [];
      page.on('pageerror', (error) => wrong.push(error.message));
      page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
      page.on('request', (request) => {
        const url = request.url();
        if (!/^(data|blob):/.test(url) && !url.startsWith(server.url)) wrong.push(url);
      });
      await page.goto(`${server.url}${path}`);
      await page.getByRole('tab').first().waitFor();
      return { page, wrong };
    },
    async close() {
      await browser.close();
      await server.close(0);
    },
  };
}

/** The address of an operation in GraphiQL. */
export const linkTo = (query: string, variables: object = {}): string =>
  `/graphql#${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`;

/** Runs the operation in the editor. */
export const execute = (page: Page): Promise<void> => page.getByRole('button', { name: /execute query/i }).click();

/** The operation and variables of the open tab. */
export const editorTexts = (page: Page): Promise<{ query: string; variables: string }> =>
  page.evaluate(() => {
    const { monaco } = globalThis as unknown as {
      monaco: { editor: { getModels(): { uri: { path: string }; getValue(): string }[] } };
    };
    const textOf = (file: string) =>
      monaco.editor
        .getModels()
        .find(({ uri }) => uri.path.endsWith(file))
        ?.getValue() ?? '';
    return { query: textOf('operation.graphql'), variables: textOf('variables.json') };
  });

/** The violations that axe finds in the bar and the panels. */
export async function violations(page: Page, axe: string): Promise<string[]> {
  // Evaluated, since the page's policy forbids inline scripts.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: { run(include: object): Promise<Violations> } }).axe.run;
    type Violations = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
    const found = await run({ include: [['#bar'], ['#panels']] });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  });
}
