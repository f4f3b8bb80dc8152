import { lazy } from '../../core/lazy.ts';
import { type MainLanguage, mainLanguageOf } from '../../text/language.ts';
import { hasFacts, isEntailed, type Rule } from '../entailment/entails.ts';
import { linksIn } from '../entailment/lexer.ts';
import { type Source, sourceOf } from '../entailment/source.ts';
import { type Statement, statementOf } from '../entailment/statement.ts';
import { noResult, notExecuted } from '../prompt/history.ts';
import { originOf } from '../prompt/prompt.ts';
import { mark } from '../reply/marks.ts';
import { withoutMarks } from '../reply/references.ts';
import { collapseSpaces, occursIn, termsOf } from '../reply/text.ts';
import type { Check, HistoryMessage, ModelPassage, ReplyRequest } from '../types.ts';
import { numberForms, numbersOf } from './numbers.ts';
import { type Quotable, quotesOf, type Support, supportOf } from './quotes.ts';
import { contactTerms, isQuestion, isSmallTalk, restateAdmission, type Said } from './talk.ts';

/**
 * How a sentence of a reply is classified: `stated`, backed by a source; `admitted`, it says that the answer is not
 * known, which the gateway says in its own words; `talk`, it states nothing; `unsupported`, it states something that
 * nothing backs.
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
   * What passages say of what a sentence states, in their own sentences; null where it states nothing, rests on no
   * passage, or a model has judged it.
   */
  quote(sentence: string): string[] | null;
  /** What decided on a sentence, and the passages that it rests on. */
  decidedBy(sentence: string): Pick<Check, 'by' | 'passageIds'>;
  /** Whether a value occurs in a source, or in what the visitor said. */
  contains(value: string): boolean;
};

/** What a statement rests on: sentences of passages, or the first source of another kind that entails it. */
type Backing = {
  text: string;
  statement: Statement;
  /** The numbers of its marks. */
  numbers: number[];
  supports: Support[];
  rule: Rule | null;
  elsewhere: Source | null;
};

/** A shorter quote would be found anywhere. */
const minQuoteLength = 4;
/** The share of a value's terms that one source must contain. */
const minShare = 0.6;

