/** `npm run bench:answers`: how well the embedded model replies from retrieved passages. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { withDatabase } from '../retrieval/database.ts';
import { ownClaims } from './claims/claims.ts';
import { type Answered, measureAnswers } from './measure.ts';
import { claimsOf } from './others/claims.ts';
import { everyday, questionsOf } from './others/off-topic.ts';
import type { TextLanguage } from './others/texts.ts';
import { type Claim, checksCpu, denialsDelivered, type Judge, outcomeOf } from './outcome.ts';
import { readArticles } from './squad.ts';

const usage = `npm run bench:answers -- [folder or file …]

Each in the layout of SQuAD (data: title, paragraphs: context, qas: question, answers, is_impossible); without one, those of
bench/data/answers, one by one. Every question is asked of all articles, and once more of all but its own, off the topic.

Then --claims (1000) false sentences, made from the passages of bench/data/claims by --seed, and as many true paraphrases, are given to
the check of restricted agents. "held" passages were kept apart from those that its rules were tried on. --no-answers: only this.

--texts FOLDER makes --each (200) false sentences of every kind from texts by other hands too, with a true twin each: Debian's documentation in
English, Portuguese and Spanish, and asks of it, in German, Chinese and Arabic too, what is off the topic. A third of the files is "unopened": not looked at while the rules were made.
  apt-get download debian-handbook debian-reference-{en,es,pt,de,zh-cn} installation-guide-amd64 debian-faq manpages-es manpages-pt-br
  for package in *.deb; do dpkg -x $package FOLDER; done

BENCH_DATABASE_URL names a PostgreSQL server where a database can be made; without it the embedded one is used.`;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    claims: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '15' },
    texts: { type: 'string' },
    each: { type: 'string', default: '200' },
    answers: { type: 'boolean', default: true },
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

const judges: [name: string, judge: Judge][] = [
  ['none', 'none'],
  ['never wrong', 0],
  ['wrong one time in ten', 0.1],
];

/** Questions about daily life, and in words of a document, asked of documents by other hands. */
async function reportOffTopic(folder: string, seed: number): Promise<void> {
  console.log(`
| Debian's documentation | questions off topic | answered plainly | in words of a document | its passage cited | answered plainly | without that document: answered plainly |
|---|--:|--:|--:|--:|--:|--:|`);
  for (const language of Object.keys(everyday) as TextLanguage[]) {
    const { articles, questions } = questionsOf(folder, language, seed);
    await withDatabase(process.env.BENCH_DATABASE_URL, async ({ client }) => {
      const [off = [], on = []] = [true, false].map((isOff) =>
        questions.filter(({ article }) => article < 0 === isOff),
      );
      const away = await measureAnswers(client, { articles, questions: off });
      const home = await measureAnswers(client, { articles, questions: on });
      const shares = [home.cited, home.plain, home.offTopic].map(percent);
      console.log(`| ${[language, off.length, percent(away.offTopic), on.length, ...shares].join(' | ')} |`);
    });
  }
}

function reportClaims(collections: [name: string, claims: Claim[]][], seed: number): void {
  const relations = [...new Set(collections.flatMap(([, claims]) => claims.map(({ relation }) => relation)))];
  console.log(`
False statements of a model for a restricted agent, and as many true ones, seed ${seed}. Lies: delivered in the model's words. Truths: neither
they nor the sentence that they are made from is delivered. By kind: lies / truths.

| collection, lies | model that judges | lies delivered | truths held back | denials as admissions delivered | CPU, ms for 1,000 words | ${relations.join(' | ')} |
|---|---|${'--:|'.repeat(4 + relations.length)}`);
  for (const [name, claims] of collections) {
    for (const [judgeName, judge] of judges) {
      const { through, heldBack } = outcomeOf(claims, judge, seed);
      const { made, delivered } = denialsDelivered(claims, judge, seed);
      const kinds = relations.map((relation) => {
        const some = claims.filter((claim) => claim.relation === relation);
        const outcome = outcomeOf(some, judge, seed);
        return some.length > 0 ? `${percent(outcome.through)} / ${percent(outcome.heldBack)}` : '';
      });
      const cells = [
        percent(through),
        percent(heldBack),
        `${delivered.length} of ${made}`,
        checksCpu(claims).toFixed(1),
      ];
      console.log(`| ${[`${name}, ${claims.length}`, judgeName, ...cells, ...kinds].join(' | ')} |`);
    }
  }
}

if (flags.help) console.log(usage);
else {
  if (flags.answers) await main();
  const [count, seed, each] = [flags.claims, flags.seed, flags.each].map(Number) as [number, number, number];
  const texts = flags.texts;
  if (texts) await reportOffTopic(texts, seed);
  reportClaims(
    [
      ...(['tuning', 'held'] as const).map((part): [string, Claim[]] => [`own, ${part}`, ownClaims(count, seed, part)]),
      ...(texts ? (['open', 'unopened'] as const) : []).map((part): [string, Claim[]] => [
        `Debian, ${part}`,
        claimsOf(texts as string, part, { each, seed }),
      ]),
    ],
    seed,
  );
}
