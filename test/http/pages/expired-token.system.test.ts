import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../../prisma/seed.ts';
import { type Listening, listen } from '../../../src/http/server.ts';
import { chromiumPath, openBrowser } from '../../support/browser/browser.ts';
import { execute } from '../../support/browser/graphiql.ts';
import { type Gateway, openGateway } from '../../support/gateway/app.ts';

describe.skipIf(!chromiumPath)(
  'a token that has expired (left out where no Chromium is; CHROMIUM may name one)',
  () => {
    let gateway: Gateway;
    let server: Listening;
    const browser = openBrowser();
    beforeAll(async () => {
      gateway = await openGateway({ DEMO: 'true' });
      await seedDemo(gateway.services);
      server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
    });
    afterAll(async () => {
      await browser.close();
      await server?.close(0);
      await gateway?.close();
    });

    /** Signs in; from then on the page has a token that the gateway does not take, until it gets another. */
    async function visit(path: string, { ended = false } = {}): Promise<{ page: Page; tokens: () => number }> {
      const page = await (await browser.newContext({ viewport: { width: 1_440, height: 900 } })).newPage();
      page.setDefaultTimeout(60_000);
      let count = 0;
      await page.route('**/demo/token', async (route) => {
        count += 1;
        if (count === 1) await route.fulfill({ json: { token: 'expired' } });
        else if (ended) await route.fulfill({ status: 401, json: {} });
        else await route.continue();
      });
      await page.goto(`${server.url}${path}#key=${await gateway.services.demoSessions?.issueKey()}`);
      return { page, tokens: () => count };
    }

    test('is renewed in GraphiQL without a word', async () => {
      const { page, tokens } = await visit('/graphql');
      await page.getByRole('tab').first().waitFor();
      await execute(page);
      await page.locator('.graphiql-response').getByText('"newConversations"').waitFor();
      expect(await page.locator('#notice').isVisible()).toBe(false);
      expect(tokens()).toBe(2);
      await execute(page);
      await page.locator('.graphiql-response').getByText('"newConversations"').waitFor();
      expect(tokens()).toBe(2);
    });

    test('is renewed on a board', async () => {
      const { page, tokens } = await visit('/dashboards/marketing');
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('img').first().waitFor();
      expect(tokens()).toBe(2);
    });

    test('is not renewed once the session has ended, and the result says so', async () => {
      const { page, tokens } = await visit('/graphql', { ended: true });
      await page.getByRole('tab').first().waitFor();
      await execute(page);
      await page.locator('.graphiql-response').getByText('unauthorized').first().waitFor();
      expect(tokens()).toBeGreaterThan(1);
    });
  },
);
