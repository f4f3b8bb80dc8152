/** `npm run bench:retrieval`: the quality and speed of retrieval. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { printMachine } from '../report.ts';
import { measureEmbedded } from './embedded.ts';
import { compareModels } from './models.ts';
import { measureQuality } from './quality.ts';
import { measureScale } from './scale.ts';

const usage = `npm run bench:retrieval -- [folder …] [flags]

  folder             a collection in the layout of BEIR: corpus.jsonl, queries.jsonl, qrels/test.tsv; or a file in that of SQuAD;
                     without one, those of the project. Prints nDCG@10 beside that of a plain BM25 and of PostgreSQL's ts_rank,
                     recall@100 and times: as it is, with one typo in each question, and without titles. With EMBEDDING_MODEL
                     or RERANK_MODEL set, also words, vectors, both and reranked side by side
  --config <name>    the configuration of PostgreSQL's text search to compare with (english)
  --scale            also how fast passages are indexed and found in a large workspace, alone and beside others
  --embedded         also how long others wait for the embedded database while a large source is written
  --passages <n>     how many passages the large workspace has (100,000)
  --workspaces <n>   how many such workspaces are in the tables (10)
  --source <n>       how many passages a source of it has (500)
  --times <n>        how often each question is asked (200)
  --keep             leave the databases of --scale, and take those that are there
  --note <text>      what the reader of the results should know of the run
  --write            write the results into bench/RETRIEVAL.md

BENCH_DATABASE_URL names a PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres) where databases can be made;
without it the collection is indexed on the embedded database, and --scale is not possible.`;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    config: { type: 'string', default: 'english' },
    scale: { type: 'boolean', default: false },
    embedded: { type: 'boolean', default: false },
    passages: { type: 'string', default: '100000' },
    workspaces: { type: 'string', default: '10' },
    source: { type: 'string', default: '500' },
    times: { type: 'string', default: '200' },
    keep: { type: 'boolean', default: false },
    note: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const own = [
  'test/files/retrieval',
  ...['english', 'portuguese', 'spanish'].map((name) => `bench/data/answers/${name}.json`),
].map((name) => path.join(import.meta.dirname, '../..', name));

async function main(): Promise<void> {
  const server = process.env.BENCH_DATABASE_URL;
  const folders = positionals.length > 0 ? positionals : own;
  const quality = await measureQuality(folders, server, flags.config);
  console.log(quality);
  const parts = [`## Quality\n\n${quality}`];
  const models = await compareModels(folders, server, process.env);
  if (models) {
    parts.push(`## With models\n\n${models}`);
    console.log(models);
  }
  if (flags.scale) {
    if (!server) throw new Error('--scale needs PostgreSQL: name a server in BENCH_DATABASE_URL.');
    const [passages, workspaces, perSource] = [flags.passages, flags.workspaces, flags.source].map(Number) as [
      number,
      number,
      number,
    ];
    const options = { server, passages, workspaces, perSource, keep: flags.keep, times: Number(flags.times) };
    parts.push(`## A large workspace on PostgreSQL\n\n${await measureScale({ ...options, indexed: 20_000 })}`);
    console.log(parts.at(-1));
  }
  if (flags.embedded) {
    parts.push(`## The embedded database\n\n${await measureEmbedded(20_000)}`);
    console.log(parts.at(-1));
  }
  if (!flags.write) return;
  const text = [introduction(), ...parts].join('\n\n');
  writeFileSync(path.join(import.meta.dirname, '../RETRIEVAL.md'), `${text}\n`);
}

const introduction = () => `# What \`npm run bench:retrieval\` measured

${new Date().toISOString().slice(0, 16)}Z on ${printMachine()}.${flags.note ? ` ${flags.note}` : ''}

\`BENCH_DATABASE_URL=… npm run bench:retrieval -- ${process.argv
  .slice(2)
  .filter((word) => !word.includes(' ') && word !== '--note')
  .join(' ')}\`

The standard collections of BEIR are not part of the repository and were not within reach of this machine: the quality below is that
of the project's own small collection. A folder with one of them in the layout of BEIR is read as it is; beside each figure stands
what a plain BM25 with Lucene's parameters makes of the same passages, which ours has to equal.`;

if (flags.help) console.log(usage);
else await main();
