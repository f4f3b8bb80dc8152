import { stemmer as stemEnglish } from '@orama/stemmers/english';
import { stemmer as stemFrench } from '@orama/stemmers/french';
import { stemmer as stemGerman } from '@orama/stemmers/german';
import { stemmer as stemItalian } from '@orama/stemmers/italian';
import { stemmer as stemPortuguese } from '@orama/stemmers/portuguese';
import { stemmer as stemSpanish } from '@orama/stemmers/spanish';
import { fold } from './fold.ts';
import { type Language, languageOf, languages, mainLanguages } from './language.ts';
import { portuguese, type Stemming, spanish } from './plurals.ts';
import { withoutQuestionPhrases } from './question-phrases.ts';
import { scriptOf } from './scripts.ts';
import { stopWords } from './stop-words.ts';
import { isUnspaced, piecesOf, spansOf } from './unspaced.ts';

/**
 * A word of a query. `terms` are its possible index terms, at most one per language. `weight`: how much it counts, by
 * how often and where it occurs; 1 for a single occurrence. `isPair`: two letters of unspaced text, which may span two
 * words. `isGrammar`: a stop word, in a query that consists of nothing else.
 */
export type QueryWord = { word: string; terms: string[]; weight: number; isPair?: boolean; isGrammar?: boolean };

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;
const maxLength = 60;

/** Returns the words of a folded text in order, stop words included, at full length. */
export const foldedWords = (folded: string): string[] => folded.match(wordPattern) ?? [];

/** Returns the words of a text in order, folded, stop words included. */
const wordsOf = (text: string): string[] => searchedWords(foldedWords(fold(text)));

/** Truncates words and splits those of unspaced scripts, as search does. */
export const searchedWords = (words: string[]): string[] =>
  words.flatMap((word) => (isUnspaced(word) ? piecesOf(word).map(truncate) : truncate(word)));

/**
 * Returns stop words that are written in capitals in a mixed-case text, and so are names: IT, US, WHO. Folded, with
 * duplicates.
 */
