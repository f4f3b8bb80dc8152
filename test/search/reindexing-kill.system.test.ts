import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseHandle, transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { analysisVersion } from '../../src/search/analysis.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { basesToReindex, reindexBase } from '../../src/search/reindexing.ts';
import { searchPassages } from '../../src/search/retrieve.ts';
import type { KillPoint } from '../support/faults/kill-points.ts';
import { type KillWorld, openKillWorld } from '../support/faults/kill-world.ts';
import { expectExactIndex } from '../support/search/exact-index.ts';

/** Where processes die: while writing a draft, before and after the switch, and in between. */
const points: KillPoint[] = [
  { statements: 6, when: 'before' },
  { statements: 1, when: 'after', about: 'INSERT INTO "PassageTerm"' },
  { statements: 1, when: 'after', about: 'UPDATE "Passage"' },
  { statements: 2, when: 'sent', about: 'COMMIT' },
  { statements: 2, when: 'after', about: 'COMMIT' },
];
const workspaceId = newId('workspace');
const bases = Array.from({ length: 6 }, (_, index) => ({ baseId: newId('base'), sourceId: newId('source'), index }));
const textsOf = (index: number) => Array.from({ length: 8 }, (_, n) => `Quarry${index} stone${n} is cut by hand.`);

let world: KillWorld;
beforeAll(async () => {
  world = await openKillWorld({ DEMO: 'false' });
  await world.withDatabase(async ({ client }) => {
    await client.workspace.create({ data: { id: workspaceId, name: 'Workspace' } });
    for (const { baseId, sourceId, index } of bases) {
      await client.base.create({ data: { id: baseId, workspaceId, description: 'Base' } });
      await client.source.create({ data: { id: sourceId, workspaceId, baseId, type: 'file', title: 'Masonry' } });
      const rows = textsOf(index).map((text, position) => ({
        workspaceId,
        baseId,
        sourceId,
        position,
        text,
        place: {},
      }));
      await transact(client, (tx) => insertPassages(tx, rows));
    }
    // As an older version without titles left them.
    await client.$executeRaw`DELETE FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId} AND "term" LIKE '%:mason%'`;
    await client.$executeRaw`UPDATE "PassageSegment" SET "analysis" = 0 WHERE "workspaceId" = ${workspaceId}`;
  });
});
afterAll(() => world.close());

/** Starts a process that reindexes, and kills it at a point. Returns the signal that ended it. */
async function killAt(point: KillPoint): Promise<string | null> {
  const imports = ['--import', './test/support/faults/kill-points.ts'];
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...imports, 'test/support/search/crashing-reindexing.ts'],
    { env: world.env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  const ended = once(child, 'exit');
  await Promise.race([once(child, 'message'), ended]);
  child.send(point, () => {});
  const [, signal] = await ended;
  return signal;
}

const find = ({ client }: DatabaseHandle, query: string) =>
  searchPassages(client, { workspaceId, baseIds: bases.map(({ baseId }) => baseId), query, limit: 100 });
const staleIn = async ({ client }: DatabaseHandle): Promise<number> =>
  client.passageSegment.count({ where: { workspaceId, draft: null, analysis: { lt: analysisVersion } } });

/** Every passage exists once, and a search finds it once. */
async function expectWhole(database: DatabaseHandle): Promise<void> {
  const rows = await database.client.passage.findMany({ where: { workspaceId }, select: { text: true } });
  expect(rows.map(({ text }) => text).toSorted()).toEqual(bases.flatMap(({ index }) => textsOf(index)).toSorted());
  for (const { index } of bases) {
    const found = (await find(database, `quarry${index}`)).map(({ text }) => text);
    expect(found.toSorted()).toEqual(textsOf(index));
  }
}

test(`a process that is killed while it indexes anew, ${points.length} times, loses and doubles no passage, and the next one goes on`, async () => {
  let left = bases.length;
  for (const point of points) {
    expect(await killAt(point)).toBe('SIGKILL');
    await world.withDatabase(async (database) => {
      await expectWhole(database);
      const stale = await staleIn(database);
      expect(stale).toBeLessThanOrEqual(left);
      left = stale;
    });
  }
  // The kills finished some bases, and left others.
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(bases.length);
  await world.withDatabase(async (database) => {
    for (const home of await basesToReindex(database.client)) await reindexBase(database.client, home);
    await expectWhole(database);
    expect(await staleIn(database)).toBe(0);
    expect(await database.client.passageSegment.count({ where: { workspaceId, NOT: { draft: null } } })).toBe(0);
    expect(await find(database, 'masonry')).toHaveLength(48);
    await expectExactIndex(database);
  });
}, 180_000);