/**
 * What the reply of a restricted agent may be based on: passages, its instructions, tool results, and its earlier
 * messages. One of them must entail what a sentence says, by the rules of `entailment/`.
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
  const freshResults = contents(fresh, 'tool').filter(isResult);
  const ofTools = lazy(() => [...freshResults, ...fresh.map(argumentsOf)]);

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
  const knownOrSaid = lazy(
    (): Said => ({
      numbers: known().numbers.union(new Set(numberForms(visitor))),
      terms: known().terms.union(termsOf(visitor)),
      links: known().links.union(new Set(linksIn(visitor))),
    }),
  );
  const names = lazy(() => termsOf(agent.name).union(contactTerms([visitor])));
  const spoken = lazy(() => mainLanguageOf(texts.join('\n'), visitor));

  const quotable = lazy(() =>
    passages.map(({ place }, index) => ({
      number: index + 1,
      source: (passageTexts[index] as () => Source)(),
      question: place.question ?? null,
    })),
  );

  /** The words of passages, or of the instructions, that a sentence quotes. */
  const quotedBy = (sentence: string): string[] => {
    const quotes = [...sentence.matchAll(mark)].map(([, , quote = '']) => collapseSpaces(quote));
    return quotes.filter((quote) => quote.length >= minQuoteLength);
  };

  /** What a sentence cites: passages, or its instructions by the number 0 and words that stand there. */
  function citedBy(numbers: number[], quotes: string[]): Quotable[] {
    const cited = quotable().filter(({ number }) => numbers.includes(number));
    const isOwn = numbers.includes(0) && quotes.some((quote) => occursIn(quote, own));
    return isOwn ? [...cited, { number: 0, source: sourceOf(own), question: null }] : cited;
  }

  const backings = new Map<string, Backing>();
  function backingOf(sentence: string): Backing {
    const known = backings.get(sentence);
    if (known) return known;
    const text = withoutMarks(sentence);
    const statement = statementOf(text.replace(answer, ''), mainLanguageOf(text) ?? spoken());
    const numbers = [...sentence.matchAll(mark)].flatMap(([, each = '']) => each.split(/[,;]/).map(Number));
    const quotes = quotedBy(sentence);
    const cited = citedBy(numbers, quotes);
    const isCited = cited.length > 0;
    const isTranslation = cited.some(({ source }) => isOther(mainLanguageOf(text), statement, source));
    const passages = isCited || numbers.includes(0) ? cited : quotable();
    const supports = supportOf(statement, passages, { isCited, chosen: isTranslation ? quotes : [] });
    const isDenied = statement.clauses.some(
      (clause, at) => clause.negations > 0 && !supports.some((rest) => rest.at === at),
    );
    const rule = supports.find((rest) => rest.rule)?.rule ?? (supports.length > 0 && isDenied ? 'negation' : null);
    const elsewhere = [...written, ...replies].find((read) => isEntailed(statement, read()))?.() ?? null;
    const backing = { text, statement, numbers, supports, rule, elsewhere };
    backings.set(sentence, backing);
    return backing;
  }

  /** Where a model should look for a statement: nowhere if a rule shows that it is in the passage's words. */
  function judgedSources(backing: Backing): Source[] {
    const { statement, numbers, supports, rule, elsewhere } = backing;
    if (elsewhere) return [elsewhere];
    if (mayTellResult(backing)) return freshResults.map((text) => sourceOf(text));
    if (supports.length > 0) return rule ? [] : [...new Set(supports.map(({ passage }) => passage.source))];
    const cited = quotable().flatMap(({ number, source }) => (numbers.includes(number) ? [source] : []));
    // A denial in none of the words of its source looks the same as an admission.
    return statement.negations === 0 && hasFacts(statement, cited) ? cited : [];
  }

  const judgedOf = (backing: Backing): boolean | null => {
    const sources = verdicts ? judgedSources(backing).map(wholeOf) : [];
    return sources.length > 0 ? (verdicts?.judged(backing.text.trim(), sources) ?? null) : null;
  };

  const isStatedByRules = ({ statement, supports, elsewhere }: Backing): boolean =>
    elsewhere !== null ||
    (supports.length > 0 &&
      supports.length === statement.clauses.length &&
      supports.every(({ rule, isWhole }) => isWhole && (rule === null || rule === 'wording')));

  /**
   * A tool result may be put into words that it does not contain. Numbers, links and names it must have; and something
   * of its own, which passages lack that speak of the same, or that a number comes from.
   */
  const mayTellResult = ({ text, supports }: Backing): boolean => {
    if (freshResults.length === 0 || !isKnown(text, known())) return false;
    const named = statementOf(text, spoken()).tokens.filter(({ kind }) => kind === 'name');
    if (!named.every(({ word }) => hasWord(knownOrSaid(), word))) return false;
    const [own, passage] = [ofTools().join('\n'), supports.map(({ unit }) => unit.text).join('\n')];
    const numbers = new Set(numberForms(own)).difference(new Set(numberForms(passage)));
    if (numbersOf(text).some((number) => numbers.has(number))) return true;
    if (supports.length === 0) return numbersOf(text).length === 0;
    return !termsOf(own).difference(termsOf(passage)).isDisjointFrom(termsOf(text));
  };

  const isBackedClause = (clause: string): boolean =>
    isStatedByRules(backingOf(clause)) || isSmallTalk(withoutMarks(clause), names());

  function quote(sentence: string): string[] | null {
    const backing = backingOf(sentence);
    const { supports, elsewhere } = backing;
    if (elsewhere || supports.length === 0 || mayTellResult(backing) || judgedOf(backing) !== null) return null;
    return quotesOf(supports);
  }

  function decidedBy(sentence: string): Pick<Check, 'by' | 'passageIds'> {
    const backing = backingOf(sentence);
    const by = judgedOf(backing) === null ? backing.rule : 'judge';
    const rested = backing.supports.map(({ passage }) => passage.number);
    const numbers = rested.length === 0 && by === 'judge' ? backing.numbers : rested;
    return { by, passageIds: passages.flatMap(({ id }, index) => (numbers.includes(index + 1) ? [id] : [])) };
  }

  return {
    decidedBy,
    quote,
    restate: (sentence, unknown) =>
      restateAdmission(sentence, unknown, isBackedClause, (clause) =>
        isSmallTalk(withoutMarks(clause), names()) ? clause : (quote(clause)?.join(' ') ?? clause),
      ) ?? '',
    classify(sentence) {
      const text = withoutMarks(sentence);
      if (!/[\p{L}\p{N}]/u.test(text)) return 'talk';
      const backing = backingOf(sentence);
      const judged = judgedOf(backing);
      if (judged ?? isStatedByRules(backing)) return 'stated';
      if (!isKnown(text, knownOrSaid())) return 'unsupported';
      if (restateAdmission(sentence, '', isBackedClause, String) !== null) return 'admitted';
      if (isSmallTalk(text, names()) || isQuestion(text, knownOrSaid())) return 'talk';
      return judged !== false && mayTellResult(backing) ? 'stated' : 'unsupported';
    },
    contains(value) {
      if (!/\p{L}/u.test(value)) return isKnown(value, knownOrSaid()) && !isDenied(value, visitor, sources(), known());
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

const wordsOf = (passage: ModelPassage): string => `${originOf(passage)}\n${passage.url ?? ''}\n${passage.text}`;
const ofPassage = (passage: ModelPassage): (() => Source) =>
  lazy(() =>
    sourceOf(passage.text, [originOf(passage), passage.url].filter(Boolean).join('\n'), passage.place.question),
  );

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
    const { tokens } = statementOf(claim, mainLanguageOf(claim));
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

/** A longer sentence that has no words of its source, nor of a known language, is in another language still. */
const isOther = (language: MainLanguage | null, { tokens }: Statement, source: Source): boolean => {
  if (language !== null) return language !== source.language;
  const terms = tokens.filter(({ kind }) => kind === 'term');
  return (
    source.language !== null && terms.length > 3 && !terms.some(({ keys }) => keys.some((key) => source.keys.has(key)))
  );
};
