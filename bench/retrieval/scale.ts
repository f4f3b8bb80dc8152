import { performance } from 'node:perf_hooks';
import { type Database, type DatabaseHandle, transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { insertPassages, type PassageRow } from '../../src/database/passages.ts';
import { searchPassages } from '../../src/knowledge/retrieve.ts';
import { copyWorkspace } from './copies.ts';
import { percentile, withDatabase } from './database.ts';

/**
 * `node bench/retrieval/scale.ts <passages of a workspace> <workspaces> [passages of a source]`: how fast passages are
 * indexed, and how long a search of a whole workspace takes, also when copies of it lie in the same tables. The texts are made up:
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

async function search(
  { client, kind }: DatabaseHandle,
  bases: { workspaceId: string; baseIds: string[] },
): Promise<void> {
  for (const [words, from] of [
    [3, 25],
    [6, 25],
    [12, 25],
    [6, 5],
  ] as const) {
    const times: number[] = [];
    const cpu = process.cpuUsage();
    for (let n = 0; n < 220; n++) {
      const start = performance.now();
      await searchPassages(client, { ...bases, query: sentence(words, from), limit: 10 });
      if (n >= 20) times.push(performance.now() - start);
    }
    const used = process.cpuUsage(cpu);
    const each = ((used.user + used.system) / 220_000).toFixed(1);
    const label = `${words} ${from < 25 ? 'frequent ' : ''}words`;
    const [p50, p95] = [percentile(times, 50), percentile(times, 95)];
    console.log(`${kind}, ${label}: p50 ${p50} ms, p95 ${p95} ms, ${each} ms of the gateway's processor each`);
  }
}

await withDatabase(async (handle) => {
  const cpu = process.cpuUsage();
  const filled = await fill(handle.client);
  const used = process.cpuUsage(cpu);
  const seconds = ((used.user + used.system) / 1_000_000).toFixed(1);
  const rate = Math.round(perWorkspace / (indexing / 1000));
  console.log(`${perWorkspace} passages, ${rate} passages/s, ${seconds} s of the gateway's processor`);
  await search(handle, filled);
  if (workspaces > 1) {
    await copyWorkspace(handle, filled.workspaceId, 1, workspaces - 1);
    console.log(`${perWorkspace * workspaces} passages in ${workspaces} workspaces`);
    await search(handle, filled);
  }
  const { rows } =
    await handle.pool.query(`SELECT relname, pg_size_pretty(pg_total_relation_size(oid)) AS size FROM pg_class
    WHERE relname IN ('Passage', 'PassageTerm', 'PassageSegment') ORDER BY 1`);
  console.log(rows.map(({ relname, size }) => `${relname} ${size}`).join(', '));
});
