import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createReference } from '../../bench/retrieval/lucene.ts';
import { type DatabaseHandle, transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { basesToCompact, compactPostings, wantsCompaction } from '../../src/search/compaction.ts';
import { type Draft, draftPassages, publishStaged, purgeStale } from '../../src/search/drafts.ts';
import { searchPassages } from '../../src/search/retrieve.ts';
import type { PassageLocation } from '../../src/search/types.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import { groupsOf, inOtherForms, rareWord } from '../support/knowledge/plain-bm25.ts';
import { someOf } from '../support/random/cases.ts';
import { sampleOf } from '../support/random/seed.ts';

const gateway = useGateway();
let handle: DatabaseHandle;
beforeAll(() => {
  handle = gateway.handle;
});

type Home = { workspaceId: string; baseId: string };

async function makeHome(workspaceId = newId('workspace')): Promise<Home> {
  const baseId = newId('base');
  await handle.client.workspace.upsert({
    where: { id: workspaceId },
    create: { id: workspaceId, name: 'Workspace' },
    update: {},
  });
  await handle.client.base.create({ data: { id: baseId, workspaceId, description: 'Base' } });
  return { workspaceId, baseId };
}

const vocabulary = 'boat oar lake storm pier anchor sail rope deck crew tide'.split(' ');
const words = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 9 });
let drafts = 0;

/** Adds a source of `size` passages, as ingestion writes it. */
async function addSource(home: Home, size: number, id = newId('source')): Promise<string> {
  const source = { ...home, id };
  await handle.client.source.upsert({
    where: { workspaceId_id: { workspaceId: home.workspaceId, id } },
    create: { ...source, type: 'file' },
    update: {},
  });
  await purgeStale(handle.client, source, await showAnew(source, size));
  return id;
}

/** Replaces the passages of a source; the old ones are hidden, but not removed yet. */
async function showAnew(source: Home & { id: string }, size: number): Promise<Draft> {
  const texts = sampleOf(words, size, `passages ${++drafts}`);
  const passages = texts.map((text, position) => ({
    position,
    text: `The ${text.join(' ')} ${rareWord(position)}ed`,
    place: {},
  }));
  const draft = await draftPassages(handle.client, source, passages);
  await transact(handle.client, (tx) => publishStaged(tx, source, draft));
  return draft;
}

/**
 * Expects the results and scores of a plain BM25 over the current passages. It adds up the words in another order, so
 * what is equal in one may differ in the last bit in the other: of scores equal to 9 digits, the ids are compared as a
 * set. Of those that are equal in full, older ones come first.
 */
async function expectExact(homes: Home[]): Promise<void> {
  const { workspaceId } = homes[0] as Home;
  const rows = await handle.client.passage.findMany({
    where: { workspaceId, in: { draft: null } },
    orderBy: [{ segment: 'asc' }, { slot: 'asc' }],
  });
  const reference = await createReference(
    rows.map(({ id, text, place }) => ({ id, text, place: place as PassageLocation })),
  );
  const baseOf = new Map(rows.map(({ id, baseId }) => [id, baseId]));
  const ageOf = new Map(rows.map(({ id }, index) => [id, index]));
  for (const query of inOtherForms) {
    const expected = reference(query, rows.length);
    for (const asked of [homes, ...homes.map((home) => [home])]) {
      const baseIds = asked.map(({ baseId }) => baseId);
      const search = { workspaceId, baseIds, query, limit: rows.length, onlyAbout: false };
      const found = await searchPassages(handle.client, search);
      const wanted = expected.filter(({ id }) => baseIds.includes(baseOf.get(id) ?? ''));
      expect(found.map(({ score }) => score)).toEqual(wanted.map(({ score }) => expect.closeTo(score, 9)));
      expect(groupsOf(found, wanted)).toEqual(groupsOf(wanted, wanted));
      const unordered = found.filter(({ id, score }, index) => {
        const before = found[index - 1];
        if (!before || before.score > score) return false;
        return before.score < score || (ageOf.get(before.id) ?? 0) > (ageOf.get(id) ?? 0);
      });
      expect(unordered).toEqual([]);
    }
  }
}

