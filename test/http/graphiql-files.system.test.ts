import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { editorTexts, execute, type GraphiQL, openGraphiQL } from '../support/browser/graphiql.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();

describe.skipIf(!chromiumPath)('files in GraphiQL (left out where no Chromium is; CHROMIUM may name one)', () => {
  let graphiql: GraphiQL;
  let bearer: string;
  beforeAll(async () => {
    const { owner } = await makeWorkspace(gateway);
    bearer = await gateway.bearer(owner);
    graphiql = await openGraphiQL(gateway);
  });
  afterAll(() => graphiql?.close());

  test('a file that is chosen or dropped becomes a knowledge base', async () => {
    const { page, wrong } = await graphiql.visit(bearer);
    const pdf = readFileSync(new URL('../files/handbook.pdf', import.meta.url));
    await page.getByLabel('Files to teach').setInputFiles({ name: 'House rules.PDF', mimeType: '', buffer: pdf });
    await expect.poll(async () => (await editorTexts(page)).query).toContain('mutation TeachFile');
    const { input } = JSON.parse((await editorTexts(page)).variables);
    const file = { title: 'House rules', ext: 'pdf', data: { base64: pdf.toString('base64') } };
    expect(input).toEqual({ description: 'House rules', sources: [{ type: 'file', file }] });
    await execute(page);
    await page.locator('.graphiql-response').getByText('"bas_').waitFor();

    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['Dogs are welcome.'], 'dogs.txt'));
      const target = document.querySelector('.graphiql-query-editor') ?? document.body;
      target.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    });
    await expect.poll(async () => (await editorTexts(page)).variables).toContain('"title": "dogs"');

    const buffer = Buffer.alloc(2_000_001);
    await page.getByLabel('Files to teach').setInputFiles({ name: 'large.pdf', mimeType: '', buffer });
    await page.getByText('More than 2 MB').waitFor();
    expect(wrong).toEqual([]);
    await page.context().close();
  });
});
