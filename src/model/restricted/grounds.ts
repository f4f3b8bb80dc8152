import { lazy } from '../../core/lazy.ts';
import type { Language } from '../../text/lexemes.ts';
import { hasFacts, isEntailed, quoting, unquoted } from '../entailment/entails.ts';
import { languageShown, lexemesOf, linkOf } from '../entailment/lexer.ts';
import { type Source, sourceOf } from '../entailment/source.ts';
import { type Statement, statementOf } from '../entailment/statement.ts';
import { mayTranslate } from '../entailment/translated.ts';
import { noResult, notExecuted } from '../prompt/history.ts';
import { placeOf } from '../prompt/prompt.ts';
import { mark } from '../reply/marks.ts';
import { citeReferences, withoutMarks } from '../reply/references.ts';
import { occursIn, squash, termsOf } from '../reply/text.ts';
import type { HistoryMessage, ModelPassage, ReplyRequest } from '../types.ts';
import { numberForms, numbersOf } from './numbers.ts';
import { quoteFor } from './quotes.ts';
import { contactTerms, isQuestion, isTalk, restateAdmission, type Said } from './talk.ts';

/**
 * How a sentence of a reply is classified: `stated`, backed by a source; `admitted`, it says that the answer is not
 * known, which is told in the gateway's words; `talk`, it states nothing; `unsupported`, it states something that nothing backs.
 */
export type Verdict = 'stated' | 'admitted' | 'talk' | 'unsupported';

/** A model's verdicts on what sources state; null for what is not judged yet, or never. */
export type JudgedByModel = {
  judged(statement: string, sources: string[]): boolean | null;
  /** Resolves when all that was asked is judged. */
  settled(): Promise<void>;
};

/**
 * A request whose reply is verified. `heard`: the history without retries of this reply, if `history` includes any.
 * `verdicts`: where a model judges too.
 */
export type JudgedRequest = ReplyRequest & { originalHistory?: HistoryMessage[]; verdicts?: JudgedByModel | null };

export type Grounds = {
  classify(sentence: string): Verdict;
  /** An `admitted` sentence with `unknown` in the place of the words that admit it. */
  restate(sentence: string, unknown: string): string;
  /**
   * What passages say of what a sentence states, in their own sentences; null where it states nothing, rests on no passage,
   * or a model has judged it.
   */
  quote(sentence: string): string[] | null;
  /** Whether a value occurs in a source, or in what the visitor said. */
  contains(value: string): boolean;
};

/** A quote of a source by a sentence. */
type Quoted = { source: Source; quote: string };

/** A shorter quote would be found anywhere. */
const minQuoteLength = 4;
/** The share of a value's terms that one source must contain. */
const minShare = 0.6;

/**
 * What the reply of a restricted agent may be based on: passages, its instructions, tool results, and its earlier messages.
 * One of them must entail what a sentence says, by the rules of `entailment/`.
 */
