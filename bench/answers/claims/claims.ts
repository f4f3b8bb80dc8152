import type { ModelPassage } from '../../../src/model/service.ts';
import { randomOf } from '../../../test/support/random/random.ts';
import type { Claim } from '../outcome.ts';
import { languages, type Passage, pick, readPassages } from './corpus.ts';
import { kinds, lie } from './lies.ts';
import { paraphrase } from './paraphrases.ts';

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

/**
 * Generates lies about the passages of one part of the project's own corpus, half of them reworded, each with a true
 * paraphrase.
 */
export function ownClaims(count: number, seed: number, part: Part): Claim[] {
  const random = randomOf(seed);
  const homes = languages.map((language) => {
    const all = readPassages(language).filter((passage) => passage.part === part);
    return all.map((passage, index) => ({
      passage,
      passages: [0, 1, 2].map((more) => asPassage(all[(index + more) % all.length] as Passage, more)),
    }));
  });
  const claims: Claim[] = [];
  for (let index = 0; claims.length < count; index++) {
    const relation = kinds[index % kinds.length] as (typeof kinds)[number];
    const { passage, passages } = pick(pick(homes, random), random);
    const fact = pick(passage.facts, random);
    const twin = paraphrase(passage, fact, random);
    const said = lie(relation, random() < 0.5 ? fact.sentence : twin, passage, random);
    if (said) claims.push({ relation, language: passage.language, fact: fact.sentence, lie: said, twin, passages });
  }
  return claims;
}
