/** `npm run bench:answers`: how well the embedded model replies from retrieved passages. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { withDatabase } from '../retrieval/database.ts';
import { languages } from './claims/corpus.ts';
import { judgeClaims, shareInOwnWords, shareQuoted, shareThrough } from './claims/judge.ts';
import { kinds } from './claims/lies.ts';
import { type Answered, measureAnswers } from './measure.ts';
import { readArticles } from './squad.ts';

const usage = `npm run bench:answers -- [folder or file …]

Each in the layout of SQuAD (data: title, paragraphs: context, qas: question, answers, is_impossible); without one, those of
bench/data/answers, one by one. Every question is asked of all articles, and once more of all but its own, off the topic.

Then --claims (1000) false sentences, made from the passages of bench/data/claims by --seed, and as many true paraphrases, are given to
the check of restricted agents. "held" passages were kept apart from those that its rules were tried on.

BENCH_DATABASE_URL names a PostgreSQL server where a database can be made; without it the embedded one is used.`;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    claims: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '15' },
  },
});

const own = ['english', 'portuguese', 'spanish'].map((name) =>
  path.join(import.meta.dirname, `../data/answers/${name}.json`),
);

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

const lineOf = (name: string, answered: Answered) =>
  `| ${[
    name,
    answered.questions,
    percent(answered.cited),
    percent(answered.contained),
    percent(answered.plain),
    percent(answered.admitted),
    percent(answered.offTopic),
    answered.falseCitations,
  ].join(' | ')} |`;

async function main(): Promise<void> {
  console.log(`| collection | questions | right passage cited | answer contained | answered plainly | unanswerable: admitted or with a caveat | off topic: answered plainly | false citations |
|---|--:|--:|--:|--:|--:|--:|--:|`);
  for (const folder of positionals.length > 0 ? positionals : own) {
    await withDatabase(process.env.BENCH_DATABASE_URL, async ({ client }) => {
      console.log(lineOf(path.basename(folder, '.json'), await measureAnswers(client, readArticles(folder))));
    });
  }
}

function reportClaims(count: number, seed: number): void {
  console.log(`
| ${count} false sentences and ${count} paraphrases, seed ${seed} | false: told | ${kinds.join(' | ')} | true: held back | ${languages.join(' | ')} |
|---|${'--:|'.repeat(2 + kinds.length + languages.length)}`);
  for (const part of ['tuning', 'held'] as const) {
    const { lies, truths } = judgeClaims(count, seed, part);
    const cells = [
      percent(shareThrough(lies)),
      ...kinds.map((kind) => percent(shareThrough(lies.filter((lie) => lie.kind === kind)))),
      percent(1 - shareThrough(truths)),
      ...languages.map((language) => percent(1 - shareThrough(truths.filter((said) => said.language === language)))),
    ];
    console.log(`| ${part} | ${cells.join(' | ')} |`);
  }
  console.log(`\nWithout a judging model, where sentences of passages are told in the place of the model's:

| part | false: told in its own words | false: a passage is quoted | true: nothing is told | true: the right sentence is quoted |
|---|--:|--:|--:|--:|`);
  for (const part of ['tuning', 'held'] as const) {
    const { lies, truths } = judgeClaims(count, seed, part);
    const nothing = 1 - shareInOwnWords(truths) - shareQuoted(truths);
    const cells = [shareInOwnWords(lies), shareQuoted(lies), nothing, shareQuoted(truths, 'right')];
    console.log(`| ${part} | ${cells.map(percent).join(' | ')} |`);
  }
}

if (flags.help) console.log(usage);
else {
  await main();
  reportClaims(Number(flags.claims), Number(flags.seed));
}