export function groundsOf({ agent, passages, verdicts, ...request }: JudgedRequest): Grounds {
  const history = request.originalHistory ?? request.history;
  const last = history.findLastIndex(({ role }) => role === 'user');
  const visitor = contents(history, 'user').join('\n');
  const own = [agent.name, agent.instructions, agent.welcome, ...contents(history, 'system')]
    .filter(Boolean)
    .join('\n');
  const results = contents(history, 'tool').filter(isResult);
  const fresh = history.slice(last + 1);
  const hasFreshResult = contents(fresh, 'tool').some(isResult);

  const passageTexts = passages.map(ofPassage);
  const written = [own, ...results].map((text) => lazy(() => sourceOf(text)));
  const replies = contents(history, 'assistant').map((text) => lazy(() => sourceOf(text)));
  const texts = [...passages.map(wordsOf), own, ...results, ...contents(history, 'assistant')];
  const sources = () => [...passageTexts, ...written, ...replies].map((read) => read());
  const known = lazy(
    (): Said => ({
      numbers: new Set([...texts, ...fresh.map(argumentsOf)].flatMap(numberForms)),
      terms: new Set(texts.flatMap((text) => [...termsOf(text)])),
      links: new Set(texts.flatMap(linksIn)),
    }),
  );
  const told = lazy(
    (): Said => ({
      numbers: known().numbers.union(new Set(numberForms(visitor))),
      terms: known().terms.union(termsOf(visitor)),
      links: known().links.union(new Set(linksIn(visitor))),
    }),
  );
  const names = lazy(() => termsOf(agent.name).union(contactTerms([visitor])));
  const spoken = lazy(() => languageShown(texts.join('\n')) ?? languageShown(visitor));

  function quotedBy(sentence: string): Quoted[] {
    const cited = { content: sentence, passages, format: 'text' as const, enabled: true };
    const quotes = citeReferences(cited)
      .references.filter(({ quote }) => quote.length >= minQuoteLength)
      .flatMap(({ passageId, quote }) => {
        const source = passageTexts[passages.findIndex(({ id }) => id === passageId)];
        return source ? [{ source: source(), quote }] : [];
      });
    const others = [...sentence.matchAll(mark)].flatMap(([, number, quote = '']) => {
      const found =
        number === '0' && quote.length >= minQuoteLength && written.find((read) => occursIn(quote, read().text));
      return found ? [{ source: found(), quote: squash(quote) }] : [];
    });
    return [...quotes, ...others];
  }

  /** Whether the rules find a sentence in its sources, and where a model should look for it: nowhere for what cannot stand there. */
  function backingOf(sentence: string, text: string): { isStated: boolean; sources: Source[] } {
    const statement = statementOf(text.replace(answer, ''), languageShown(text) ?? spoken());
    const quotes = quotedBy(sentence);
    const cited = quotes.map(({ source }) => source);
    if (isEntailed(statement, cited, quoting) || isTranslated(text, statement, quotes))
      return { isStated: true, sources: cited };
    const found = sources().find((source) => isEntailed(statement, [source], unquoted));
    if (found) return { isStated: true, sources: [found] };
    return { isStated: false, sources: hasFacts(statement, cited) ? cited : [] };
  }

  /** A model's verdict counts before that of the rules. */
  function isStated(sentence: string, text: string): { isStated: boolean; judged: boolean | null } {
    const backing = backingOf(sentence, text);
    const judged =
      backing.sources.length > 0 ? (verdicts?.judged(text.trim(), backing.sources.map(wholeOf)) ?? null) : null;
    return { isStated: judged ?? backing.isStated, judged };
  }

  /** A tool result may be put into words that it does not contain; numbers, links and names it must have. */
  const mayTellResult = (text: string): boolean => {
    const named = statementOf(text, spoken()).tokens.filter(({ kind }) => kind === 'name');
    return hasFreshResult && isKnown(text, known()) && named.every(({ word }) => hasWord(told(), word));
  };

  const isBackedClause = (clause: string): boolean => {
    const text = withoutMarks(clause);
    return backingOf(clause, text).isStated || isTalk(text, names());
  };

  /** Whether it rests on what is not a passage: the instructions, the result of a tool, an earlier reply. */
  const isElsewhere = (statement: Statement, text: string): boolean =>
    [...written, ...replies].some((read) => isEntailed(statement, [read()], unquoted)) || mayTellResult(text);

  const quotable = lazy(() =>
    passages.map(({ place }, index) => ({
      number: index + 1,
      source: (passageTexts[index] as () => Source)(),
      question: place.question ?? null,
    })),
  );

  function quote(sentence: string): string[] | null {
    const text = withoutMarks(sentence);
    const statement = statementOf(text.replace(answer, ''), languageShown(text) ?? spoken());
    const numbers = [...sentence.matchAll(mark)].flatMap(([, each = '']) => each.split(/[,;]/).map(Number));
    if (numbers.includes(0) || isElsewhere(statement, text) || isStated(sentence, text).judged !== null) return null;
    const quotes = quotedBy(sentence);
    const cited = quotable().filter(({ number }) => numbers.includes(number));
    const chosen = isTranslated(text, statement, quotes) ? quotes.map(({ quote }) => quote) : [];
    return quoteFor(statement, cited.length > 0 ? cited : quotable(), { isCited: cited.length > 0, chosen });
  }

  return {
    quote,
    restate: (sentence, unknown) =>
      restateAdmission(sentence, unknown, isBackedClause, (clause) =>
        isTalk(withoutMarks(clause), names()) ? clause : (quote(clause)?.join(' ') ?? clause),
      ) ?? '',
    classify(sentence) {
      const text = withoutMarks(sentence);
      if (!/[\p{L}\p{N}]/u.test(text)) return 'talk';
      const found = isStated(sentence, text);
      if (found.isStated) return 'stated';
      if (!isKnown(text, told())) return 'unsupported';
      if (restateAdmission(sentence, '', isBackedClause, String) !== null) return 'admitted';
      if (isTalk(text, names()) || isQuestion(text, told())) return 'talk';
      return found.judged !== false && mayTellResult(text) ? 'stated' : 'unsupported';
    },
    contains(value) {
      if (!/\p{L}/u.test(value)) return isKnown(value, told()) && !isDenied(value, visitor, sources(), known());
      return [...texts, visitor].some((text) => hasTerms(value, text));
    },
  };
}

