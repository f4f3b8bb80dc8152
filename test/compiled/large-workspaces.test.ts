import { expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { isCluster } from '../support/database/cluster.ts';
import { type RecordedStatement, statementsOf, testDatabase } from '../support/database/database.ts';
import { scansOf } from '../support/database/plans.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces(testDatabase);

const leadOf = (workspaceId: string, index: number) => ({
  id: newId('lead'),
  workspaceId,
  name: `Lead ${index}`,
  searchText: `lead ${index}`,
});

/** The statements that read a page of leads by name. */
async function pageOf({ viewer }: typeof home): Promise<RecordedStatement[]> {
  const page = '{ leads(orderBy: { field: name, direction: asc }) { nodes { name } } }';
  const { recorded } = await statementsOf(async () => {
    expect((await gateway.data(viewer, page)).leads.nodes.length).toBeGreaterThan(0);
  });
  return recorded.filter(({ text }) => text.includes('"Lead"'));
}

// The nodes of a cluster plan each statement by its values.
test.skipIf(isCluster)('a page of a workspace that has most of all rows is read in its order', async () => {
  const { database, handle, services } = gateway;
  const names = Array.from({ length: 400 }, (_, index) => `wsp_small_${index}`);
  await database.workspace.createMany({ data: names.map((id) => ({ id, name: id })) });
  const small = names.map(leadOf);
  const large = Array.from({ length: 3_000 }, (_, index) => leadOf(home.id, index));
  await database.lead.createMany({ data: [...small, ...large, leadOf(other.id, 0)] });
  await handle.pool.query('ANALYZE "Lead"');
  // The statistics are read in the background.
  await expect.poll(() => services.largeWorkspaces.has(home.id), { timeout: 60_000 }).toBe(true);
  expect(services.largeWorkspaces.has(other.id)).toBe(false);

  for (const [workspace, isNamed] of [
    [home, true],
    [other, false],
  ] as const) {
    const statements = await pageOf(workspace);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      if (gateway.services.config.compiledQueries) expect(statement.text.includes(workspace.id)).toBe(isNamed);
      const read = (await scansOf(handle, statement)).filter(({ table }) => table === 'Lead');
      expect(Math.max(...read.map(({ rows }) => rows)), statement.text).toBeLessThanOrEqual(21);
    }
  }
});
