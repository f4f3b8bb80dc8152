import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { mutation } from '../support/browser/widget.ts';
import { launcher, log, openWidgetPages, violationsOf } from '../support/browser/widget-pages.ts';

describe.skipIf(!chromiumPath)('at the end of a conversation (left out where no Chromium is)', () => {
  let world: Awaited<ReturnType<typeof openWidgetPages>>;
  beforeAll(async () => {
    world = await openWidgetPages();
  });
  afterAll(() => world?.close());

  test('the widget asks how it was, and why, by the keyboard too, and no more once they write again', async () => {
    const { page } = await world.open([await world.make({ agent: { name: 'Ana', welcome: 'Hello.' } })]);
    await launcher(page, 'Ana').click();
    await page.getByRole('textbox').fill('Hi');
    await page.keyboard.press('Enter');
    await log(page).getByText('Answer to Hi.').waitFor();
    expect(await page.getByRole('group').count()).toBe(0);

    const stored = () => world.gateway.database.conversation.findFirstOrThrow();
    const input = { id: (await stored()).id, status: 'resolved' };
    await world.gateway.data(world.home.editor, mutation('updateConversation', 'conversation { id }'), { input });
    await page.reload();
    const four = page.getByRole('button', { name: '4 ' });
    await four.focus();
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await stored()).satisfaction).toBe(4);
    expect(await four.getAttribute('aria-pressed')).toBe('true');
    await page
      .getByPlaceholder(/\(opciona/)
      .or(page.getByPlaceholder(/\(optional/))
      .fill('Quick.');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await stored()).satisfactionComment).toBe('Quick.');
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('textbox').last().fill('One more');
    await page.keyboard.press('Enter');
    await log(page).getByText('Answer to One more.').waitFor();
    await expect.poll(() => page.getByRole('group').count()).toBe(0);
  });
});
