import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/database/ids.ts';
import { chromiumPath } from '../../support/browser/browser.ts';
import { execute, type GraphiQL, linkTo, openGraphiQL } from '../../support/browser/graphiql.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { makeWorkspace } from '../../support/gateway/factories.ts';

const gateway = useGateway();
const byHour = `{ leads(first: 0) { groups(first: 7) { nodes { by { day: dayOfWeek }
  rows(first: 0) { groups(first: 24) { nodes { by { hour: hourOfDay } count } pageInfo { hasNextPage } } } }
  pageInfo { hasNextPage } } } }`;

describe.skipIf(!chromiumPath)('a heat map (left out where no Chromium is; CHROMIUM may name one)', () => {
  let graphiql: GraphiQL;
  let bearer: string;
  beforeAll(async () => {
    const opening = openGraphiQL(gateway);
    const { id: workspaceId, owner } = await makeWorkspace(gateway);
    bearer = await gateway.bearer(owner);
    // Mondays at 9 are the most frequent, and no lead came on a Sunday.
    const hours = [9, 9, 9, 9, 14, 33, 58, 81, 100, 130];
    const begin = Date.parse('2026-09-07T00:00:00Z');
    const data = hours.map((hour) => ({
      id: newId('lead'),
      workspaceId,
      createdAt: new Date(begin + hour * 3_600_000),
    }));
    await gateway.database.lead.createMany({ data });
    graphiql = await opening;
  });
  afterAll(() => graphiql?.close());

  test.each(['light', 'dark'] as const)('%s: its cells are as strong as their values', async (colorScheme) => {
    const { page, wrong } = await graphiql.visit(bearer, { colorScheme }, linkTo(byHour));
    await execute(page);
    await page.getByRole('button', { name: 'Chart', exact: true }).click();
    const canvas = page.getByRole('complementary').getByRole('img');
    await expect
      .poll(() => canvas.getAttribute('aria-label'))
      .toMatch(/^A heatmap chart of count by hour, 24 points in 7/);
    expect(await page.getByRole('button', { name: 'heatmap' }).getAttribute('aria-pressed')).toBe('true');
    // Mondays at 9 have the colour of the page's first series, and no other cell has.
    const strong = colorScheme === 'light' ? '67,56,202' : '165,180,252';
    const columns = await canvas.evaluate((element, colour) => {
      const { width, height } = element as HTMLCanvasElement;
      const pixels = (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
      const found = new Set<number>();
      for (let at = 0; at < pixels.length; at += 4) {
        if (pixels.slice(at, at + 3).join() === colour) found.add((at / 4) % width);
      }
      return found.size / width;
    }, strong);
    expect(columns).toBeGreaterThan(0.01);
    expect(columns).toBeLessThan(1 / 24);
    expect(wrong).toEqual([]);
  });
});
