import { withoutMarks } from '../../../src/model/reply/references.ts';
import { squash } from '../../../src/model/reply/text.ts';
import { groundsOf } from '../../../src/model/restricted/grounds.ts';
import type { ModelPassage, ReplyRequest } from '../../../src/model/service.ts';
import { randomOf } from '../../../test/support/random/random.ts';
import { type Fact, languages, type Passage, pick, readPassages } from './corpus.ts';
import { kinds, type LieKind, lie } from './lies.ts';
import { paraphrase } from './paraphrases.ts';

/**
 * `told`: the rules let it through, as they decide where no passage is quoted. `quote`: what is told in its place, a sentence
 * of a passage: the one that it was made from, or another.
 */
type Said = { kind: LieKind | 'true'; text: string; language: string; told: boolean; quote: 'right' | 'other' | null };
export type Judged = { lies: Said[]; truths: Said[] };
export type Part = Passage['part'];

const asPassage = ({ title, text }: Passage, index: number): ModelPassage => ({
  id: `psg_${index}`,
  sourceId: `src_${index}`,
  baseId: 'bas_1',
  text,
  title,
  url: null,
  place: {},
});

const requestOf = (passages: ModelPassage[], language: string): ReplyRequest => ({
  agent: {
    name: 'Ada',
    instructions: null,
    welcome: null,
    freedom: 'restricted',
    purpose: 'support',
    references: true,
  },
  format: 'text',
  history: [
    {
      role: 'user',
      content: { english: 'What is it like?', portuguese: 'Como é?', spanish: '¿Cómo es?' }[language] ?? '',
    },
  ],
  passages,
  tools: [],
});

/** The share of sentences that the rules let through. */
export const shareThrough = (sentences: Said[]): number =>
  sentences.filter(({ told }) => told).length / sentences.length;

/** The share of sentences that are told in the model's own words, since no passage is quoted in their place. */
export const shareInOwnWords = (sentences: Said[]): number =>
  sentences.filter(({ told, quote }) => told && quote === null).length / sentences.length;

/** The share of sentences in whose place a sentence of a passage is told; `quote`: the right one alone. */
export const shareQuoted = (sentences: Said[], quote?: Said['quote']): number =>
  sentences.filter((said) => said.quote !== null && (!quote || said.quote === quote)).length / sentences.length;

/** A few words of the sentence that a reply may quote for it. */
function quoteOf({ sentence }: Fact, random: () => number): string {
  const words = sentence.replace(/\.$/, '').split(' ');
  const start = Math.floor(random() * Math.max(1, words.length - 4));
  return words.slice(start, start + 5).join(' ');
}

/** Judges as many generated lies and true paraphrases of one part of the corpus, half of them with a true quote behind. */
export function judgeClaims(count: number, seed: number, part: Part): Judged {
  const random = randomOf(seed);
  const judged: Judged = { lies: [], truths: [] };
  const homes = languages.map((language) => {
    const all = readPassages(language).filter((passage) => passage.part === part);
    return all.map((passage, index) => {
      const shown = [passage, all[(index + 1) % all.length] as Passage, all[(index + 2) % all.length] as Passage];
      return { passage, grounds: groundsOf(requestOf(shown.map(asPassage), language)) };
    });
  });
  const next = (kind: LieKind | 'true'): Said | null => {
    const { passage, grounds } = pick(pick(homes, random), random);
    const fact = pick(passage.facts, random);
    const spoken = paraphrase(passage, fact, random);
    const text = kind === 'true' ? spoken : lie(kind, random() < 0.5 ? fact.sentence : spoken, passage, random);
    if (text === null) return null;
    const cited = random() < 0.5 ? ` [1 "${quoteOf(fact, random)}"]` : '';
    const said = `${text.replace(/\.$/, '')}${cited}.`;
    const told = ['stated', 'talk'].includes(grounds.classify(said));
    const quotes = grounds.quote(said)?.map((text) => withoutMarks(text));
    const quote = quotes ? (quotes.some((text) => text.includes(squash(fact.sentence))) ? 'right' : 'other') : null;
    return { kind, text: said, language: passage.language, told, quote };
  };
  for (let index = 0; judged.lies.length < count; index++) {
    const said = next(kinds[index % kinds.length] as LieKind);
    if (said) judged.lies.push(said);
  }
  while (judged.truths.length < count) judged.truths.push(next('true') as Said);
  return judged;
}
