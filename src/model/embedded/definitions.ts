import { fold } from '../../text/fold.ts';
import { foldedWords } from '../../text/lexemes.ts';
import { formsOf, type QuestionTerm } from './question-terms.ts';

/** "What is a …?", "O que são …?", "¿Qué es …?", "Was ist …?" */
const asks = /^\P{L}*(?:what(?:'s| is| are)|(?:o )?que (?:e|sao|es|son|significa)|was (?:ist|sind))\s/u;
const saysSo = /^(?:is|are|means|e|sao|es|son|significa|consiste|consistem|consisten|ist|sind)$/;
/** A definition of more terms than these asks for a fact about them. */
const maxTerms = 3;
/** Its subject is at most this many words long. */
const maxSubject = 8;

/** Which sentences define what a question asks for: they begin with it, and say what it is. Null: it asks for none. */
export function definesAsked(question: string, terms: QuestionTerm[]): ((sentence: string) => boolean) | null {
  if (terms.length > maxTerms || !asks.test(fold(question))) return null;
  return (sentence) => {
    const words = foldedWords(fold(sentence)).slice(0, maxSubject + 1);
    const at = words.findIndex((word, index) => index > 0 && saysSo.test(word));
    if (at < 0) return false;
    const subject = formsOf(words.slice(0, at).join(' '));
    return terms.every((term) => term.shareIn(subject) > 0);
  };
}
