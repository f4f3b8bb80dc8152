import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../../support/browser/browser.ts';
import { type GraphiQL, linkTo, openGraphiQL } from '../../support/browser/graphiql.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { makeWorkspace } from '../../support/gateway/factories.ts';

const gateway = useGateway();

describe.skipIf(!chromiumPath)('The key that runs an operation (left out where no Chromium is)', () => {
  let graphiql: GraphiQL;
  let bearer: string;
  beforeAll(async () => {
    const opening = openGraphiQL(gateway);
    bearer = await gateway.bearer((await makeWorkspace(gateway)).owner);
    graphiql = await opening;
  });
  afterAll(() => graphiql?.close());

  test('runs the example that was just chosen, and not the operation before', async () => {
    const { page } = await graphiql.visit(bearer, {}, linkTo('query Before { bases { totalCount } }'));
    const sent: string[] = [];
    page.on('request', (request) => {
      const { operationName = null } = (request.postDataJSON() ?? {}) as { operationName?: string | null };
      if (operationName === 'Before' || operationName === 'Team') sent.push(operationName);
    });
    await page.locator('[data-example=Team]').waitFor();
    // In one step, since GraphiQL notices soon.
    await page.evaluate(async () => {
      document.querySelector<HTMLElement>('[data-example=Team]')?.click();
      const textOf = () => document.querySelector('.graphiql-query-editor .view-lines')?.textContent ?? '';
      while (!textOf().includes('Team')) await new Promise((resolve) => requestAnimationFrame(resolve));
      const key = { key: 'Enter', code: 'Enter', keyCode: 13, ctrlKey: true, bubbles: true, cancelable: true };
      document.querySelector('.graphiql-query-editor textarea')?.dispatchEvent(new KeyboardEvent('keydown', key));
    });
    await expect.poll(() => sent.length).toBeGreaterThan(0);
    expect(sent).toEqual(['Team']);
    await page.context().close();
  });
});
