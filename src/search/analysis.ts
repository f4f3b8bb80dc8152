import { setImmediate as pause } from 'node:timers/promises';
import { fold } from '../text/fold.ts';
import { type Language, languageOf, languages } from '../text/language.ts';
import { anyTermOf, capitalWords, foldedWords, searchedWords, termOf, truncate } from '../text/lexemes.ts';
import { lettersOf } from '../text/unspaced.ts';
import type { Analyzed } from './postings.ts';
import type { PassageLocation } from './types.ts';

/**
 * Version of the analysis of texts into terms. Increment it with any change to what an index contains: segments of a
 * lower version are then reindexed in the background, and stay searchable until then.
 */
export const analysisVersion = 7;

/** The context of a passage: the title of its source and the name of its base. */
export type Names = { title: string | null; base: string };
export type Content = { text: string; place: PassageLocation; names?: Names };
/** `searchText`: the passage's searchable text, folded by `fold`. `all`: its words at full length. */
export type AnalyzedContent = Analyzed & { searchText: string; all: string[] };
/**
 * `title`: of the source or page. `around`: the name of the site or base. `capitals`: stop words in the text that are
 * written in capitals, as names are.
 */
type Read = {
  about: string[];
  body: string[];
  title: string[];
  around: string[];
  capitals: string[];
  language: Language | null;
  searchText: string;
};

/** Words of headings and questions count this often. */
const aboutWeight = 2;
/** A base's name may be a whole description: only its beginning counts. */
const maxNameLength = 200;
/** Passages analyzed between two yields to the event loop. */
const atOnce = 50;

/**
 * Analyzes passages for the index. Passages of unknown language use the most frequent one of the others, or English.
 */
export async function analyze(passages: Content[]): Promise<AnalyzedContent[]> {
  const read = await inSteps(passages, readContent);
  const prevailing = mostFrequent(read.map(({ language }) => language));
  return inSteps(read, (content) => analyzeContent(content, content.language ?? prevailing));
}

async function inSteps<Item, Result>(items: Item[], work: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (results.length > 0 && results.length % atOnce === 0) await pause();
    results.push(work(item));
  }
  return results;
}

/** Splits a passage and what surrounds it into folded words, and guesses its language. */
export function readContent({ text, place, names }: Content): Read {
  const { heading = '', question = '' } = place;
  const folded = { about: fold(question, heading), body: fold(text) };
  const [about, body] = [foldedWords(folded.about), foldedWords(folded.body)];
  const searchText = (question || heading) && text ? `${folded.about} ${folded.body}` : folded.about || folded.body;
  const title = foldedWords(fold(place.title ?? names?.title));
  // A page of a site has its own title; the title of the source is then the site's name.
  const around = foldedWords(fold(place.title && names?.title, names?.base.slice(0, maxNameLength)));
  const language = languageOf(`${question} ${heading} ${text}`);
  return { about, body, title, around, capitals: capitalWords(text), language, searchText };
}

/**
 * The title counts as text. Its surroundings only make the passage findable, without adding to its length. The same
 * holds for stop words in headings, questions and titles, for queries that have no other words ("Who are we?").
 */
export function analyzeContent(read: Read, language: Language): AnalyzedContent {
  const { about, body, title, around, capitals, searchText } = read;
  const terms = new Map<string, number>();
  const add = (words: string[], weight: number) => {
    let count = 0;
    for (const word of searchedWords(words)) {
      const term = termOf(word, language);
      if (!term) continue;
      terms.set(term, (terms.get(term) ?? 0) + weight);
      count += weight;
    }
    return count;
  };
  // Letters of unspaced scripts, so that a query of one letter finds the words with it, do not add to the length.
  for (const letter of [...about, ...body, ...title].flatMap(lettersOf)) {
    const term = anyTermOf(letter, language);
    terms.set(term, (terms.get(term) ?? 0) + 1);
  }
  const count = Math.min(add(about, aboutWeight) + add(body, 1) + add(title, 1), 255);
  for (const word of [...searchedWords(around), ...around.flatMap(lettersOf)]) {
    const term = termOf(word, language);
    if (term && !terms.has(term)) terms.set(term, 1);
  }
  for (const word of [...about, ...title, ...capitals]) {
    if (termOf(truncate(word), language) !== null) continue;
    const term = anyTermOf(word, language);
    terms.set(term, (terms.get(term) ?? 0) + 1);
  }
  return { terms, words: count, searchText, all: [...about, ...body] };
}

/** Returns the most frequent language; English if none is known. */
export function mostFrequent(found: (Language | null)[]): Language {
  const count = (language: Language) => found.filter((each) => each === language).length;
  return languages.reduce((best, language) => (count(language) > count(best) ? language : best));
}

/**
 * Returns the distinct words of passages at full length, separated by spaces: a text search checks these before the
 * texts.
 */
export function vocabularyOf(passages: { all: string[] }[]): string {
  const words = new Set<string>();
  for (const { all } of passages) for (const word of all) words.add(word);
  return ` ${[...words].join(' ')} `;
}
