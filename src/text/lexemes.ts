import { stemmer as stemEnglish } from '@orama/stemmers/english';
import { stemmer as stemPortuguese } from '@orama/stemmers/portuguese';
import { stemmer as stemSpanish } from '@orama/stemmers/spanish';
import { fold } from './fold.ts';
import { portuguese, type Stemming, spanish } from './plurals.ts';
import { stopWords } from './stop-words.ts';
import { isUnspaced, piecesOf, spansOf } from './unspaced.ts';

/** English, Portuguese, Spanish. */
export type Language = 'e' | 'p' | 's';
export const languages: Language[] = ['e', 'p', 's'];

/**
 * A word as it is searched for. `terms` are what an index may hold of it, at most one for each language. `isPair`: two letters of a
 * run, which may be the end of one word and the beginning of the next. `isGrammar`: a word of grammar, in a question of nothing
 * else. `weight`: how much it counts, by how often it is said and where; 1 for a word that is said once.
 */
export type QueryWord = { word: string; terms: string[]; weight: number; isPair?: boolean; isGrammar?: boolean };

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;
const longest = 60;

/** The words of a folded text in order, those of grammar included, each in full. */
export const foldedWords = (folded: string): string[] => folded.match(wordPattern) ?? [];

/** The words of a text in order, without case and accents, those of grammar included. */
const wordsOf = (text: string): string[] => searchedWords(foldedWords(fold(text)));

/** Words as they are searched: cut, and taken apart where a script does not part them. */
export const searchedWords = (words: string[]): string[] =>
  words.flatMap((word) => (isUnspaced(word) ? piecesOf(word).map(cut) : cut(word)));

