import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedDemo } from '../../prisma/seed.ts';
import { issueToken } from '../../src/auth/issue.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';

let gateway: Gateway;
let bearer: string;
beforeAll(async () => {
  gateway = await openGateway({ DEMO: 'true' });
  await seedDemo(gateway.services);
  bearer = await issueToken(gateway.services, { userId: 'owner@demo.example' });
});
afterAll(() => gateway?.close());

test('the demo has a board for marketing and one for support, each tile of which has rows to draw', async () => {
  const { dashboards } = await gateway.data(
    bearer,
    `{ dashboards(orderBy: { field: name, direction: asc }) {
      nodes { name title last timeZone tiles { title broken variables operation { document } } }
    } }`,
  );
  expect(dashboards.nodes.map(({ name }: { name: string }) => name)).toEqual(['marketing', 'support']);
  for (const { last, timeZone, tiles } of dashboards.nodes) {
    expect(tiles.length).toBeGreaterThan(3);
    for (const { title, broken, operation } of tiles) {
      expect([title, broken]).toEqual([title, null]);
      const names = ['last', 'timeZone'].filter((name) => operation.document.includes(`$${name}`));
      const given = Object.fromEntries(names.map((name) => [name, name === 'last' ? last : timeZone]));
      const text = JSON.stringify(await gateway.data(bearer, operation.document, given));
      expect(text).toMatch(/"nodes":\[\{/);
    }
  }
});
