import type { ModelPassage } from '../../../src/model/service.ts';
import { randomOf } from '../../../test/support/random/random.ts';
import { type Language, languages } from '../claims/corpus.ts';
import type { Claim } from '../outcome.ts';
import { pairOf, relations } from './relations.ts';
import { type Document, factsOf, type Part, readDocuments } from './texts.ts';

const names: Record<Language, string[]> = {
  english: ['Windows', 'Solaris', 'Oracle', 'Samba', 'Berlin', 'Fedora', 'Amanda Whitlow'],
  portuguese: ['Windows', 'Solaris', 'Oracle', 'Samba', 'Berlim', 'Fedora', 'Amanda Bastos'],
  spanish: ['Windows', 'Solaris', 'Oracle', 'Samba', 'Berlín', 'Fedora', 'Amanda Bastos'],
};

/** Makes up to `each` claims of every relation, spread over the languages, of a part of the documents in a folder. */
export function claimsOf(folder: string, part: Part, { each, seed }: { each: number; seed: number }): Claim[] {
  const random = randomOf(seed);
  return languages.flatMap((language) => {
    const documents = readDocuments(folder, language).filter((document) => document.part === part);
    const facts = shuffled(
      documents.flatMap((document) =>
        document.paragraphs.flatMap((paragraph, at) => factsOf(paragraph).map((fact) => ({ fact, document, at }))),
      ),
      random,
    );
    return relations.flatMap((relation) => {
      const claims: Claim[] = [];
      for (const { fact, document, at } of facts) {
        if (claims.length >= Math.ceil(each / languages.length)) break;
        const pair = pairOf(relation, fact, language, random, names[language]);
        if (pair) claims.push({ relation, language, fact, ...pair, passages: passagesOf(document, at, random) });
      }
      return claims;
    });
  });
}

/** The paragraph of a fact, and four others of its document. */
function passagesOf({ title, paragraphs }: Document, at: number, random: () => number): ModelPassage[] {
  const others = shuffled(
    paragraphs.filter((_, index) => index !== at),
    random,
  ).slice(0, 4);
  return [paragraphs[at] as string, ...others].map((text, index) => ({
    id: `psg_${index}`,
    sourceId: 'src_1',
    baseId: 'bas_1',
    text,
    title,
    url: null,
    place: {},
  }));
}

function shuffled<T>(list: T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, key: random() }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ item }) => item);
}
