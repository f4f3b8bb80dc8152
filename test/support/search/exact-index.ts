import { expect } from 'vitest';
import type { DatabaseHandle } from '../../../src/database/client.ts';
import { newId } from '../../../src/database/ids.ts';
import { insertPassages } from '../../../src/search/passages.ts';
import { searchPassages } from '../../../src/search/retrieve.ts';
import type { PassageRow } from '../../../src/search/types.ts';

/** How many passages to search for by their own words. */
const sought = 60;

/**
 * Expects each workspace's index to match a freshly built index of the same passages: searches find the same
 * passages with the same scores, which depend on every statistic of the workspace.
 */
export async function expectExactIndex({ client }: DatabaseHandle): Promise<void> {
  const found = await client.passage.findMany({ orderBy: { id: 'asc' } });
  for (const [workspaceId, passages] of Map.groupBy(found, (passage) => passage.workspaceId)) {
    const rows = passages as unknown as PassageRow[];
    const copy = await makeCopy(client, workspaceId);
    const bases = await copyBases(client, workspaceId, copy);
    await insertPassages(
      client,
      rows.map(
        ({ text, place, sourceId }, position) => ({ ...bases.get(sourceId), text, place, position }) as PassageRow,
      ),
    );
    const step = Math.max(1, Math.floor(rows.length / sought));
    const baseIds = [...new Set(rows.map(({ baseId }) => baseId))];
    const copied = [...new Set([...bases.values()].map(({ baseId }) => baseId))];
    for (const { text } of rows.filter((_, index) => index % step === 0)) {
      const search = { query: text, limit: 50, onlyAbout: false };
      const kept = await searchPassages(client, { ...search, workspaceId, baseIds });
      const anew = await searchPassages(client, { ...search, workspaceId: copy, baseIds: copied });
      // The order of equal scores is undefined.
      expect(scoresOf(kept)).toEqual(scoresOf(anew));
      const last = kept.at(-1)?.score ?? 0;
      expect(textsOf(kept, last)).toEqual(textsOf(anew, last));
    }
  }
}

type Found = { text: string; score: number };
const scoresOf = (found: Found[]) => found.map(({ score }) => score.toFixed(6));
const textsOf = (found: Found[], last: number) =>
  found
    .filter(({ score }) => score > last + 1e-6)
    .map(({ text }) => text)
    .toSorted();

async function makeCopy(client: DatabaseHandle['client'], like: string): Promise<string> {
  const { id: _, ...workspace } = await client.workspace.findUniqueOrThrow({ where: { id: like } });
  const id = newId('workspace');
  await client.workspace.create({ data: { ...workspace, id } as never });
  return id;
}

/** Copies the bases and sources of a workspace; returns the target of each source's passages. */
async function copyBases(client: DatabaseHandle['client'], workspaceId: string, copy: string) {
  const sources = await client.source.findMany({ where: { workspaceId }, include: { base: true } });
  const homes = new Map<string, { workspaceId: string; baseId: string; sourceId: string }>();
  for (const [, all] of Map.groupBy(sources, ({ baseId }) => baseId)) {
    const baseId = newId('base');
    const description = all[0]?.base.description ?? '';
    await client.base.create({ data: { id: baseId, workspaceId: copy, description } });
    for (const { id, type, title } of all) {
      const sourceId = newId('source');
      homes.set(id, { workspaceId: copy, baseId, sourceId });
      await client.source.create({ data: { id: sourceId, workspaceId: copy, baseId, type, title } });
    }
  }
  return homes;
}
