import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DatabaseHandle, transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { draftPassages, publishStaged, purgeAllStale, purgeStale } from '../../src/search/drafts.ts';
import { searchPassages } from '../../src/search/retrieve.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';

let handle: DatabaseHandle;
beforeAll(async () => {
  handle = await borrowDatabase();
});
afterAll(() => handle.close());

type Source = { workspaceId: string; baseId: string; id: string };

async function makeSource(): Promise<Source> {
  const { client } = handle;
  const [workspaceId, baseId, id] = [newId('workspace'), newId('base'), newId('source')];
  await client.workspace.create({ data: { id: workspaceId, name: 'Workspace' } });
  await client.base.create({ data: { id: baseId, workspaceId, description: 'Base' } });
  await client.source.create({ data: { id, workspaceId, baseId, type: 'file' } });
  return { workspaceId, baseId, id };
}

const written = (word: string, count: number) =>
  Array.from({ length: count }, (_, position) => ({ position, text: `${word} number n${position}`, place: {} }));
const show = (source: Source, draft: Awaited<ReturnType<typeof draftPassages>>) =>
  transact(handle.client, (tx) => publishStaged(tx, source, draft));
const found = async ({ workspaceId, baseId }: Source, query: string) =>
  (await searchPassages(handle.client, { workspaceId, baseIds: [baseId], query, limit: 100 })).length;
const rows = ({ workspaceId }: Source) => handle.client.passage.count({ where: { workspaceId } });
const terms = ({ workspaceId }: Source) => handle.client.passageTerm.count({ where: { workspaceId } });

describe('a draft', () => {
  it('is found by nobody and counted nowhere until it is shown, and then replaces what there was', async () => {
    const source = await makeSource();
    await show(source, await draftPassages(handle.client, source, written('kayak', 2_010)));
    const search = { workspaceId: source.workspaceId, baseIds: [source.baseId], query: 'kayak n7', limit: 1 };
    const [before] = await searchPassages(handle.client, search);
    const draft = await draftPassages(handle.client, source, written('canoe', 150));
    expect([await found(source, 'kayak'), await found(source, 'canoe')]).toEqual([100, 0]);
    const [meanwhile] = await searchPassages(handle.client, search);
    expect(meanwhile?.score).toBe(before?.score);
    await show(source, draft);
    expect([await found(source, 'kayak'), await found(source, 'canoe')]).toEqual([0, 100]);
    await purgeStale(handle.client, source, draft);
    expect(await rows(source)).toBe(150);
    const { workspaceId } = source;
    const { _sum } = await handle.client.passageSegment.aggregate({ where: { workspaceId }, _sum: { live: true } });
    expect(_sum).toEqual({ live: 150 });
  });

  it('replaces the passages of its source alone, also where they share a segment with others', async () => {
    const source = await makeSource();
    const other = { ...source, id: newId('source') };
    await handle.client.source.create({ data: { ...other, type: 'faq' } });
    for (let n = 0; n < 20; n++) {
      const id = newId('source');
      await handle.client.source.create({ data: { ...source, id, type: 'faq' } });
      await show({ ...source, id }, await draftPassages(handle.client, { ...source, id }, written('small', 1)));
    }
    await show(source, await draftPassages(handle.client, source, written('kayak', 3)));
    await show(other, await draftPassages(handle.client, other, written('oar', 2)));
    expect(await handle.client.passageSegment.count({ where: { workspaceId: source.workspaceId } })).toBeLessThan(20);
    const draft = await draftPassages(handle.client, source, written('canoe', 1));
    await show(source, draft);
    await purgeStale(handle.client, source, draft);
    const counts = await Promise.all(['small', 'oar', 'kayak', 'canoe'].map((word) => found(source, word)));
    expect(counts).toEqual([20, 2, 0, 1]);
  });

  it('that a dead process has left is removed by the next try, and is not shown by that process any more', async () => {
    const source = await makeSource();
    const left = await draftPassages(handle.client, source, written('kayak', 300));
    const draft = await draftPassages(handle.client, source, written('canoe', 2));
    await expect(show(source, left)).rejects.toThrow(/removed/);
    await show(source, draft);
    expect([await found(source, 'kayak'), await found(source, 'canoe'), await rows(source)]).toEqual([0, 2, 2]);
  });

  it('and what it replaced are swept where nobody reads the source', async () => {
    const [reading, done] = [await makeSource(), await makeSource()];
    for (const source of [reading, done]) {
      await show(source, await draftPassages(handle.client, source, written('kayak', 3)));
      await show(source, await draftPassages(handle.client, source, written('canoe', 2)));
      await draftPassages(handle.client, source, []);
    }
    await draftPassages(handle.client, reading, written('oar', 4));
    await draftPassages(handle.client, done, written('oar', 4));
    await handle.client.source.updateMany({ where: { id: done.id }, data: { status: 'failed' } });
    await purgeAllStale(handle.client);
    expect([await rows(reading), await rows(done)]).toEqual([6, 2]);
  });

  it('goes with its source, its index too', async () => {
    const source = await makeSource();
    await show(source, await draftPassages(handle.client, source, written('kayak', 10)));
    await draftPassages(handle.client, source, written('canoe', 10));
    await handle.client.source.deleteMany({ where: { id: source.id } });
    expect([await rows(source), await terms(source)]).toEqual([0, 0]);
    expect(await handle.client.passageSegment.count({ where: { workspaceId: source.workspaceId } })).toBe(0);
  });

  it('leaves no words behind when its source is deleted while they are written', async () => {
    const source = await makeSource();
    const texts = Array.from({ length: 300 }, (_, position) => {
      const words = Array.from({ length: 10 }, (_, n) => `w${(position * 10 + n).toString(36)}q`);
      return { position, text: words.join(' '), place: {} };
    });
    const { $executeRawUnsafe } = handle.client;
    let written = 0;
    vi.spyOn(handle.client, '$executeRawUnsafe').mockImplementation(((
      ...given: Parameters<typeof $executeRawUnsafe>
    ) => {
      const done = Reflect.apply($executeRawUnsafe, handle.client, given);
      if (written++ > 0) return done;
      return done.then(async (count) => {
        await handle.client.source.deleteMany({ where: { id: source.id } });
        return count;
      });
    }) as never);
    await expect(draftPassages(handle.client, source, texts)).rejects.toThrow('was removed');
    expect(await terms(source)).toBe(0);
  });
});
