import { expect } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { searchPassages } from '../../src/search/retrieve.ts';
import type { PassageRow } from '../../src/search/types.ts';

/** How many passages are sought by their own words. */
const sought = 60;

/**
 * Every workspace's index says what one says that was made of the same passages just now: the same passages are found with
 * the same scores, in which every statistic of the workspace has its part.
 */
export async function expectExactIndex({ client }: DatabaseHandle): Promise<void> {
  const found = await client.passage.findMany({ orderBy: { id: 'asc' } });
  for (const [workspaceId, passages] of Map.groupBy(found, (passage) => passage.workspaceId)) {
    const rows = passages as unknown as PassageRow[];
    const copy = await makeHome(client, workspaceId);
    await insertPassages(
      client,
      rows.map(({ text, place }, position) => ({ ...copy, text, place, position })),
    );
    const step = Math.max(1, Math.floor(rows.length / sought));
    const bases = await client.base.findMany({ where: { workspaceId }, select: { id: true } });
    for (const { text } of rows.filter((_, index) => index % step === 0)) {
      const search = { query: text, limit: 50, onlyAbout: false };
      const kept = await searchPassages(client, { ...search, workspaceId, baseIds: bases.map(({ id }) => id) });
      const anew = await searchPassages(client, { ...search, workspaceId: copy.workspaceId, baseIds: [copy.baseId] });
      // Which of equals come last is open.
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

/** A workspace with one base of one source. */
async function makeHome(client: DatabaseHandle['client'], like: string) {
  const { id: _, ...workspace } = await client.workspace.findUniqueOrThrow({ where: { id: like } });
  const { id: workspaceId } = await client.workspace.create({
    data: { ...workspace, id: newId('workspace') } as never,
  });
  const base = await client.base.create({ data: { id: newId('base'), workspaceId, description: 'Copy' } });
  const data = { id: newId('source'), workspaceId, baseId: base.id, type: 'faq' as const };
  const source = await client.source.create({ data });
  return { workspaceId, baseId: base.id, sourceId: source.id };
}
