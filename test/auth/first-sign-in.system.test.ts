import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { issueToken } from '../../src/auth/issue.ts';
import { inviting, newEmail } from '../support/auth/invitations.ts';
import { startIssuer } from '../support/auth/issuer.ts';
import { chromiumPath } from '../support/browser/browser.ts';
import { button, usePages } from '../support/browser/pages.ts';
import { violationsOf } from '../support/browser/widget-pages.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const issuer = await startIssuer();
afterAll(() => issuer.close());

describe.skipIf(!chromiumPath)(
  'who is invited signs in by the identity provider (left out where no Chromium is)',
  () => {
    const pages = usePages(issuer.env);
    const { gateway } = pages;

    async function invite(email: string) {
      const { owner, id } = await makeWorkspace(gateway);
      const { name } = await gateway.database.workspace.findUniqueOrThrow({ where: { id } });
      await gateway.data(owner, inviting, { input: { email, name: 'Ana', role: 'editor' } });
      return { owner, id, name };
    }

    test.each(['/dashboards', '/graphql'])(
      'at %s, is asked about the invitation, accepts it and is in',
      async (path) => {
        const email = newEmail();
        const { name } = await invite(email);
        const page = await pages.open(path, await issuer.tokenOf(email));
        await page.getByText(`You are invited to ${name} as editor.`).waitFor();
        if (path === '/dashboards') expect(await violationsOf(page)).toEqual([]);
        await button(page, `Accept the invitation to ${name}`).press('Enter');
        await page.getByText('You are invited').waitFor({ state: 'detached' });
        await page.goto(`${pages.url}/dashboards`);
        await button(page, 'New board').waitFor();
        expect(await page.locator('#notice').isVisible()).toBe(false);
        await page.context().close();
      },
    );

    describe('as a member of another workspace', () => {
      /** Opens a page with a token that names the workspace, or with none. */
      async function member(path: string, hasClaim: boolean) {
        const email = newEmail();
        const home = await makeWorkspace(gateway);
        await gateway.database.user.update({ where: { id: home.owner.userId ?? '' }, data: { email } });
        const { name } = await invite(email);
        const page = await pages.open(path, await issuer.tokenOf(email, hasClaim ? { workspace: home.id } : {}));
        await page.getByText(`You are invited to ${name} as editor.`).waitFor();
        return { page, name };
      }
      const accepted = (page: Page, name: string) => page.getByText(`You are now a member of ${name}. To see it`);

      test.each(['/dashboards', '/graphql'])('at %s, accepts it, and the page stays', async (path) => {
        const { page, name } = await member(path, true);
        await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
        if (path === '/dashboards') {
          await button(page, 'New board').waitFor();
          expect(await violationsOf(page)).toEqual([]);
        }
        await button(page, `Accept the invitation to ${name}`).press('Enter');
        await accepted(page, name).waitFor();
        await page.getByLabel('Token', { exact: true }).waitFor();
        expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('You are now a member');
        expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
        await page.reload();
        await (path === '/dashboards' ? button(page, 'New board') : page.getByRole('tab').first()).waitFor();
        expect(await page.locator('#notice').isVisible()).toBe(false);
        await page.context().close();
      });

      test.each([true, false])('declines it, and is asked no more; a token with a workspace: %s', async (hasClaim) => {
        const { page, name } = await member('/dashboards', hasClaim);
        await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
        await button(page, `Decline the invitation to ${name}`).press('Enter');
        await page.getByText(`You have declined the invitation to ${name}.`).waitFor();
        expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
        await page.reload();
        await button(page, 'New board').waitFor();
        expect(await page.locator('#notice').isVisible()).toBe(false);
        await page.context().close();
      });

      test('is told before that a token must name a workspace then, and what to do after', async () => {
        const { page, name } = await member('/dashboards', false);
        await page.getByText('your token must name one in its claim “workspace”').waitFor();
        await button(page, `Accept the invitation to ${name}`).press('Enter');
        await page.getByText('the token must name one in its claim').waitFor();
        await page.getByLabel('Token').waitFor();
        await page.context().close();
      });
    });

    test('declines it, and is told where to get another', async () => {
      const email = newEmail();
      const { name } = await invite(email);
      const page = await pages.open('/dashboards', await issuer.tokenOf(email));
      await button(page, `Decline the invitation to ${name}`).press('Enter');
      await page.getByText(`You have declined the invitation to ${name}.`).waitFor();
      await page.getByLabel('Token').waitFor();
      await page.reload();
      await page.getByText('ask an owner for an invitation').waitFor();
      await page.getByLabel('Token').waitFor();
      await page.context().close();
    });

    test('of two workspaces, accepts one, and is still asked about the other', async () => {
      const email = newEmail();
      const [one, other] = [await invite(email), await invite(email)];
      const page = await pages.open('/dashboards', await issuer.tokenOf(email));
      await page.getByText(`You are invited to ${one.name} as editor.`).waitFor();
      const line = page.getByText(`You are invited to ${other.name} as editor.`);
      await line.waitFor();
      const accept = button(page, `Accept the invitation to ${other.name}`);
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.postData() ?? ''));
      await page.route('**/graphql', (route) => route.abort());
      const failure = line.getByText('The gateway did not answer: try again.');
      for (const times of [1, 2]) {
        await accept.press('Enter');
        await expect.poll(() => sent.length).toBe(times);
        await failure.waitFor();
      }
      expect(await failure.count()).toBe(1);
      await page.unroute('**/graphql');
      await accept.dblclick();
      await button(page, 'New board').waitFor();
      await page.getByText(`You are invited to ${one.name} as editor.`).waitFor();
      expect(await line.count()).toBe(0);
      expect(sent.filter((one) => one.includes('acceptInvitation'))).toHaveLength(3);
      await page.context().close();
    });

    test('whose invitation is taken back meanwhile is told so', async () => {
      const email = newEmail();
      await invite(email);
      const token = await issuer.tokenOf(email);
      const page = await pages.open('/dashboards', token);
      await page.getByText('You are invited').waitFor();
      const viewer = { workspace: null, invitations: [] };
      await page.route('**/graphql', (route) => route.fulfill({ json: { data: { viewer } } }));
      await page.reload();
      await page.getByText('your invitation is gone: ask an owner for another.').waitFor();
      await page.getByLabel('Token').waitFor();
      await page.context().close();
    });

    test('with a token of the gateway, accepts two and is told that it names no workspace', async () => {
      const email = newEmail();
      const [one, other] = [await invite(email), await invite(email)];
      const page = await (await pages.browser.newContext()).newPage();
      const useToken = async (token: string) => {
        await page.getByLabel('Token').fill(token);
        await button(page, 'Use this token').press('Enter');
      };
      await page.goto(`${pages.url}/dashboards`);
      await useToken(await issueToken(gateway.services, { userId: email }));
      await button(page, `Accept the invitation to ${one.name}`).press('Enter');
      await button(page, 'New board').waitFor();
      await page.getByText(`You are invited to ${other.name}`).waitFor();
      await button(page, `Accept the invitation to ${other.name}`).press('Enter');
      await page.getByText('This token names no workspace.').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      const workspaceId = other.id;
      await useToken(await issueToken(gateway.services, { userId: email, workspaceId }));
      await button(page, 'New board').waitFor();
      expect(await page.locator('#notice').isVisible()).toBe(false);
      await page.context().close();
    });
  },
);
