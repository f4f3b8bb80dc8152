import { fold } from '../../text/fold.ts';
import { foldedWords, queryWords, termsOf as stemsOf } from '../../text/lexemes.ts';
import { withoutQuestionPhrases } from '../../text/question-phrases.ts';
import { isUnspaced, lettersOf, piecesOf } from '../../text/unspaced.ts';
import { termsOf } from '../reply/text.ts';
import { otherGrammarOf, showsGerman } from './language.ts';

/** Something that a question asks for. `isPair`: two letters of unspaced text, which may span two words. */
export type QuestionTerm = { isIn(forms: Set<string>): boolean; isPair?: boolean };
/**
 * `terms` find sentences, `words` tell how much of the question they contain. They are one array, but in unspaced
 * scripts: two letters that span two words are in no text, and parts of a word in many.
 */
type QuestionTerms = { terms: QuestionTerm[]; words: QuestionTerm[] };

/** The forms that occur in a text: the prefixes of its words, their stems in each language, and pairs of letters. */
export const formsOf = (text: string): Set<string> =>
  termsOf(text).union(
    new Set(
      foldedWords(fold(text))
        .flatMap((word) => [...piecesOf(word), ...lettersOf(word)])
        .flatMap(stemsOf),
    ),
  );

/** What a question asks for, without the terms in `ignore`. */
export function questionTermsOf(question: string, ignore: Set<string>): QuestionTerms {
  const otherGrammar = otherGrammarOf(question);
  const asked = queryWords(question).flatMap(({ word, terms, isGrammar, isPair }) => {
    const [own] = termsOf(word);
    const isLeftOut = (isGrammar && !otherGrammar.has(word)) || own === undefined || ignore.has(own);
    return isLeftOut ? [] : [{ word, own, forms: [own, ...terms], isPair }];
  });
  const meant = asked.filter(({ word }) => !otherGrammar.has(word));
  const byTerm = new Map((meant.length > 0 ? meant : asked).map((each) => [each.own, each]));
  // Stop words in capitals, which are names.
  for (const own of termsOf(question)) {
    if (/^[A-Z]/.test(own)) byTerm.set(own, { word: own, own, forms: [own], isPair: false });
  }
  const isGerman = showsGerman(question);
  const terms = [...byTerm.values()].map(
    ({ forms, isPair }): QuestionTerm => ({
      isIn: (text) => forms.some((form) => text.has(form)) || (isGerman && isNamedByHead(forms, text)),
      isPair,
    }),
  );
  const unspaced = terms.some(({ isPair }) => isPair) ? unspacedWords(question) : [];
  return { terms, words: unspaced.length > 0 ? [...terms.filter(({ isPair }) => !isPair), ...unspaced] : terms };
}

/** German stems are marked by this. The head of a compound and what precedes it have at least so many letters. */
const germanMark = 'd:';
const [minHead, minBefore] = [4, 3];

/**
 * Whether a German text has the word for a kind of what is asked for, or the question that for a kind of what the text
 * has: a compound is named by its last part, as "Atlantikküste" is by "Küste".
 */
function isNamedByHead(forms: string[], text: Set<string>): boolean {
  const asked = forms.find((form) => form.startsWith(germanMark))?.slice(germanMark.length);
  if (!asked || asked.length < minHead) return false;
  for (const form of text) {
    if (!form.startsWith(germanMark)) continue;
    const [short, long] = [asked, form.slice(germanMark.length)].toSorted((a, b) => a.length - b.length) as [
      string,
      string,
    ];
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
    const pairs = piecesOf(word).flatMap(stemsOf);
    return { isIn: (text) => pairs.every((pair) => text.has(pair)) };
  });
}
