/** `npm run bench:search`: how long a search takes among many messages. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { mergeMessageSegments } from '../../src/search/messages/merging.ts';
import { indexMessages } from '../../src/search/messages/writer.ts';
import { dropDatabase, makeDatabase } from '../flat/data.ts';
import { type Gateway, openGateway } from '../flat/subject.ts';
import { printMachine } from '../report.ts';
import { percentile } from '../retrieval/database.ts';
import { restart, sentence } from '../retrieval/texts.ts';

const usage = `npm run bench:search -- [flags]

  --messages <n>   how many messages the workspace has (1,000,000)
  --times <n>      how many searches of each kind are timed (100)
  --keep           leave the database, and take the one that is there
  --write          write the table into bench/SEARCH.md

BENCH_DATABASE_URL names a PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres) where databases can be made.`;

const { values: flags } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '100' },
    keep: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const server = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const name = 'parley_search';

const page = (list: string, search: string, more = '') =>
  `{ ${list}(search: ${JSON.stringify(search)}, first: 20${more}) {
    edges { node { id } match { rank excerpt { text highlights { start end } } } } pageInfo { hasNextPage } } }`;

/** The kinds of search, each with new words every time. The most frequent words occur in a third of the messages. */
const kinds: Record<string, () => string> = {
  'messages: 1 word': () => page('messages', sentence(1)),
  'messages: 2 words': () => page('messages', sentence(2)),
  'messages: 2 of the 100 most frequent words': () => page('messages', sentence(2, 100)),
  'conversations: 1 word': () => page('conversations', sentence(1)),
  'conversations: 2 words': () => page('conversations', sentence(2)),
  'conversations: 1 word, of one status': () => page('conversations', sentence(1), ', filter: {status: [active]}'),
};

async function measureAll(): Promise<void> {
  const messages = Number(flags.messages);
  const size = { workspaces: 1, first: Math.ceil(messages / 10), other: 0 };
  const url = await makeDatabase(server, name, size, flags.keep);
  const handle = await openDatabase({ databaseUrl: url, dataDir: '' });
  const seconds = await fill(handle);
  await handle.close();
  const gateway = await openGateway(url, 0, true);
  const lines: string[] = [];
  for (const [kind, make] of Object.entries(kinds)) lines.push(await measure(gateway, kind, make));
  await gateway.handle.close();
  if (!flags.keep) await dropDatabase(server, name);
  const text = `# What \`npm run bench:search\` measured

${new Date().toISOString().slice(0, 16)}Z on ${printMachine()}.

A workspace with ${messages.toLocaleString('en')} messages of 10 to 40 words${
    seconds ? `, indexed in ${Math.round(seconds)} seconds` : ''
  }. Milliseconds of pages of 20 with rank and highlights, one request after the other, through the gateway in this process,
each with other words.

| search | p50 | p95 |
|---|--:|--:|
${lines.join('\n')}`;
  console.log(text);
  if (flags.write) writeFileSync(path.join(import.meta.dirname, '../SEARCH.md'), `${text}\n`);
}

async function measure({ ask }: Gateway, kind: string, make: () => string): Promise<string> {
  for (let warm = 0; warm < 10; warm++) await ask(make());
  const times: number[] = [];
  for (let time = 0; time < Number(flags.times); time++) {
    const text = make();
    const start = performance.now();
    await ask(text);
    times.push(performance.now() - start);
  }
  const line = `| ${kind} | ${percentile(times, 50).toFixed(1)} | ${percentile(times, 95).toFixed(1)} |`;
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
  restart();
  for (let after = ''; ; ) {
    const { rows } = await pool.query<{ id: string }>(
      'SELECT "id" FROM "Message" WHERE "id" > $1 ORDER BY "id" LIMIT 5000',
      [after],
    );
    if (rows.length === 0) break;
    const ids = rows.map(({ id }) => id);
    await pool.query(
      `UPDATE "Message" SET "content" = new.text FROM unnest($1::text[], $2::text[]) AS new(id, text)
       WHERE "Message"."id" = new.id`,
      [ids, ids.map(() => sentence(10 + Math.floor(Math.random() * 30)))],
    );
    after = ids.at(-1) as string;
  }
  const start = performance.now();
  await indexMessages(client, waiting.workspaceId);
  await mergeMessageSegments(client, waiting.workspaceId);
  const seconds = (performance.now() - start) / 1_000;
  await pool.query('VACUUM ANALYZE');
  return seconds;
}

if (flags.help) {
  console.log(usage);
} else {
  await measureAll();
  process.exit(0);
}
