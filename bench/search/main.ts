/** `npm run bench:search`: how long a search takes among many messages. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { mergeMessageSegments } from '../../src/search/messages/merging.ts';
import { indexMessages } from '../../src/search/messages/writer.ts';
import { dropDatabase, makeDatabase, makeEmbedded } from '../flat/data.ts';
import { type Gateway, type Location, openAt, openGateway } from '../flat/subject.ts';
import { printMachine } from '../report.ts';
import { percentile } from '../retrieval/database.ts';
import { restart, sentence } from '../retrieval/texts.ts';

const usage = `npm run bench:search -- [flags]

  --messages <n>   how many messages the workspace has (1,000,000; embedded: 100,000)
  --embedded       on the embedded database instead of PostgreSQL
  --times <n>      how many searches of each kind are timed (100)
  --keep           leave the database, and take the one that is there
  --write          write the table into bench/SEARCH.md

BENCH_DATABASE_URL names a PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres) where databases can be made.`;

const { values: flags } = parseArgs({
  options: {
    messages: { type: 'string' },
    embedded: { type: 'boolean', default: false },
    times: { type: 'string', default: '100' },
    keep: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const server = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const name = 'parley_search';

const page = (list: string, more = '') =>
  `query Search($words: String!) { ${list}(search: $words, first: 20${more}) {
    edges { node { id } match { rank excerpt { text highlights { start end } } } } pageInfo { hasNextPage } } }`;

type Kind = { document: string; words: () => string };
/** The kinds of search, each with new words every time. The most frequent words occur in a third of the messages. */
const kinds: Record<string, Kind> = {
  'messages: 1 word': { document: page('messages'), words: () => sentence(1) },
  'messages: 2 words': { document: page('messages'), words: () => sentence(2) },
  'messages: 2 of the 100 most frequent words': { document: page('messages'), words: () => sentence(2, 100) },
  'conversations: 1 word': { document: page('conversations'), words: () => sentence(1) },
  'conversations: 2 words': { document: page('conversations'), words: () => sentence(2) },
  'conversations: 1 word, of one status': {
    document: page('conversations', ', filter: {status: [active]}'),
    words: () => sentence(1),
  },
};

async function measureAll(): Promise<void> {
  const messages = Number(flags.messages ?? (flags.embedded ? 100_000 : 1_000_000));
  const size = { workspaces: 1, first: Math.ceil(messages / 10), other: 0 };
  if (!flags.embedded) {
    const table = await measureAt(await makeDatabase(server, name, { size, partitions: 0, keep: flags.keep }));
    if (!flags.keep) await dropDatabase(server, name);
    return print(table, messages);
  }
  const dataDir = await mkdtemp(path.join(tmpdir(), 'parley-search-'));
  try {
    await makeEmbedded(dataDir, size);
    await print(await measureAt({ dataDir }), messages);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Returns the rows of the table, and how many seconds indexing took. */
async function measureAt(location: Location): Promise<{ lines: string[]; seconds: number | null }> {
  const handle = await openAt(location);
  const seconds = await fill(handle);
  await handle.close();
  const gateway = await openGateway(location, 0, true);
  const lines: string[] = [];
  for (const [name, kind] of Object.entries(kinds)) lines.push(await measure(gateway, name, kind));
  await gateway.handle.close();
  return { lines, seconds };
}

async function print({ lines, seconds }: Awaited<ReturnType<typeof measureAt>>, messages: number): Promise<void> {
  const text = `# What \`npm run bench:search${flags.embedded ? ' -- --embedded' : ''}\` measured

${new Date().toISOString().slice(0, 16)}Z on ${printMachine()}.

A workspace with ${messages.toLocaleString('en')} messages of 10 to 40 words${
    seconds ? `, indexed in ${Math.round(seconds)} seconds` : ''
  }. Milliseconds of pages of 20 with rank and highlights, one request after the other, through the gateway in this process,
each with other words as variables.

| search | p50 | p95 |
|---|--:|--:|
${lines.join('\n')}`;
  console.log(text);
  if (flags.write) await writeFile(path.join(import.meta.dirname, '../SEARCH.md'), `${text}\n`);
}

async function measure({ ask }: Gateway, name: string, { document, words }: Kind): Promise<string> {
  for (let warm = 0; warm < 10; warm++) await ask(document, { words: words() });
  const times: number[] = [];
  for (let time = 0; time < Number(flags.times); time++) {
    const variables = { words: words() };
    const start = performance.now();
    await ask(document, variables);
    times.push(performance.now() - start);
  }
  const line = `| ${name} | ${percentile(times, 50).toFixed(1)} | ${percentile(times, 95).toFixed(1)} |`;
  console.error(line);
  return line;
}

/**
 * Replaces the content of all messages and indexes them. Returns how many seconds indexing took, or null if they were
 * indexed already.
 */
async function fill({ client, pool }: DatabaseHandle): Promise<number | null> {
  const waiting = await client.message.findFirst({ where: { searchNumber: null }, select: { workspaceId: true } });
  if (!waiting) return null;
  const { workspaceId } = waiting;
  restart();
  for (let after = ''; ; ) {
    const { rows } = await pool.query<{ id: string }>(
      'SELECT "id" FROM "Message" WHERE "workspaceId" = $1 AND "id" > $2 ORDER BY "id" LIMIT 5000',
      [workspaceId, after],
    );
    if (rows.length === 0) break;
    const ids = rows.map(({ id }) => id);
    await pool.query(
      `UPDATE "Message" SET "content" = new.text FROM unnest($1::text[], $2::text[]) AS new(id, text)
       WHERE "Message"."workspaceId" = $3 AND "Message"."id" = new.id`,
      [ids, ids.map(() => sentence(10 + Math.floor(Math.random() * 30))), workspaceId],
    );
    after = ids.at(-1) as string;
  }
  const start = performance.now();
  await indexMessages(client, workspaceId);
  await mergeMessageSegments(client, workspaceId);
  const seconds = (performance.now() - start) / 1_000;
  const maintenance = await pool.connect();
  await maintenance.query('SET statement_timeout = 0');
  await maintenance.query('VACUUM ANALYZE');
  maintenance.release(true);
  return seconds;
}

if (flags.help) {
  console.log(usage);
} else {
  await measureAll();
  process.exit(0);
}
