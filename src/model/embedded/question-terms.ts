import { fold } from '../../text/fold.ts';
import { compounding, languageOf } from '../../text/language.ts';
import { foldedWords, queryWords, termsOf as stemsOf } from '../../text/lexemes.ts';
import { withoutQuestionPhrases } from '../../text/question-phrases.ts';
import { isUnspaced, lettersOf, piecesOf } from '../../text/unspaced.ts';
import { termsOf } from '../reply/text.ts';

/**
 * Something that a question asks for. `shareIn`: how much of it is in a text with these forms, from 0 to 1. `isPair`:
 * two letters of unspaced text, which may span two words. `words`: those that are searched for it.
 */
export type QuestionTerm = { shareIn(forms: Set<string>): number; words: string[]; isPair?: boolean };
/** What the same stem says, and merely the same beginning, of what the same word does. */
export const shareOfStem = 0.7;
const shareOfBeginning = 0.3;
/**
 * `terms` find sentences, `words` tell how much of the question they contain. They are one array, but in unspaced
 * scripts: two letters that span two words are in no text, and parts of a word in many.
 */
type QuestionTerms = { terms: QuestionTerm[]; words: QuestionTerm[] };

/**
 * The forms that occur in a text: its words, their beginnings, their stems in each language, and pairs of letters.
 */
export const formsOf = (text: string): Set<string> =>
  termsOf(text).union(
    new Set(
      foldedWords(fold(text))
        .flatMap((word) => [...piecesOf(word), ...lettersOf(word)])
        .flatMap((word) => [wholeOf(word), ...stemsOf(word)]),
    ),
  );

/** Marks a whole word, which its beginning may be equal to. */
const wholeOf = (word: string): string => `=${word}`;

/** "How many days do I have to return something?": it stands for whatever the answer names. */
const placeholders = new Set('something anything someone anyone somebody anybody coisa cosa alguem alguien'.split(' '));

/** What a question asks for, without the terms in `ignore`. */
export function questionTermsOf(question: string, ignore: Set<string>): QuestionTerms {
  const asked = queryWords(question).flatMap(({ word, terms: stems, isPair }) => {
    const [own] = termsOf(word);
    return own === undefined || ignore.has(own) || placeholders.has(word)
      ? []
      : [{ own, word, whole: wholeOf(word), stems, isPair }];
  });
  const byTerm = new Map(asked.map((each) => [each.own, each]));
  // Stop words in capitals, which are names.
  for (const own of termsOf(question)) {
    if (/^[A-Z]/.test(own)) byTerm.set(own, { own, word: fold(own), whole: own, stems: [], isPair: false });
  }
  const language = languageOf(question);
  const terms = [...byTerm.values()].map(
    ({ own, word, whole, stems, isPair }): QuestionTerm => ({
      words: [word],
      shareIn(text) {
        if (text.has(whole)) return 1;
        if (stems.some((stem) => text.has(stem))) return shareOfStem;
        if (compounding.has(language) && isNamedByHead(`${language}:`, stems, text)) return shareOfStem;
        return text.has(own) ? shareOfBeginning : 0;
      },
      isPair,
    }),
  );
  const unspaced = terms.some(({ isPair }) => isPair) ? unspacedWords(question) : [];
  return { terms, words: unspaced.length > 0 ? [...terms.filter(({ isPair }) => !isPair), ...unspaced] : terms };
}

/** The head of a compound and what precedes it have at least so many letters. */
const [minHead, minBefore] = [4, 3];

/**
 * Whether a text has the word for a kind of what is asked for, or the question that for a kind of what the text has.
 * `mark`: what stems of the language begin with.
 */
function isNamedByHead(mark: string, forms: string[], text: Set<string>): boolean {
  const asked = forms.find((form) => form.startsWith(mark))?.slice(mark.length);
  if (!asked || asked.length < minHead) return false;
  for (const form of text) {
    if (!form.startsWith(mark)) continue;
    const [short, long] = [asked, form.slice(mark.length)].toSorted((a, b) => a.length - b.length) as [string, string];
    if (short.length >= minHead && long.length >= short.length + minBefore && long.endsWith(short)) return true;
  }
  return false;
}

/** Of a long message, the last ones. */
const maxWords = 200;
// The language hardly matters: the dictionaries of all unspaced scripts are used.
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/** The words of more than one letter in unspaced scripts: a text has one that has all pairs of its letters. */
function unspacedWords(question: string): QuestionTerm[] {
  const segments = [...segmenter.segment(withoutQuestionPhrases(question))].map(({ segment }) => fold(segment));
  const words = new Set(segments.filter((segment) => isUnspaced(segment) && lettersOf(segment).length > 1));
  return [...words].slice(-maxWords).map((word) => {
    const words = piecesOf(word);
    const pairs = words.flatMap(stemsOf);
    return { words, shareIn: (text) => (pairs.every((pair) => text.has(pair)) ? 1 : 0) };
  });
}