export function capitalWords(text: string): string[] {
  const capitals = text.match(/(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu);
  if (!capitals || !/\p{Ll}/u.test(text)) return [];
  return capitals.map((word) => fold(word)).filter((word) => isGrammarOf(grammar, word));
}

/** Truncates a word to the length that is compared. */
export const truncate = (word: string): string =>
  word.length > maxLength ? word.slice(0, maxLength).toWellFormed() : word;

/** The stop words of all main languages. */
const grammar = mainLanguages.map((language) => stopWords[language]);
const isGrammarOf = (lists: ReadonlySet<string>[], word: string): boolean => lists.some((list) => list.has(word));

/**
 * Returns the index term of a word in a text of this language; null for a stop word. Whoever changes the result must
 * increment `analysisVersion`, which reindexes everything.
 */
export function termOf(word: string, language: Language): string | null {
  const cached = terms[language].get(word);
  if (cached !== undefined) return cached;
  const term = stopWords[language].has(word) ? null : anyTermOf(word, language);
  cacheTerm(terms[language], word, term);
  return term;
}

/** Like `termOf`, but also for stop words. Words of other scripts than Latin have the same term in every language. */
export function anyTermOf(word: string, language: Language): string {
  if (isUnspaced(word)) return `e:${word}`;
  const script = scriptOf(word);
  return `${script?.id ?? language}:${fold((script?.stem ?? stem[language])(word)) || word}`;
}

type Terms = Map<string, string | null> & { bytes?: number };
const terms = Object.fromEntries(languages.map((language) => [language, new Map()])) as Record<Language, Terms>;
/** Maximum bytes of cached terms per language. Not an LRU cache: keeping the order would cost more than stemming. */
const maxBytes = 8_000_000;

function cacheTerm(cached: Terms, word: string, term: string | null): void {
  cached.bytes = (cached.bytes ?? 0) + 100 + 2 * (word.length + (term?.length ?? 0));
  if (cached.bytes > maxBytes) {
    cached.clear();
    cached.bytes = 0;
  }
  cached.set(copyOf(word), term && copyOf(term));
}

/** A substring keeps its whole text in memory; a copy does not. */
const copyOf = (word: string): string => Buffer.from(word).toString();

// The stemmers need the accent that folding removed from a frequent suffix (-ção, -ción).
const stem: Record<Language, (word: string) => string> = {
  e: stemEnglish,
  p: stemOf(portuguese, (word) => stemPortuguese(word.replace(/cao$/, 'ção'))),
  s: stemOf(spanish, (word) => stemSpanish(word.replace(/cion$/, 'ción'))),
  d: stemGerman,
  f: stemFrench,
  i: stemItalian,
};

function stemOf({ before, after }: Stemming, stemmer: (word: string) => string) {
  return (word: string): string => {
    const single = before(word);
    return after(stemmer(single), single);
  };
}

/**
 * The maximum number of words of a query, the last ones: a question is more often at the end of a message than at its
 * start.
 */
const maxQueryWords = 400;
/** The weights of words in a question, and in the last sentence. */
const [asking, last] = [2, 1.5];
/** The maximum weight of a repeated word. */
const maxWeight = 6;

/**
 * Returns the meaningful words of a query, at most 400, without duplicates. Each has a term in every language, since
 * texts of any language may match. Where the query's language is clear, only its own stop words are dropped; these are
 * kept if written in capitals, or if there are no other words.
 */
export function queryWords(text: string): QueryWord[] {
  const query = withoutQuestionPhrases(text);
  const words = wordsOf(query);
  const language = languageOf(query);
  const lists = language ? [stopWords[language]] : grammar;
  const capitals = new Set(capitalWords(query));
  const isGrammar = (word: string) => isGrammarOf(lists, word) || scriptOf(word)?.grammar.has(word);
  const isMeaningful = (word: string) => capitals.has(word) || !isGrammar(word);
  const isAll = !words.some(isMeaningful);
  const weights = new Map<string, number>();
  for (const { text, weight } of sentencesOf(query)) {
    for (const word of wordsOf(text)) {
      if (isAll || isMeaningful(word)) weights.set(word, Math.min((weights.get(word) ?? 0) + weight, maxWeight));
    }
  }
  return [...weights].slice(-maxQueryWords).map(([word, weight]) => {
    const terms = isAll || capitals.has(word) ? languages.map((each) => anyTermOf(word, each)) : termsOf(word);
    const kind = { ...(isUnspaced(word) && { isPair: true }), ...(isAll && { isGrammar: true }) };
    return { word, terms: [...new Set(terms)], weight, ...kind };
  });
}

/**
 * Splits a message into sentences and weights them: if there are several, questions count more, and so does the last
 * one.
 */
function sentencesOf(query: string): { text: string; weight: number }[] {
  const texts = query.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/u).filter((text) => /[\p{L}\p{N}]/u.test(text));
  if (texts.length < 2) return [{ text: query, weight: 1 }];
  return texts.map((text, index) => ({
    text,
    weight: (/[?？][^\w?？]*$/u.test(text) ? asking : 1) * (index === texts.length - 1 ? last : 1),
  }));
}

/** Returns the possible index terms of a word, whatever the language of the text. */
export const termsOf = (word: string): string[] =>
  isUnspaced(word) || scriptOf(word)
    ? [anyTermOf(word, 'e')]
    : languages.flatMap((language) => termOf(word, language) ?? []);

/** Returns the words of a text with their positions, in UTF-16 code units. */
export const wordSpans = (text: string): { word: string; start: number; end: number }[] =>
  [...text.matchAll(wordPattern)].flatMap(({ 0: word, index }) =>
    spansOf(word).map((span) => ({
      word: wordsOf(span.text)[0] ?? '',
      start: index + span.start,
      end: index + span.end,
    })),
  );