const counts = async ({ workspaceId }: Home) => {
  const where = { workspaceId };
  const [terms, runs, alone] = await Promise.all([
    handle.client.passageTerm.count({ where }),
    handle.client.passageRun.count({ where }),
    handle.client.passageSegment.count({ where: { ...where, run: null } }),
  ]);
  return { terms, runs, alone };
};
/** Postings that no segment refers to. */
const leftovers = ({ workspaceId }: Home) =>
  handle.pool.query(
    `SELECT DISTINCT "segment" FROM "PassageTerm" WHERE "workspaceId" = $1 AND "segment" NOT IN (
       SELECT coalesce("run", "number") FROM "PassageSegment" WHERE "workspaceId" = $1
     )`,
    [workspaceId],
  );
const remove = (id = '') => handle.client.source.deleteMany({ where: { id } });
const removePassages = (sourceId = '', ...position: number[]) =>
  handle.client.passage.deleteMany({ where: { sourceId, position: { in: position } } });
const compact = (home: Home) => compactPostings(handle.client, home);

/** A base with eight sources, beside one with a single source. */
async function makeMany(): Promise<{ home: Home; beside: Home; sources: string[] }> {
  const home = await makeHome();
  const beside = await makeHome(home.workspaceId);
  await addSource(beside, 30);
  const sources = [];
  for (let n = 0; n < 8; n++) sources.push(await addSource(home, 260));
  return { home, beside, sources };
}

