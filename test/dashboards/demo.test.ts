import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueToken } from '../../src/auth/issue.ts';
import type { Gateway } from '../support/gateway/app.ts';
import { openDemo } from '../support/gateway/demo.ts';

let gateway: Gateway;
let bearer: string;
beforeAll(async () => {
  gateway = await openDemo();
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

test('the example of the documentation makes a board, whose tiles can be drawn', async () => {
  const text = readFileSync('docs/dashboards.md', 'utf8');
  const [, example = ''] = /## Boards[\s\S]*?```graphql\n([\s\S]*?)```/.exec(text) ?? [];
  const { createDashboard } = await gateway.data(bearer, example);
  const query = '{ dashboards(filter: { names: ["weekly"] }) { nodes { id tiles { x y broken } } } }';
  const { dashboards } = await gateway.data(bearer, query);
  expect(dashboards.nodes).toEqual([
    {
      id: createDashboard.dashboard.id,
      tiles: [
        { x: 0, y: 0, broken: null },
        { x: 8, y: 0, broken: null },
        { x: 0, y: 4, broken: null },
      ],
    },
  ]);
});