/** "No, it costs …": the answer to the question before is not a part of what is stated. */
const answer = /^\s*(?:yes|no|sim|não|s[ií])\s*[,.!:;—–]/iu;

const wholeOf = ({ place, text }: Source): string => [place, text].filter(Boolean).join('\n');

const contents = (history: HistoryMessage[], wanted: HistoryMessage['role']): string[] =>
  history.flatMap(({ role, content }) => (role === wanted && content ? [content] : []));

const argumentsOf = ({ toolCalls }: HistoryMessage): string =>
  (toolCalls ?? []).map((call) => JSON.stringify(call.arguments)).join('\n');

const isResult = (content: string): boolean => content !== notExecuted && !content.startsWith(noResult);

const wordsOf = (passage: ModelPassage): string => `${placeOf(passage)}\n${passage.url ?? ''}\n${passage.text}`;
const ofPassage = (passage: ModelPassage): (() => Source) =>
  lazy(() =>
    sourceOf(passage.text, [placeOf(passage), passage.url].filter(Boolean).join('\n'), passage.place.question),
  );

const linksIn = (text: string): string[] =>
  lexemesOf(text).flatMap(({ kind, raw }) => (kind === 'link' ? [linkOf(raw)] : []));

/** Whether all numbers and links of a text are known. */
const isKnown = (text: string, { numbers, links }: Said): boolean =>
  numbersOf(text).every((number) => numbers.has(number)) && linksIn(text).every((link) => links.has(link));

const hasWord = ({ terms }: Said, word: string): boolean => [...termsOf(word)].every((term) => terms.has(term));

function hasTerms(value: string, text: string): boolean {
  const [terms, held, numbers] = [[...termsOf(value)], termsOf(text), new Set(numberForms(text))];
  const shared = terms.filter((term) => held.has(term)).length;
  const isMatch = shared > 0 && shared >= Math.min(2, terms.length) && shared >= terms.length * minShare;
  return isMatch && numbersOf(value).every((number) => numbers.has(number));
}

/** Whether only the visitor said a number, in words of a source that says another. */
function isDenied(value: string, visitor: string, sources: Source[], { numbers }: Said): boolean {
  const alone = numbersOf(value).filter((number) => !numbers.has(number));
  if (alone.length === 0) return false;
  const claims = visitor
    .split(/(?<=[.!?])\s|\n/)
    .filter((claim) => numbersOf(claim).some((number) => alone.includes(number)));
  return claims.some((claim) => {
    const { tokens } = statementOf(claim, languageShown(claim));
    const words = tokens.filter(({ kind }) => kind === 'term' || kind === 'name');
    return sources.some(({ units }) =>
      units.some(
        (unit) =>
          unit.tokens.some(({ kind }) => kind === 'amount') &&
          words.some(({ keys }) => keys.some((key) => unit.keys.has(key))) &&
          words.filter(({ keys }) => keys.some((key) => unit.keys.has(key))).length * 2 >= words.length,
      ),
    );
  });
}

function isTranslated(text: string, statement: Statement, quotes: Quoted[]): boolean {
  const language = languageShown(text);
  return quotes.some(
    ({ source, quote }) => isOther(language, statement, source) && mayTranslate(statement, source, [quote]),
  );
}

/** A longer sentence that has no words of its source, nor of a known language, is in another language still. */
const isOther = (language: Language | null, { tokens }: Statement, source: Source): boolean => {
  if (language !== null) return language !== source.language;
  const terms = tokens.filter(({ kind }) => kind === 'term');
  return (
    source.language !== null && terms.length > 3 && !terms.some(({ keys }) => keys.some((key) => source.keys.has(key)))
  );
};
