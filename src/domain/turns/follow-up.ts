import { fold } from '../../text/fold.ts';
import { queryWords } from '../../text/lexemes.ts';

/** How a follow-up starts, in English, Portuguese and Spanish. */
const startsAsFollowUp =
  /^\W*(and|but|or|also|then|what about|how about|e|mas|ou|tambem|entao|y|pero|o|tambien|entonces)\b/;
/** Words that refer to an earlier message. */
const refers =
  /\b(it|its|they|them|their|that|those|this|these|there|ones?|isso|disso|nisso|isto|ele|ela|eles|elas|dele|dela|deles|delas|eso|esto|ello|el|ella|ellos|ellas|alli)\b/;
/** A question with more words is complete by itself. */
const maxWords = 3;

/**
 * Returns the text to search for: the last of these questions, along with the one before if it is a short follow-up
 * ("and in Brazil?", "do you ship it?").
 */
export function questionOf(questions: string[]): string {
  const [before, question = ''] = questions.length > 1 ? questions.slice(-2) : ['', questions[0]];
  if (!before || queryWords(question).length > maxWords) return question;
  const folded = fold(question);
  return startsAsFollowUp.test(folded) || refers.test(folded) ? `${before}\n${question}` : question;
}
