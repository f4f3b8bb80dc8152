import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCollection } from '../../bench/retrieval/beir.ts';
import { createReference } from '../../bench/retrieval/lucene.ts';
import { measure } from '../../bench/retrieval/measure.ts';
import { type DatabaseHandle, transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { searchPassages } from '../../src/search/retrieve.ts';
import { indexWaitingPassages } from '../../src/search/segments.ts';
import type { PassageLocation } from '../../src/search/types.ts';
import { fold } from '../../src/text/fold.ts';
import { termOf } from '../../src/text/lexemes.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';
import { casesOf } from '../support/random/cases.ts';
import { anyCharacter } from '../support/random/characters.ts';

type Written = { id?: string; text: string; heading?: string; question?: string };
type Base = { workspaceId: string; baseId: string; sourceId: string };

const { bases, answered, unanswered } = JSON.parse(
  readFileSync(new URL('../files/questions.json', import.meta.url), 'utf8'),
) as { bases: Record<string, Written[]>; answered: [string, string, string][]; unanswered: [string, string][] };

let handle: DatabaseHandle;
const filled: Record<string, Base> = {};
const nameOf = new Map(Object.values(bases).flatMap((list) => list.map(({ id, text }) => [text, id])));

beforeAll(async () => {
  handle = await borrowDatabase();
  const workspaceId = await makeWorkspace();
  for (const [name, passages] of Object.entries(bases)) filled[name] = await makeBase(workspaceId, passages);
});
afterAll(() => handle.close());

async function makeWorkspace(): Promise<string> {
  const id = newId('workspace');
  await handle.client.workspace.create({ data: { id, name: 'Workspace' } });
  return id;
}

async function makeBase(workspaceId: string, passages: Written[] = []): Promise<Base> {
  const base = { workspaceId, baseId: newId('base'), sourceId: newId('source') };
  await handle.client.base.create({ data: { id: base.baseId, workspaceId, description: 'Base' } });
  await handle.client.source.create({ data: { id: base.sourceId, workspaceId, baseId: base.baseId, type: 'file' } });
  await insertPassages(handle.client, rowsOf(base, passages));
  return base;
}

const rowsOf = (base: Base, passages: Written[]) =>
  passages.map(({ text, heading, question }, position) => ({ ...base, position, text, place: { heading, question } }));
const find = ({ workspaceId, baseId }: Base, query: string, limit = 5) =>
  searchPassages(handle.client, { workspaceId, baseIds: [baseId], query, limit });
const texts = async (base: Base, query: string) => (await find(base, query)).map(({ text }) => text);

describe('the right passage', () => {
  it('comes first for questions in Portuguese, English and Spanish (at least 60 of 62)', async () => {
    const missed: string[] = [];
    for (const [name, question, expected] of answered) {
      const [first] = await find(filled[name] as Base, question);
      if (!first || nameOf.get(first.text) !== expected) missed.push(question);
    }
    expect(answered.length).toBe(62);
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(2);
  });

  it('is none for a question about something else (at least 20 of 23)', async () => {
    const answeredAnyway: string[] = [];
    for (const [name, question] of unanswered) {
      if ((await find(filled[name] as Base, question)).length) answeredAnyway.push(question);
    }
    expect(unanswered.length).toBe(23);
    expect(answeredAnyway.length, answeredAnyway.join('\n')).toBeLessThanOrEqual(3);
  });

  it('is found whatever the case, accents, number or tense of its words', async () => {
    const workspaceId = await makeWorkspace();
    const base = await makeBase(workspaceId, [
      { text: 'As devoluções são feitas pelo correio.' },
      { text: 'The parcels were shipped by train.' },
    ]);
    for (const query of ['devolução', 'DEVOLUCAO', 'devoluções', 'devolucoes']) {
      expect(await texts(base, query), query).toEqual(['As devoluções são feitas pelo correio.']);
    }
    for (const query of ['shipping a parcel', 'Parcel?', 'ship']) {
      expect(await texts(base, query), query).toEqual(['The parcels were shipped by train.']);
    }
  });

  it('is found by its heading and its question, which count for more than its text', async () => {
    const base = await makeBase(await makeWorkspace(), [
      { text: 'It mentions the warranty in passing.' },
      { text: 'Two years.', question: 'How long is the warranty?' },
      { text: 'Write to us.', heading: 'Handbook › Repairs' },
    ]);
    expect((await texts(base, 'warranty'))[0]).toBe('Two years.');
    const [repair] = await find(base, 'repair');
    expect(repair).toMatchObject({ text: 'Write to us.', place: { heading: 'Handbook › Repairs' }, ...idsOf(base) });
    expect(repair?.score).toBeGreaterThan(0);
  });

  const idsOf = ({ baseId, sourceId }: Base) => ({ baseId, sourceId });
});

describe('searching', () => {
  it("never leaves the bases given, and never finds another workspace's, even by its base's id", async () => {
    const [mine, other, foreign] = [await makeWorkspace(), filled.kayaks as Base, filled.loja as Base];
    const base = await makeBase(mine, [{ text: 'Our kayak is red.' }]);
    expect(await texts(base, 'kayak')).toEqual(['Our kayak is red.']);
    expect(await find({ ...other, workspaceId: mine }, 'kayak')).toEqual([]);
    expect(await find({ ...base, workspaceId: other.workspaceId }, 'kayak')).toEqual([]);
    expect(await find(foreign, 'kayak')).toEqual([]);
  });

  it('finds nothing without bases or without words that mean something, and at most `limit`', async () => {
    const { workspaceId, baseId } = filled.kayaks as Base;
    const nothing = { workspaceId, baseIds: [], query: 'kayak', limit: 5 };
    expect(await searchPassages(handle.client, nothing)).toEqual([]);
    for (const query of ['', '   ', '?!', 'what is it', 'o que é isso']) {
      expect(await searchPassages(handle.client, { ...nothing, baseIds: [baseId], query })).toEqual([]);
    }
    expect(await find(filled.kayaks as Base, 'kayak', 1)).toHaveLength(1);
  });

  it('takes any text as words, never as a query language', async () => {
    const odd = fc.string({
      unit: fc.constantFrom("'", '"', '\\', '&', '|', '!', '(', ':*', '<->', '%', '\0', 'a', 'ß', '\ud800', '日本'),
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(odd, fc.string({ unit: anyCharacter })), async (query) => {
        expect(await find(filled.kayaks as Base, query)).toBeInstanceOf(Array);
      }),
      { numRuns: casesOf(100) },
    );
    expect(await find(filled.kayaks as Base, `${'x'.repeat(30_000)} ${'deposit boat '.repeat(2_000)}`)).not.toEqual([]);
  });
});

describe('writing passages', () => {
  it('keeps text and place as they are, and the folded text that the list of bases searches', async () => {
    const base = await makeBase(await makeWorkspace());
    const unit = fc.string({ unit: 'grapheme' });
    const written = fc.sample(
      fc.array(unit).map((list) => list.join('').replaceAll('\0', '')),
      600,
    );
    await insertPassages(
      handle.client,
      rowsOf(
        base,
        written.map((text) => ({ text, question: "D'accord?" })),
      ),
    );
    const rows = await handle.client.passage.findMany({ where: base, orderBy: { position: 'asc' } });
    expect(rows.map(({ text }) => text)).toEqual(written);
    expect(rows.map(({ position }) => position)).toEqual(written.map((_, index) => index));
    expect(rows[0]).toMatchObject({ ...base, place: { question: "D'accord?" } });
    expect(rows[5]?.searchText).toBe(fold("D'accord?", written[5]));
  });

  it('is part of the transaction of its caller', async () => {
    const base = await makeBase(await makeWorkspace());
    const work = transact(handle.client, async (tx) => {
      await insertPassages(tx, rowsOf(base, [{ text: 'Never to be seen' }]));
      throw new Error('rolled back');
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await find(base, 'seen')).toEqual([]);
  });
});

describe('the index', () => {
  it('ranks as BM25 does that scores every passage plainly, with the numbers of what is there now', async () => {
    const workspaceId = await makeWorkspace();
    const bases = [await makeBase(workspaceId), await makeBase(workspaceId)];
    const word = fc.constantFrom(...'boat oar lake storm pier anchor sail rope deck crew tide'.split(' '));
    const texts = fc.array(fc.tuple(fc.array(word, { minLength: 1, maxLength: 12 }), word), {
      minLength: 1,
      maxLength: 30,
    });
    for (const [index, written] of fc.sample(texts, 24).entries()) {
      const base = bases[index % 2] as Base;
      const sourceId = newId('source');
      await handle.client.source.create({ data: { id: sourceId, workspaceId, baseId: base.baseId, type: 'file' } });
      const passages = written.map(([words, heading]) => ({ text: `The ${words.join(' ')}`, heading }));
      await insertPassages(handle.client, rowsOf({ ...base, sourceId }, passages));
      // Deletes part of a source, a whole source, or nothing.
      if (index % 3 === 0) await handle.client.passage.deleteMany({ where: { sourceId, position: { in: [0, 2, 5] } } });
      if (index % 5 === 0) await handle.client.source.deleteMany({ where: { id: sourceId } });
    }
    const rows = await handle.client.passage.findMany({
      where: { workspaceId },
      orderBy: [{ segment: 'asc' }, { slot: 'asc' }],
    });
    const reference = await createReference(
      rows.map(({ id, text, place }) => ({ id, text, place: place as PassageLocation })),
    );
    const sum = await handle.client.passageSegment.aggregate({
      where: { workspaceId },
      _sum: { live: true, words: true },
    });
    expect(sum._sum).toEqual({ live: rows.length, words: rows.reduce((total, { words }) => total + words, 0) });
    for (const query of [
      'storming',
      'oaring of the boating',
      'crewed, anchored, roped and sailing',
      'tiding tiding piering',
    ]) {
      const search = { workspaceId, query, limit: rows.length, onlyAbout: false };
      const both = await searchPassages(handle.client, { ...search, baseIds: bases.map(({ baseId }) => baseId) });
      const expected = reference(query, rows.length);
      expect(both.map(({ score }) => score)).toEqual(expected.map(({ score }) => expect.closeTo(score, 9)));
      const scores = new Map(expected.map(({ id, score }) => [id, score]));
      // Statistics cover the workspace even if only one base is searched.
      const { baseId } = bases[0] as Base;
      const one = await searchPassages(handle.client, { ...search, baseIds: [baseId] });
      expect(one.length).toBe(both.filter((passage) => passage.baseId === baseId).length);
      for (const { id, score } of [...both, ...one]) expect(score).toBeCloseTo(scores.get(id) ?? 0, 9);
    }
  });

  it('merges small segments, and leaves nothing behind when all is removed', async () => {
    const base = await makeBase(await makeWorkspace());
    for (let position = 0; position < 40; position++) {
      const row = { ...base, position, text: `Kayak number n${position} is blue.`, place: {} };
      await insertPassages(handle.client, [row]);
    }
    const where = { workspaceId: base.workspaceId };
    expect(await handle.client.passageSegment.count({ where })).toBeLessThan(20);
    expect(await find(base, 'kayak', 100)).toHaveLength(40);
    expect(await texts(base, 'n7')).toEqual(['Kayak number n7 is blue.']);
    await handle.client.base.deleteMany({ where });
    expect(await handle.client.passageSegment.count({ where })).toBe(0);
    expect(await handle.client.passageTerm.count({ where })).toBe(0);
  });

  it('takes in passages that were written before there was one', async () => {
    const base = await makeBase(await makeWorkspace());
    const row = { ...base, id: newId('passage'), position: 0, text: 'The ferry leaves at noon.', place: {} };
    await handle.client.passage.create({ data: row });
    expect(await texts(base, 'ferry')).toEqual([]);
    await indexWaitingPassages(handle);
    expect(await texts(base, 'ferries')).toEqual(['The ferry leaves at noon.']);
  });

  it('finds what a word was meant by, and what it begins only where nothing is found', async () => {
    const base = await makeBase(await makeWorkspace(), [
      { text: 'The kayak is returned to the boathouse.' },
      { text: 'O reembolso chega em cinco dias.' },
    ]);
    expect(await texts(base, 'kayk')).toEqual(['The kayak is returned to the boathouse.']);
    expect(await texts(base, 'boathuose')).toEqual(['The kayak is returned to the boathouse.']);
    expect(await texts(base, 'reembol')).toEqual(['O reembolso chega em cinco dias.']);
    expect(await texts(base, 'kayak reemb')).toEqual(['The kayak is returned to the boathouse.']);
    expect(await texts(base, 'volcano')).toEqual([]);
  });

  it('finds a word with a slip in any letter behind the second', async () => {
    const words = 'harbourmaster lantern compass rudder gale harbinger lamp company rubber garlic'.split(' ');
    const base = await makeBase(
      await makeWorkspace(),
      words.map((text) => ({ text })),
    );
    const slip = fc
      .tuple(fc.constantFrom(...words), fc.nat(), fc.constantFrom('drop', 'double', 'other'))
      .map(([word, place, kind]) => {
        const at = 2 + (place % (word.length - 2));
        const put = { drop: '', double: (word[at] as string).repeat(2), other: 'x' }[kind];
        return { word, written: word.slice(0, at) + put + word.slice(at + 1) };
      });
    const isKnown = ({ word, written }: { word: string; written: string }) => {
      // A typo in the suffix that stemming removes, or one that makes another word, does not count.
      const [stem, held] = [termOf(written, 'e')?.slice(2) ?? '', termOf(word, 'e')?.slice(2) ?? ''];
      return written.length >= 4 && stem.length >= 3 && stem.startsWith(held.slice(0, 2)) && distance(stem, held) <= 1;
    };
    await fc.assert(
      fc.asyncProperty(slip.filter(isKnown), async ({ word, written }) => {
        expect(await texts(base, written), written).toContain(word);
      }),
      { numRuns: casesOf(40) },
    );
  });

  it('says by which words a passage was found', async () => {
    const text = 'As DEVOLUÇÕES de camisetas são gratuitas.';
    const base = await makeBase(await makeWorkspace(), [{ text }]);
    const [found] = await find(base, 'devolução de uma camiseta');
    expect(found?.highlights().map(({ start, end }) => text.slice(start, end))).toEqual(['DEVOLUÇÕES', 'camisetas']);
  });

  it('is as good on the collection of the tests as it was measured to be', async () => {
    const folder = new URL('../files/retrieval', import.meta.url).pathname;
    const result = await measure(handle.client, readCollection(folder));
    expect(result.ndcgAt10).toBeGreaterThan(0.98);
    expect(result.ndcgAt10).toBeGreaterThanOrEqual(result.reference.ndcgAt10 - 1e-9);
    expect(result.recallAt100).toBeCloseTo(1, 9);
  });
});
