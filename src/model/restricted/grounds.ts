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
 * How a sentence of a reply is classified: `stated`, backed by a source; `admitted`, it says that the answer is not
 * known; `talk`, it states nothing; `bare`, it states something that nothing backs.
 */
export type Verdict = 'stated' | 'admitted' | 'talk' | 'bare';

/** A request whose reply is verified. `heard`: the history without retries of this reply, if `history` includes any. */
export type JudgedRequest = ReplyRequest & { heard?: HistoryMessage[] };

export type Grounds = {
  judge(sentence: string): Verdict;
  /** Whether a value occurs in a source, or in what the visitor said. */
  holds(value: string): boolean;
};

type Source = { terms: Set<string>; numbers: Set<string> };

/** The share of a sentence's terms that one source must contain if the sentence does not cite it. */
const leastShare = 0.6;
/** A shorter quote would be found anywhere. */
const leastQuote = 4;

/**
 * What the reply of a restricted agent may be based on: passages it quotes, its instructions, tool results, and its
 * earlier messages. Whether a statement interprets its source correctly is not verified, except for numbers.
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
      // A tool result may be put into words that it does not contain, so the sentence is accepted.
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

/** A genuine quote on another topic backs nothing; across languages the two cannot be compared. */
function isAbout(text: string, source: Source, quote: string): boolean {
  const language = languageIn(text);
  if (language === null || language !== languageIn(quote)) return true;
  return [...termsOf(text)].some((term) => source.terms.has(term));
}
