/** `npm run bench:flat`: whether pages and lookups cost the same in a small database and in a large one. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { clusterBeside } from '../data/cluster.ts';
import { median } from '../measure.ts';
import { printMachine } from '../report.ts';
import { dropDatabase, makeDatabase, messagesOf, type Size } from './data.ts';
import { type Operation, operations } from './operations.ts';
import { pagesOf } from './pages.ts';
import { type Gateway, openGateway } from './subject.ts';

const usage = `npm run bench:flat -- [flags]

  --messages <n>   how many messages the large database has (10,000,000: about 10 GB of disk while it runs)
  --workspaces <n> how many workspaces it has (1,000; at least 2)
  --partitions <n> into how many partitions each table of a workspace is divided (0: none)
  --on citus       the databases of a cluster, whose ports BENCH_CITUS names, as for npm run bench
  --times <n>      how often each operation is timed (40)
  --only <parts>   parts of the names of operations, with commas between
  --keep           leave the databases, and take those that are there
  --note <text>    what the reader of the results should know of the run
  --write          write the tables into bench/FLAT.md

BENCH_DATABASE_URL names a PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres) where databases can be made.`;

const { values: flags } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000000' },
    workspaces: { type: 'string', default: '1000' },
    partitions: { type: 'string', default: '0' },
    on: { type: 'string', default: 'postgres' },
    times: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
    note: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const beside = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const [server, ...nodes] = flags.on === 'citus' && !flags.help ? clusterBeside(beside) : [beside];
const small: Size = { workspaces: 1, first: 10_000, other: 0 };
const workspaces = Math.max(2, Number(flags.workspaces));
/** Half of it in one workspace, the other half in all others. */
const large: Size = {
  workspaces,
  first: Math.round(Number(flags.messages) / 20),
  other: Math.floor(Number(flags.messages) / 20 / (workspaces - 1)),
};
const databases = { parley_flat_small: small, parley_flat_large: large };

const isAsked = ({ name }: Operation) => flags.only.split(',').some((part) => name.includes(part.trim()));

type Measured = { pages: number; ms: number };
type Subject = { name: string; gateway: Gateway };

async function measureAll(): Promise<void> {
  const urls = await makeDatabases();
  const parts: string[] = [];
  for (const compiledQueries of [true, false]) {
    const open = (database: number, workspace: number) =>
      openGateway(urls[database] as string, workspace, compiledQueries);
    const subjects = [
      { name: `alone, ${count(messagesOf(small))} messages`, gateway: await open(0, 0) },
      { name: `one of ${count(workspaces)} workspaces`, gateway: await open(1, Math.floor(workspaces / 2)) },
      { name: `the largest of ${count(workspaces)}`, gateway: await open(1, 0) },
    ];
    const lines: string[] = [];
    for (const operation of operations.filter(isAsked)) {
      lines.push(print(operation, await measure(operation, subjects)));
      console.error(lines.at(-1));
    }
    parts.push(table(compiledQueries ? 'With compiled queries' : 'Without compiled queries', subjects, lines));
    for (const { gateway } of subjects) await gateway.handle.close();
  }
  if (!flags.keep) {
    for (const name of Object.keys(databases)) for (const each of [server, ...nodes]) await dropDatabase(each, name);
  }
  const text = [introduction(), ...parts].join('\n\n');
  console.log(text);
  if (flags.write) writeFileSync(path.join(import.meta.dirname, '../FLAT.md'), `${text}\n`);
}

async function makeDatabases(): Promise<string[]> {
  const urls: string[] = [];
  for (const [name, size] of Object.entries(databases)) {
    console.error(`Making ${count(messagesOf(size))} messages in the database ${name}`);
    const partitions = Number(flags.partitions);
    urls.push(await makeDatabase(server, name, { size, partitions, nodes, keep: flags.keep }));
  }
  return urls;
}

/**
 * Measures an operation's cost for each subject. Subjects alternate, so that disturbances of the machine affect all of
 * them.
 */
async function measure(operation: Operation, subjects: Subject[]): Promise<Measured[]> {
  const texts = await Promise.all(subjects.map(({ gateway }) => textOf(operation, gateway)));
  const times: number[][] = subjects.map(() => []);
  for (let round = -8; round < Number(flags.times); round++) {
    for (const [index, { gateway }] of subjects.entries()) {
      const start = performance.now();
      await gateway.ask(texts[index] as string);
      if (round >= 0) times[index]?.push(performance.now() - start);
    }
  }
  const measured: Measured[] = [];
  for (const [index, { gateway }] of subjects.entries()) {
    const pages = await pagesOf(gateway.handle, await gateway.watch(texts[index] as string));
    measured.push({ pages, ms: median(times[index] ?? []) });
  }
  return measured;
}

async function textOf({ ask, place }: Operation, { subject, ask: request }: Gateway): Promise<string> {
  if (!place) return ask(subject, '');
  const listOf = async (args: string) => {
    const { data } = JSON.parse(await request(place(subject, args))) as { data: { list: List; agent: { list: List } } };
    return data.list ?? data.agent.list;
  };
  const { totalCount } = await listOf('first: 1');
  const { pageInfo } = await listOf(`first: 1, offset: ${Math.floor(totalCount / 2)}`);
  return ask(subject, pageInfo.endCursor);
}
type List = { totalCount: number; pageInfo: { endCursor: string } };

function print({ name, grows }: Operation, [base, ...others]: Measured[]): string {
  const { pages, ms } = base as Measured;
  const ratios = others.map((other) => `${(other.pages / pages).toFixed(2)} | ${(other.ms / ms).toFixed(2)}`);
  const told = grows ? `${name} (grows ${grows})` : name;
  return `| ${[told, pages, ms.toFixed(2), ...ratios].join(' | ')} |`;
}

const table = (title: string, [base, ...others]: Subject[], lines: string[]) =>
  [
    `## ${title}`,
    '',
    `| operation | ${base?.name}: pages | ms | ${others.map(({ name }) => `${name}: pages | ms`).join(' | ')} |`,
    `|---|--:|--:|${others.map(() => '--:|--:|').join('')}`,
    ...lines,
  ].join('\n');

const introduction = () => `# What \`npm run bench:flat\` measured

${new Date().toISOString().slice(0, 16)}Z on ${printMachine()}.${flags.note ? ` ${flags.note}` : ''}

The same operations in three workspaces: one that is alone in its database, with ${count(messagesOf(small))} messages; and two of
${count(workspaces)} in a database with ${count(messagesOf(large))}, one of which has half of all, and the other ${count(large.other * 10)}. Pages
are the pages of 8 KB that PostgreSQL touches for the statements of one request, by the plans that it keeps for any values;
milliseconds are the median of ${flags.times} requests, one at a time, through the gateway in this process. Of the first
workspace they stand as they are; of the others as multiples of it. Where many workspaces write in turns, each row of a small
one lies on a page of its own, so that 20 rows are up to 20 pages, whatever the size of the rest.`;

const count = (rows: number) => rows.toLocaleString('en');

if (flags.help) {
  console.log(usage);
} else {
  await measureAll();
  process.exit(0);
}