describe('compaction', () => {
  it('follows a source that is read, in the background', async () => {
    const { id: workspaceId, editor } = await makeWorkspace(gateway);
    const home = await makeHome(workspaceId);
    for (let n = 0; n < 8; n++) await addSource(home, 260);
    await gateway.work();
    const file = { data: { question: 'When does the storm come?', answer: 'With the tide.' } };
    const add = 'mutation ($input: AddSourceInput!) { addSource(input: $input) { source { id } } }';
    await gateway.data(editor, add, { input: { baseId: home.baseId, type: 'faq', file } });
    await gateway.services.queue.idle();
    expect(await counts(home)).toMatchObject({ runs: 1, alone: 1 });
    await expectExact([home]);
  });

  it('makes one run of many segments, and changes nothing of what is found', async () => {
    const { home, beside, sources } = await makeMany();
    await addSource(home, 5);
    await removePassages(sources[1], 0, 7, 259);
    const before = await counts(home);
    expect(await wantsCompaction(handle.client, home)).toBe(true);
    expect(await basesToCompact(handle.client)).toContainEqual(home);
    await compact(home);
    expect(await wantsCompaction(handle.client, home)).toBe(false);
    await expectExact([home, beside]);
    const after = await counts(home);
    expect(after).toMatchObject({ runs: 1, alone: 2 });
    expect(after.terms).toBeLessThan(before.terms / 2);
    expect((await leftovers(home)).rows).toEqual([]);
  });

  it('leaves what is removed and replaced afterwards to be found no more, and counted no more', async () => {
    const { home, beside, sources } = await makeMany();
    await compact(home);
    for (const source of [sources[0], sources[1], sources[4], sources[5]]) await remove(source);
    await removePassages(sources[2], 1, 2, 3, 200);
    await addSource(home, 270, sources[3]);
    // More than half of the run is deleted, and nothing was ingested since, so the sweep finds the base.
    expect(await basesToCompact(handle.client)).toContainEqual(home);
    await expectExact([home, beside]);
    await expectExact([beside, home]);
  });

  it('writes a run anew of which most is gone, and joins runs with others', async () => {
    const { home, beside, sources } = await makeMany();
    await compact(home);
    for (const source of sources.slice(0, 5)) await remove(source);
    const where = { workspaceId: home.workspaceId };
    expect(await handle.client.passageRun.findMany({ where })).toMatchObject([{ size: 2_080 }]);
    await compact(home);
    expect(await handle.client.passageRun.findMany({ where })).toMatchObject([{ size: 780 }]);
    for (let n = 0; n < 7; n++) await addSource(home, 260);
    await compact(home);
    expect(await counts(home)).toMatchObject({ runs: 1, alone: 1 });
    await expectExact([home, beside]);
    expect((await leftovers(home)).rows).toEqual([]);
  });

  it('leaves out what was replaced and waits to be removed', async () => {
    const { home, beside, sources } = await makeMany();
    await compact(home);
    for (const id of sources.slice(0, 5)) await showAnew({ ...home, id }, 260);
    await compact(home);
    const where = { workspaceId: home.workspaceId };
    const runs = () => handle.client.passageRun.findMany({ where, orderBy: { number: 'asc' } });
    expect(await runs()).toMatchObject([{ size: 2_080 }, { size: 780 }]);
    await expectExact([home, beside]);
    for (const id of sources) await purgeStale(handle.client, { ...home, id });
    expect(await runs()).toMatchObject([{ size: 780 }]);
    expect((await leftovers(home)).rows).toEqual([]);
  });

  it('leaves nothing behind when all sources of a run are removed, one by one or with their base', async () => {
    const { home, beside, sources } = await makeMany();
    await compact(home);
    for (const source of sources) await remove(source);
    expect(await counts(home)).toMatchObject({ runs: 0, alone: 1 });
    expect((await leftovers(home)).rows).toEqual([]);
    for (let n = 0; n < 8; n++) await addSource(beside, 260);
    await compact(beside);
    await handle.client.base.deleteMany({ where: { id: beside.baseId } });
    expect(await counts(home)).toEqual({ terms: 0, runs: 0, alone: 0 });
  });

  it('goes on with what is removed while it writes', async () => {
    const { home, beside, sources } = await makeMany();
    const transaction = vi.spyOn(handle.client, '$transaction');
    transaction.mockImplementationOnce(async (...args: unknown[]) => {
      await remove(sources[4]);
      await removePassages(sources[5], 10, 20);
      return Reflect.apply(handle.client.$transaction, handle.client, args);
    });
    await compact(home);
    await expectExact([home, beside]);
    expect(await counts(home)).toMatchObject({ runs: 1, alone: 1 });
  });

  it('that hears of a failure where there was none loses nothing', async () => {
    const { home, beside } = await makeMany();
    const { client } = handle;
    const make = client.$transaction.bind(client) as (...given: unknown[]) => Promise<unknown>;
    vi.spyOn(client, '$transaction').mockImplementationOnce((async (...given: unknown[]) => {
      await make(...given);
      throw new Error('The connection was lost');
    }) as never);
    await expect(compact(home)).rejects.toThrow('The connection was lost');
    await expectExact([home, beside]);
    await compact(home);
    await expectExact([home, beside]);
    expect(await counts(home)).toMatchObject({ runs: 1, alone: 1 });
  });

  it('is done once by two at once, and leaves nothing of the other', async () => {
    const { home, beside } = await makeMany();
    await Promise.allSettled([compact(home), compact(home), compact(home)]);
    await compact(home);
    await expectExact([home, beside]);
    expect(await counts(home)).toMatchObject({ runs: 1, alone: 1 });
    expect((await leftovers(home)).rows).toEqual([]);
  });

  it('stops when its job is taken away, and the next one goes on', async () => {
    const { home, beside } = await makeMany();
    const compacting = compactPostings(handle.client, home, AbortSignal.abort(new Error('leaving')));
    await expect(compacting).rejects.toThrow('leaving');
    expect(await counts(home)).toMatchObject({ runs: 0, alone: 9 });
    await compact(home);
    await expectExact([home, beside]);
  });

  it('that dies at any point changes nothing of what is found, and the next one leaves nothing of it', async () => {
    const { home, beside } = await makeMany();
    // The process dies at each statement in turn.
    const points = new Set(someOf([...Array(20).keys()], 6));
    let [dies, checked] = [0, 0];
    for (let ended = false; !ended && dies < 100; dies++) {
      const restore = dieAt(dies);
      ended = await compact(home).then(
        () => true,
        () => false,
      );
      restore();
      if (!ended && dies < 20 && !points.has(dies)) continue;
      await expectExact([home, beside]);
      checked += Number(!ended);
    }
    expect(dies).toBeGreaterThan(10);
    expect(checked).toBeGreaterThan(0);
    expect((await leftovers(home)).rows).toEqual([]);
    expect(await counts(home)).toMatchObject({ runs: 1, alone: 1 });
  });
});

/** Makes every statement fail from the nth on, as in a dead process, until restored. */
function dieAt(statement: number): () => void {
  let made = 0;
  const at: object = handle.client;
  const spies = ['$queryRaw', '$executeRaw', '$transaction'].map((name) => {
    const make = Reflect.get(at, name) as (...given: unknown[]) => unknown;
    return vi.spyOn(at as Record<string, typeof make>, name).mockImplementation(function (this: object, ...given) {
      if (made++ >= statement) throw new Error('died');
      return Reflect.apply(make, this, given);
    });
  });
  return () => spies.forEach((spy) => spy.mockRestore());
}
