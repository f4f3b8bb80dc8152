import { setImmediate as pause } from 'node:timers/promises';
import { fold } from '../text/fold.ts';
import {
  anyTermOf,
  capitalWords,
  cut,
  foldedWords,
  type Language,
  languageOf,
  languages,
  searchedWords,
  termOf,
} from '../text/lexemes.ts';
import type { Analyzed } from './postings.ts';
import type { PassageLocation } from './types.ts';

/**
 * The way in which texts are read into terms. Whoever changes what an index holds of a text counts it up: segments of a lower
 * number are then indexed anew in the background, and answer until they are.
 */
export const analysisVersion = 2;

/** What a passage stands in: the title of its source, and what its base is called. */
export type Names = { title: string | null; base: string };
export type Content = { text: string; place: PassageLocation; names?: Names };
/** `searchText`: all that can be found of it, folded, as `fold` has it. `all`: its words, each in full. */
export type AnalyzedContent = Analyzed & { searchText: string; all: string[] };
/**
 * `title`: of its source or page. `around`: what the site or base is called in which that is. `capitals`: words of grammar in the
 * text that are written as names are.
 */
export type Read = {
  about: string[];
  body: string[];
  title: string[];
  around: string[];
  capitals: string[];
  language: Language | null;
  searchText: string;
};

/** Words of heading and question count so often. */
const aboutWeight = 2;
/** What a base is called may be a description of it: its beginning counts. */
const mostOfName = 200;
/** So many passages are looked at between two pauses, in which whatever else the process does goes on. */
const atOnce = 50;

/** What an index holds of passages. One whose language cannot be told has that of most of the others, or English. */
export async function analyze(passages: Content[]): Promise<AnalyzedContent[]> {
  const read = await inSteps(passages, readContent);
  const usual = mostOf(read.map(({ language }) => language));
  return inSteps(read, (content) => analyzeContent(content, content.language ?? usual));
}

async function inSteps<Item, Result>(items: Item[], work: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (results.length > 0 && results.length % atOnce === 0) await pause();
    results.push(work(item));
  }
  return results;
}

export function readContent({ text, place, names }: Content): Read {
  const { heading = '', question = '' } = place;
  const folded = { about: fold(question, heading), body: fold(text) };
  const [about, body] = [foldedWords(folded.about), foldedWords(folded.body)];
  const searchText = (question || heading) && text ? `${folded.about} ${folded.body}` : folded.about || folded.body;
  const title = foldedWords(fold(place.title ?? names?.title));
  // A page of a site has a title of its own; that of its source is the name of the site.
  const around = foldedWords(fold(place.title && names?.title, names?.base.slice(0, mostOfName)));
  const language = languageOf(`${question} ${heading} ${text}`, [...about, ...body]);
  return { about, body, title, around, capitals: capitalWords(text), language, searchText };
}

/**
 * Its title counts like a text; what is around it is only there to be found by, and makes it no longer. So are words of grammar in
 * headings, questions and titles, for questions that have no others ("Who are we?").
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
  const count = Math.min(add(about, aboutWeight) + add(body, 1) + add(title, 1), 255);
  for (const word of searchedWords(around)) {
    const term = termOf(word, language);
    if (term && !terms.has(term)) terms.set(term, 1);
  }
  for (const word of [...about, ...title, ...capitals]) {
    if (termOf(cut(word), language) !== null) continue;
    const term = anyTermOf(word, language);
    terms.set(term, (terms.get(term) ?? 0) + 1);
  }
  return { terms, words: count, searchText, all: [...about, ...body] };
}

/** The language of most of them; English where none can be told. */
export function mostOf(found: (Language | null)[]): Language {
  const count = (language: Language) => found.filter((each) => each === language).length;
  return languages.reduce((best, language) => (count(language) > count(best) ? language : best));
}

/** The words of passages, each once and in full, in spaces: what a search by text looks at before the texts. */
export function vocabularyOf(passages: { all: string[] }[]): string {
  const words = new Set<string>();
  for (const { all } of passages) for (const word of all) words.add(word);
  return ` ${[...words].join(' ')} `;
}
