import { languageIn } from '../embedded/language.ts';
import { noResult, notExecuted } from '../prompt/history.ts';
import { placeOf } from '../prompt/prompt.ts';
import { mark } from '../reply/marks.ts';
import { citeReferences, withoutMarks } from '../reply/references.ts';
import { standsIn, termsOf } from '../reply/text.ts';
import type { HistoryMessage, ModelPassage, ReplyRequest } from '../types.ts';
import { knownNumbers, numbersOf } from './numbers.ts';
import { admits, contactTerms, isTalk } from './talk.ts';

/**
 * What a sentence of a reply is: `stated`, with something to rest on; `admitted`, that the answer is not known; `talk`,
 * which states nothing; or `bare`: it states what rests on nothing.
 */
export type Verdict = 'stated' | 'admitted' | 'talk' | 'bare';

/** A request whose reply is judged; `heard`: what was said without tries of this reply, when it is not all of the history. */
export type JudgedRequest = ReplyRequest & { heard?: HistoryMessage[] };

export type Grounds = {
  judge(sentence: string): Verdict;
  /** Whether a value stands in a source, or in what the visitor said. */
  holds(value: string): boolean;
};

type Source = { terms: Set<string>; numbers: Set<string> };

/** How much of a sentence has to stand in one source that it does not cite. */
const leastShare = 0.6;
/** A quote that is shorter stands anywhere. */
const leastQuote = 4;

/**
 * What the reply of a restricted agent may rest on: passages that it quotes, the words of its instructions and of results of
 * tools, and what it said before. Whether a statement reads its source right is not checked, but for its numbers.
 */
export function groundsOf({ agent, passages, ...said }: JudgedRequest): Grounds {
  const history = said.heard ?? said.history;
  const last = history.findLastIndex(({ role }) => role === 'user');
  const visitor = history.flatMap(({ role, content }) => (role === 'user' && content ? [content] : []));
  const own = [agent.name, agent.instructions, agent.welcome, ...contents(history, 'system')]
    .filter(Boolean)
    .join('\n');
  const results = contents(history, 'tool').filter(isResult);
  const hasFreshResult = contents(history.slice(last + 1), 'tool').some(isResult);
  const written = [own, ...results].join('\n');
  const shown = passages.map(wordsOf);
  const sources = [...shown, own, ...results, ...contents(history, 'assistant')].map(sourceOf);
  const visitors = sourceOf(visitor.join('\n'));
  const everything = sources.map(({ numbers }) => numbers);
  const names = termsOf(agent.name).union(contactTerms(visitor));

  const numbersKnown = (text: string, known: Set<string>[]) =>
    numbersOf(text).every((number) => visitors.numbers.has(number) || known.some((set) => set.has(number)));

  function cites(sentence: string, text: string): boolean {
    const cited = { content: sentence, passages, format: 'text' as const, enabled: true };
    const quoted = citeReferences(cited).references.filter(({ quote }) => quote.length >= leastQuote);
    const rests = quoted.flatMap(({ passageId }) => sources[passages.findIndex(({ id }) => id === passageId)] ?? []);
    const related = rests.filter((source, index) => isAbout(text, source, quoted[index]?.quote ?? ''));
    if (related.length > 0)
      return numbersKnown(
        text,
        related.map(({ numbers }) => numbers),
      );
    const named = [...sentence.matchAll(mark)].some(
      ([, number, quote]) => number === '0' && quote && quote.length >= leastQuote && standsIn(quote, written),
    );
    return named && numbersKnown(text, everything);
  }

  function stands(text: string, among: Source[]): boolean {
    const terms = [...termsOf(text)];
    return among.some((source) => {
      const shared = terms.filter((term) => source.terms.has(term)).length;
      const enough = shared > 0 && shared >= Math.min(2, terms.length) && shared >= terms.length * leastShare;
      return enough && numbersKnown(text, [source.numbers]);
    });
  }

  return {
    judge(sentence) {
      const text = withoutMarks(sentence);
      if (!/[\p{L}\p{N}]/u.test(text)) return 'talk';
      if (cites(sentence, text) || stands(text, sources)) return 'stated';
      if (!numbersKnown(text, everything)) return 'bare';
      if (admits(text)) return 'admitted';
      if (isTalk(text, names) || /[?？]["”»)*_\s]*$/.test(text)) return 'talk';
      // How a result reads in words cannot be told from words that it has not.
      return hasFreshResult ? 'stated' : 'bare';
    },
    holds: (value) =>
      termsOf(value).size === 0 ? numbersKnown(value, everything) : stands(value, [...sources, visitors]),
  };
}

const contents = (history: HistoryMessage[], wanted: HistoryMessage['role']): string[] =>
  history.flatMap(({ role, content }) => (role === wanted && content ? [content] : []));

const isResult = (content: string): boolean => content !== notExecuted && !content.startsWith(noResult);

const wordsOf = (passage: ModelPassage): string => `${placeOf(passage)}\n${passage.url ?? ''}\n${passage.text}`;
const sourceOf = (text: string): Source => ({ terms: termsOf(text), numbers: knownSet(text) });
const knownSet = (text: string): Set<string> => new Set(knownNumbers(text));

/** A true quote under words of something else backs nothing; in another language they cannot be compared. */
function isAbout(text: string, source: Source, quote: string): boolean {
  const language = languageIn(text);
  if (language === null || language !== languageIn(quote)) return true;
  return [...termsOf(text)].some((term) => source.terms.has(term));
}
