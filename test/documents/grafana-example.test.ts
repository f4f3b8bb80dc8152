import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_WORKSPACE_ID as workspaceId } from '../../src/auth/demo.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import { makeKey } from '../support/auth/keys.ts';
import type { Gateway } from '../support/gateway/app.ts';
import { openDemo } from '../support/gateway/demo.ts';

type Column = { selector: string; type: 'timestamp' | 'string' | 'number' };
type Target = {
  root_selector: string;
  columns: Column[];
  url_options: { body_graphql_query: string; body_graphql_variables: string };
};
type Panel = { title: string; targets: [Target] };

const file = new URL('../../examples/monitoring/grafana-workspace.json', import.meta.url);
const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: Panel[] };
const day = 86_400_000;
const at = (path: string, value: unknown): any => path.split('.').reduce((inner: any, key) => inner?.[key], value);

describe('the dashboard for Grafana’s data source Infinity', () => {
  let gateway: Gateway;
  let key: string;
  beforeAll(async () => {
    gateway = await openDemo();
    const owner = await gateway.database.membership.findFirstOrThrow({ where: { workspaceId, role: 'owner' } });
    key = await makeKey(gateway, { membershipId: owner.id, workspaceId } as Viewer, {
      scopes: ['analytics.read', 'usage.read'],
    });
  });
  afterAll(() => gateway?.close());

  test.each(panels.map(({ title, targets: [target] }) => ({ title, target })))(
    '$title has the columns that it names, with a key for analytics',
    async ({ target: { root_selector: root, columns, url_options: options } }) => {
      const time = (ago: number) => new Date(Date.now() - ago).toISOString();
      // As Grafana replaces its variables.
      const variables = options.body_graphql_variables
        .replace(`\${__from:date:iso}`, time(84 * day))
        .replace(`\${__to:date:iso}`, time(0));
      const answer = await gateway.graphql(key, options.body_graphql_query, JSON.parse(variables));
      expect(answer.errors).toBeUndefined();
      const rows = [at(root, answer)].flat();
      expect(rows.length).toBeGreaterThan(0);
      for (const { selector, type } of columns) {
        const [value] = rows.map((row) => at(selector, row)).filter((cell) => cell !== null && cell !== undefined);
        expect(typeof value, selector).toBe(type === 'number' ? 'number' : 'string');
        if (type === 'timestamp') expect(Date.parse(value), selector).not.toBeNaN();
      }
    },
  );
});
