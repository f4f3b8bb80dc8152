import { collapseSpaces } from '../../src/model/reply/text.ts';
import type { JudgedByModel } from '../../src/model/restricted/grounds.ts';
import { keepGrounded } from '../../src/model/restricted/keep-grounded.ts';
import type { ModelPassage, ReplyRequest } from '../../src/model/service.ts';
import { randomOf } from '../../test/support/random/random.ts';
import { type Language, pick } from './claims/corpus.ts';
import { denialsOf } from './others/denials.ts';

/** A sentence of a model about a fact that stands in the first of the passages. */
export type Claim = {
  relation: string;
  language: Language;
  fact: string;
  lie: string;
  twin: string;
  passages: ModelPassage[];
};
/** Shares, from 0 to 1. */
export type Outcome = { through: number; heldBack: number };
/** `none`: no model judges. Otherwise the share of its verdicts that are wrong. */
export type Judge = 'none' | number;

const questions: Record<Language, string> = {
  english: 'What does the documentation say about it?',
  portuguese: 'O que a documentação diz sobre isso?',
  spanish: '¿Qué dice la documentación sobre eso?',
};

/** The request of a restricted agent that is asked a question. */
const requestOf = (passages: ModelPassage[], question: string): ReplyRequest => ({
  agent: {
    name: 'Ada',
    instructions: null,
    welcome: null,
    freedom: 'restricted',
    purpose: 'support',
    references: true,
  },
  format: 'text',
  history: [{ role: 'user', content: question }],
  passages,
  tools: [],
});

/** Stands in for VERIFY_MODEL: knows the truth, and says the opposite in a share of the cases. */
const verdictsOf = (isTrue: boolean, fact: string, wrong: number, random: () => number): JudgedByModel => {
  const isWrong = random() < wrong;
  return {
    judged: (_, sources) =>
      (isTrue && sources.some((source) => collapseSpaces(source).includes(collapseSpaces(fact)))) !== isWrong,
    settled: () => Promise.resolve(),
  };
};

const plain = (text: string): string =>
  collapseSpaces(text.replace(/\[[^\]]*\]/g, ''))
    .replace(/ (?=[.,;:])/g, '')
    .replace(/\W+$/, '');

/** What is delivered of a sentence, half of them with a mark behind. */
function tell(claim: Claim, text: string, verdicts: JudgedByModel | null, random: () => number): string {
  const marked = random() < 0.5 ? text.replace(/\.$/, ' [1].') : text;
  const request = requestOf(claim.passages, questions[claim.language]);
  return plain(keepGrounded({ ...request, verdicts }, marked).text);
}

/** How many of the lies are delivered as they are, and of how many true twins neither they nor the fact itself. */
export function outcomeOf(claims: Claim[], judge: Judge, seed: number): Outcome {
  const random = randomOf(seed);
  let [through, heldBack] = [0, 0];
  for (const claim of claims) {
    const [lie, twin] = [false, true].map((isTrue) => {
      const verdicts = judge === 'none' ? null : verdictsOf(isTrue, claim.fact, judge, random);
      return tell(claim, isTrue ? claim.twin : claim.lie, verdicts, random);
    }) as [string, string];
    // A quote of the fact may contain a lie that only leaves its condition out.
    if (lie.replaceAll(plain(claim.fact), '').includes(plain(claim.lie))) through++;
    if (!twin.includes(plain(claim.twin)) && !twin.includes(plain(claim.fact))) heldBack++;
  }
  return { through: through / claims.length, heldBack: heldBack / claims.length };
}

/** How many denials in the words of admissions are delivered; each is a lie. */
export function denialsDelivered(claims: Claim[], judge: Judge, seed: number): { made: number; delivered: string[] } {
  const random = randomOf(seed);
  const made = claims.map((claim) => {
    const denial = pick(denialsOf(claim.fact, claim.language), random);
    const verdicts = judge === 'none' ? null : verdictsOf(false, claim.fact, judge, random);
    return { denial, said: tell(claim, denial, verdicts, random) };
  });
  return {
    made: made.length,
    delivered: made.filter(({ denial, said }) => said.includes(plain(denial))).map(({ denial }) => denial),
  };
}

/**
 * Milliseconds of CPU that the checks of 1,000 words take, with the passages of the claims. The least of three rounds,
 * since whatever else runs on the machine only adds.
 */
export const checksCpu = (claims: Claim[]): number => Math.min(...[1, 2, 3].map(() => cpuOnce(claims)));

function cpuOnce(claims: Claim[]): number {
  let words = 0;
  const start = process.cpuUsage();
  for (let at = 0; at + 20 <= claims.length; at += 20) {
    const some = claims.slice(at, at + 20);
    const said = some.map(({ twin }) => twin).join(' ');
    const passages = some.slice(0, 2).flatMap(({ passages }) => passages.slice(0, 4));
    const request = requestOf(
      passages.map((each, index) => ({ ...each, id: `psg_${index}` })),
      'What is it?',
    );
    keepGrounded(request, said);
    words += said.split(' ').length;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / words;
}
