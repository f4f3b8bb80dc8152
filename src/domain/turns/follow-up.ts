import { fold } from '../../text/fold.ts';
import { queryWords } from '../../text/lexemes.ts';

const goesOn = /^\W*(and|but|or|also|then|what about|how about|e|mas|ou|tambem|entao|y|pero|o|tambien|entonces)\b/;
/** Words that stand for what was said before. */
const refers =
  /\b(it|its|they|them|their|that|those|this|these|there|ones?|isso|disso|nisso|isto|ele|ela|eles|elas|dele|dela|deles|delas|eso|esto|ello|el|ella|ellos|ellas|alli)\b/;
/** Who says more says enough. */
const fewWords = 3;

/**
 * What to look for to answer the last of these questions: a short one that goes on with the one before ("and in Brazil?", "do you
 * ship it?") is looked for with it.
 */
export function questionOf(questions: string[]): string {
  const [before, question = ''] = questions.length > 1 ? questions.slice(-2) : ['', questions[0]];
  if (!before || queryWords(question).length > fewWords) return question;
  const folded = fold(question);
  return goesOn.test(folded) || refers.test(folded) ? `${before}\n${question}` : question;
}
