import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { segmentsWith } from '../../src/search/passage-text.ts';
import { searchPassages } from '../../src/search/retrieve.ts';
import { readTimesOfDatabase, timeBetween } from '../database-cpu.ts';
import { percentile } from './database.ts';
import { type Bases, basesIn, dropDatabases, fill, makeDatabase, type Size, urlOf } from './scale-data.ts';
import { begun, misspelt, restart, sentence } from './texts.ts';

export type ScaleOptions = Size & { server: string; keep: boolean; times: number; indexed: number };
type Subject = { handle: DatabaseHandle; bases: Bases };
/**
 * Latencies in milliseconds, and the mean CPU time per operation of the gateway and of the database, in milliseconds.
 */
type Measured = { times: number[]; gateway: number; database: number };

const names = { alone: 'parley_retrieval_alone', beside: 'parley_retrieval_beside', index: 'parley_retrieval_index' };

const questions: Record<string, () => string> = {
  'search: 3 words': () => sentence(3),
  'search: 6 words': () => sentence(6),
  'search: 12 words': () => sentence(12),
  'search: 6 frequent words': () => sentence(6, 60),
  'search: a misspelt word': misspelt,
  'search: a misspelt word of 3': () => `${sentence(2)} ${misspelt()}`,
  'search: 2 misspelt words': () => `${misspelt()} ${misspelt()}`,
  'search: the beginning of a word': begun,
};
const listed: Record<string, () => string> = {
  'bases that contain a part of a word': () => sentence(1).slice(1),
  'bases that contain two words in a row': () => sentence(2, 200),
  'bases that contain what none does': () => `${sentence(1)}qu`,
};

/** Returns Markdown tables of how fast passages are indexed and found on a PostgreSQL server. */
export async function measureScale(options: ScaleOptions): Promise<string> {
  const { server, keep, ...size } = options;
  const shape = { passages: size.passages, perSource: size.perSource };
  await makeDatabase(server, names.alone, { ...shape, workspaces: 1 });
  await makeDatabase(server, names.beside, { ...shape, workspaces: size.workspaces }, names.alone);
  const subjects: Subject[] = [];
  for (const name of [names.alone, names.beside]) {
    const handle = await openDatabase({ databaseUrl: urlOf(server, name), dataDir: '' });
    subjects.push({ handle, bases: await basesIn(handle) });
  }
  try {
    const lines = [];
    for (const [name, question] of Object.entries({ ...questions, ...listed })) {
      lines.push(line(name, await ask(subjects, options.times, question, name in questions ? search : list)));
      console.error(lines.at(-1));
    }
    return [await measureIndexing(options), searchTable(options), ...lines].join('\n');
  } finally {
    for (const { handle } of subjects) await handle.close();
    await dropDatabases(server, [names.index, ...(keep ? [] : [names.alone, names.beside])]);
  }
}

async function measureIndexing({ server, indexed, perSource }: ScaleOptions): Promise<string> {
  await dropDatabases(server, [names.index]);
  await makeDatabase(server, names.index, { passages: 0, perSource, workspaces: 1 });
  const handle = await openDatabase({ databaseUrl: urlOf(server, names.index), dataDir: '' });
  const before = { gateway: process.cpuUsage(), database: await databaseTimes(handle) };
  const took = await fill(handle, { passages: indexed, perSource });
  const gateway = process.cpuUsage(before.gateway);
  const database = timeBetween(before.database, await databaseTimes(handle));
  await handle.close();
  const perPassage = (ms: number) => `${((1_000 * ms) / indexed).toFixed(0)} µs`;
  return `Indexing ${indexed.toLocaleString('en')} passages, sources of ${perSource}: **${Math.round(indexed / (took.indexed / 1000))} passages/s**,
${Math.round((1_000 * indexed) / (took.indexed + took.joined))} with the postings joined, which goes on when they can be found already. Together that took
${perPassage((gateway.user + gateway.system) / 1000)} of the gateway's processor each (the making of the texts included) and ${perPassage(database)} of the database's.
`;
}

const databaseTimes = ({ pool }: DatabaseHandle) => readTimesOfDatabase(pool);

type Ask = (subject: Subject, question: string) => Promise<unknown>;
const search: Ask = ({ handle, bases }, query) => searchPassages(handle.client, { ...bases, query, limit: 10 });
const list: Ask = ({ handle, bases: { workspaceId } }, text) =>
  handle.client.base.findMany({
    where: { workspaceId, segments: { some: segmentsWith(text, { workspaceId }) } },
    orderBy: { id: 'asc' },
    take: 20,
  });

/** Subjects alternate and get the same questions, so that disturbances of the machine affect all of them. */
async function ask(subjects: Subject[], times: number, question: () => string, one: Ask): Promise<Measured[]> {
  restart();
  const measured = subjects.map((): Measured => ({ times: [], gateway: 0, database: 0 }));
  for (let n = -20; n < times; n++) {
    const text = question();
    for (const [index, subject] of subjects.entries()) {
      const result = measured[index] as Measured;
      const database = await databaseTimes(subject.handle);
      const cpu = process.cpuUsage();
      const start = performance.now();
      await one(subject, text);
      const took = performance.now() - start;
      const { user, system } = process.cpuUsage(cpu);
      if (n < 0) continue;
      result.times.push(took);
      result.gateway += (user + system) / 1_000 / times;
      result.database += timeBetween(database, await databaseTimes(subject.handle)) / times;
    }
  }
  return measured;
}

const searchTable = ({ passages, workspaces }: Size) =>
  `A workspace with ${passages.toLocaleString('en')} passages, alone in its database and beside ${workspaces - 1} others that are as large
(${(passages * workspaces).toLocaleString('en')} passages in the tables). Milliseconds of one after the other; processor is the mean of the gateway's and the database's. Each of
the two is asked the same in turns. A misspelt word is looked for after a first search found nothing. Lists are read as the resolvers
ask for them, for which PostgreSQL may look at the words of all workspaces; for the statement of compiled queries it takes the workspace's index.

| | alone: p50 | p95 | processor | beside the others: p50 | p95 | processor |
|---|--:|--:|--:|--:|--:|--:|`;

const line = (name: string, measured: Measured[]) =>
  `| ${[
    name,
    ...measured.flatMap(({ times, gateway, database }) => [
      percentile(times, 50).toFixed(1),
      percentile(times, 95).toFixed(1),
      `${gateway.toFixed(1)} + ${database.toFixed(1)}`,
    ]),
  ].join(' | ')} |`;
