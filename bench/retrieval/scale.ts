import { performance } from 'node:perf_hooks';
import { type Database, transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { insertPassages, type PassageRow } from '../../src/database/passages.ts';
import { searchPassages } from '../../src/knowledge/retrieve.ts';
import { percentile, withDatabase } from './database.ts';

/**
 * `node bench/retrieval/scale.ts <passages of a workspace> <workspaces> [passages of a source]`: how fast passages are
 * indexed, and how long a search of a whole workspace takes when others lie in the same tables. The texts are made up:
 * 50 to 150 words each, of a vocabulary of 20,000 that is spread as in natural language (Zipf).
 */
const [perWorkspace = 10_000, workspaces = 1, perSource = 500] = process.argv.slice(2).map(Number);

let seed = 1;
/** The same numbers on every run (mulberry32). */
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}

const syllables = [
  'ba',
  'ko',
  'ri',
  'tem',
  'sul',
  'pa',
  'dor',
  'vin',
  'ga',
  'lem',
  'no',
  'fis',
  'cu',
  'mar',
  'tel',
  'xo',
];
const vocabulary = Array.from({ length: 20_000 }, (_, rank) => {
  let word = '';
  for (let rest = rank + 16; rest > 0; rest = Math.floor(rest / 16)) word += syllables[rest % 16];
  return word;
});
// A word's rank by Zipf's law: the most frequent one stands in about a third of the passages.
const wordAt = (from: number) => vocabulary[Math.floor((from + 1) * (vocabulary.length / (from + 1)) ** random()) - 1];
const sentence = (words: number, from = 25) => Array.from({ length: words }, () => wordAt(from)).join(' ');

async function fill(database: Database): Promise<{ workspaceId: string; baseIds: string[] }> {
  const workspaceId = newId('workspace');
  await database.workspace.create({ data: { id: workspaceId, name: 'Scale' } });
  const baseIds = Array.from({ length: 5 }, () => newId('base'));
  await database.base.createMany({ data: baseIds.map((id) => ({ id, workspaceId, description: 'Scale' })) });
  for (let written = 0; written < perWorkspace; written += perSource) {
    const baseId = baseIds[(written / perSource) % 5] as string;
    const sourceId = newId('source');
    await database.source.create({ data: { id: sourceId, workspaceId, baseId, type: 'file', status: 'succeeded' } });
    const rows = Array.from(
      { length: Math.min(perSource, perWorkspace - written) },
      (_, position): PassageRow => ({
        workspaceId,
        baseId,
        sourceId,
        position,
        text: `the ${sentence(50 + Math.floor(random() * 100))} and of the`,
        place: { heading: sentence(3) },
      }),
    );
    const start = performance.now();
    await transact(database, (tx) => insertPassages(tx, rows), { timeoutMs: 60_000 });
    indexing += performance.now() - start;
  }
  return { workspaceId, baseIds };
}

let indexing = 0;
await withDatabase(async ({ client, pool, kind }) => {
  const filled = [];
  for (let n = 0; n < workspaces; n++) {
    filled.push(await fill(client));
    console.log(
      `${filled.length * perWorkspace} passages, ${Math.round((filled.length * perWorkspace) / (indexing / 1000))} passages/s`,
    );
    if (n > 0 && n < workspaces - 1) continue;
    for (const [label, words, from] of [
      ['3 words', 3, 25],
      ['6 words', 6, 25],
      ['12 words', 12, 25],
      ['6 frequent words', 6, 5],
    ] as const) {
      const times: number[] = [];
      const { workspaceId, baseIds } = filled[0] as { workspaceId: string; baseIds: string[] };
      for (let i = 0; i < 220; i++) {
        const start = performance.now();
        await searchPassages(client, { workspaceId, baseIds, query: sentence(words, from), limit: 10 });
        if (i >= 20) times.push(performance.now() - start);
      }
      console.log(`${kind}, ${label}: p50 ${percentile(times, 50)} ms, p95 ${percentile(times, 95)} ms`);
    }
  }
  const { rows } = await pool.query(`SELECT relname, pg_size_pretty(pg_total_relation_size(oid)) AS size FROM pg_class
    WHERE relname IN ('Passage', 'PassageTerm', 'PassageSegment', 'Passage_searchText_idx') ORDER BY 1`);
  console.log(rows.map(({ relname, size }) => `${relname} ${size}`).join(', '));
});
