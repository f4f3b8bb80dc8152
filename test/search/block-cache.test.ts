import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { BlockCache } from '../../src/search/block-cache.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { searchPassages } from '../../src/search/retrieve.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';

let handle: DatabaseHandle;
beforeAll(async () => {
  handle = await borrowDatabase();
});
afterAll(() => handle.close());

type Base = { workspaceId: string; baseId: string; sourceId: string };

async function makeBase(): Promise<Base> {
  const [workspaceId, baseId, sourceId] = [newId('workspace'), newId('base'), newId('source')];
  await handle.client.workspace.create({ data: { id: workspaceId, name: 'Workspace' } });
  await handle.client.base.create({ data: { id: baseId, workspaceId, description: 'Base' } });
  await handle.client.source.create({ data: { id: sourceId, workspaceId, baseId, type: 'file' } });
  return { workspaceId, baseId, sourceId };
}

const find = ({ workspaceId, baseId }: Base) =>
  searchPassages(handle.client, { workspaceId, baseIds: [baseId], query: 'kayak', limit: 400 });

describe('a search', () => {
  it('reads the postings of frequent words once, and finds what was written and removed since', async () => {
    const base = await makeBase();
    const write = (count: number) => {
      const rows = Array.from({ length: count }, (_, position) => ({ text: `Kayak number n${position}`, position }));
      return insertPassages(
        handle.client,
        rows.map((row) => ({ ...base, ...row, place: {} })),
      );
    };
    const query = vi.spyOn(handle.client, '$queryRaw');
    /** The number of hits, and the characters of postings that the search received. */
    const search = async (): Promise<[found: number, sent: number]> => {
      query.mockClear();
      const found = await find(base);
      const results = await Promise.all(query.mock.results.map(({ value }) => value as Promise<{ packed?: string }[]>));
      const rows = results[0]?.slice(1) ?? [];
      return [found.length, rows.reduce((sum, { packed }) => sum + (packed?.length ?? 0), 0)];
    };
    await write(300);
    const [found, sent] = await search();
    expect([found, sent > 1_000]).toEqual([300, true]);
    expect(await search()).toEqual([300, 0]);
    await write(10);
    const [more, besides] = await search();
    expect([more, besides > 0, besides < sent / 2]).toEqual([310, true, true]);
    await handle.client.passage.deleteMany({ where: { baseId: base.baseId, position: { lt: 20 } } });
    expect(await search()).toEqual([280, 0]);
  });
});

describe('what is kept', () => {
  const block = (run: number, bytes: number) => [{ run, bytes: new Uint8Array(bytes) }];

  it('is of the words that were asked for last, of each workspace by itself', () => {
    const cache = new BlockCache();
    cache.set('one', 'first', block(1, 4_000_000));
    for (const term of ['second', 'third', 'fourth']) cache.set('one', term, block(1, 4_000_000));
    expect(cache.get('one', 'first')).toHaveLength(1);
    cache.set('two', 'first', block(2, 4_000_000));
    const held = ['first', 'second', 'third', 'fourth'].filter((term) => cache.get('one', term).length > 0);
    expect(held).toEqual(['first', 'third', 'fourth']);
    expect(cache.get('two', 'first')).toMatchObject([{ run: 2 }]);
  });

  it('is nothing of rare words, and nothing that would take all the room', () => {
    const cache = new BlockCache();
    cache.set('one', 'rare', block(1, 400));
    cache.set('one', 'huge', block(1, 8_000_000));
    expect([cache.get('one', 'rare'), cache.get('one', 'huge')]).toEqual([[], []]);
  });
});