/** Words of grammar that are written in capitals among others, and so are names: IT, US, WHO. Folded, as often as they are there. */
export function capitalWords(text: string): string[] {
  const capitals = text.match(/(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu);
  if (!capitals || !/\p{Ll}/u.test(text)) return [];
  return capitals.map((word) => fold(word)).filter((word) => grammarOf.has(word));
}

/** A word as far as it is compared. */
export const cut = (word: string): string => (word.length > longest ? word.slice(0, longest).toWellFormed() : word);

/**
 * The language of a text, by a vote of its words of grammar and of letters that only one language has; null where
 * there is no majority. `words` are those of `wordsOf(text)`.
 */
export function languageOf(text: string, words: string[], margin = 1): Language | null {
  const votes: Record<Language, number> = { e: 0, p: 0, s: 0 };
  for (const word of words) for (const language of grammarOf.get(word) ?? []) votes[language]++;
  votes.p += text.match(/[ãõç]/giu)?.length ?? 0;
  votes.s += text.match(/[ñ¿¡]/giu)?.length ?? 0;
  const [first, second] = languages.toSorted((a, b) => votes[b] - votes[a]) as [Language, Language];
  return votes[first] - votes[second] >= margin ? first : null;
}

/** The languages of whose grammar a word is. */
const grammarOf = new Map<string, Language[]>();
for (const language of languages) {
  for (const word of stopWords[language]) grammarOf.set(word, [...(grammarOf.get(word) ?? []), language]);
}

/**
 * The term that an index holds of a word in a text of this language; null for a word of its grammar. Whoever changes what that
 * is counts `analysisVersion` up, which has everything indexed anew.
 */
export function termOf(word: string, language: Language): string | null {
  const known = terms[language].get(word);
  if (known !== undefined) return known;
  const term = stopWords[language].has(word) ? null : anyTermOf(word, language);
  keep(terms[language], word, term);
  return term;
}

/** The same of a word of grammar too. What is written in no language of these has one term in all of them. */
export const anyTermOf = (word: string, language: Language): string =>
  isUnspaced(word) ? `e:${word}` : `${language}:${fold(stem[language](word)) || word}`;

type Terms = Map<string, string | null> & { bytes?: number };
const terms: Record<Language, Terms> = { e: new Map(), p: new Map(), s: new Map() };
/** Bytes of the terms of a language that are kept. They are not put in order by their use, which costs more than a stem. */
const mostBytes = 8_000_000;

function keep(known: Terms, word: string, term: string | null): void {
  known.bytes = (known.bytes ?? 0) + 100 + 2 * (word.length + (term?.length ?? 0));
  if (known.bytes > mostBytes) {
    known.clear();
    known.bytes = 0;
  }
  known.set(copyOf(word), term && copyOf(term));
}

/** A part of a text holds the whole text in memory; its copy does not. */
const copyOf = (word: string): string => Buffer.from(word).toString();

// The stemmers want the accent back where folding took the one of a frequent ending (-ção, -ción).
const stem: Record<Language, (word: string) => string> = {
  e: stemEnglish,
  p: stemOf(portuguese, (word) => stemPortuguese(word.replace(/cao$/, 'ção'))),
  s: stemOf(spanish, (word) => stemSpanish(word.replace(/cion$/, 'ción'))),
};

function stemOf({ before, after }: Stemming, stemmer: (word: string) => string) {
  return (word: string): string => {
    const single = before(word);
    return after(stemmer(single), single);
  };
}

/** So many words of a message are read, the last ones: what is asked stands at its end more often than at its beginning. */
const mostQueryWords = 400;
/** What a word counts in a sentence that asks something, and in the last one. */
const [asking, last] = [2, 1.5];
/** A word that is said over and over counts no more than this. */
const mostWeight = 6;

/**
 * The words of a question that say what it is about, at most 400, each once. Texts of any language may answer it, so each
 * word has a term in all of them. Where its own language is clear, words that are grammar only elsewhere are kept; those of its
 * own are where they are written in capitals, and where there are no others.
 */
export function queryWords(query: string): QueryWord[] {
  const words = wordsOf(query);
  const language = languageOf(query, words, 2);
  const grammar = language ? [stopWords[language]] : Object.values(stopWords);
  const capitals = new Set(capitalWords(query));
  const saysSomething = (word: string) => capitals.has(word) || !grammar.some((list) => list.has(word));
  const isAll = !words.some(saysSomething);
  const weights = new Map<string, number>();
  for (const { text, weight } of sentencesOf(query)) {
    for (const word of wordsOf(text)) {
      if (isAll || saysSomething(word)) weights.set(word, Math.min((weights.get(word) ?? 0) + weight, mostWeight));
    }
  }
  return [...weights].slice(-mostQueryWords).map(([word, weight]) => {
    const terms = isAll || capitals.has(word) ? languages.map((each) => anyTermOf(word, each)) : termsOf(word);
    const kind = { ...(isUnspaced(word) && { isPair: true }), ...(isAll && { isGrammar: true }) };
    return { word, terms: [...new Set(terms)], weight, ...kind };
  });
}

/** The sentences of a message and what their words count: of several, those that ask count more, and the last does. */
function sentencesOf(query: string): { text: string; weight: number }[] {
  const texts = query.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/u).filter((text) => /[\p{L}\p{N}]/u.test(text));
  if (texts.length < 2) return [{ text: query, weight: 1 }];
  return texts.map((text, index) => ({
    text,
    weight: (/[?？]\W*$/u.test(text) ? asking : 1) * (index === texts.length - 1 ? last : 1),
  }));
}

/** What an index may hold of a word, whatever the language of the text. */
export const termsOf = (word: string): string[] =>
  isUnspaced(word) ? [anyTermOf(word, 'e')] : languages.flatMap((language) => termOf(word, language) ?? []);

/** The words of a text with where they stand in it, in UTF-16 units. */
export const wordSpans = (text: string): { word: string; start: number; end: number }[] =>
  [...text.matchAll(wordPattern)].flatMap(({ 0: word, index }) =>
    spansOf(word).map((span) => ({
      word: wordsOf(span.text)[0] ?? '',
      start: index + span.start,
      end: index + span.end,
    })),
  );
