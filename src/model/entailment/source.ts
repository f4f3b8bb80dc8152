import { type MainLanguage, mainLanguageOf } from '../../text/language.ts';
import { sentencesOf } from '../reply/text.ts';
import { type Clause, joined, type Statement, statementOf } from './statement.ts';

/** Tokens with what they are looked up by. `sides`: of words that exclude each other, which stand here. */
type Part = Clause & { keys: Set<string>; words: Set<string>; sides: Map<number, Set<number>> };

/** A sentence of a source, a clause of it, or a pair of sentences. `context`: its headings, and where it stands. */
export type Unit = Part & { clauses: Part[]; context: Part; text: string; isPair: boolean };

/** A text that statements may rest on. `keys`: those of all of it. */
export type Source = { units: Unit[]; keys: Set<string>; language: MainLanguage | null; text: string; place: string };

/** A sentence that does not end, such as a line of JSON, is read in pieces. */
const pieces = /[^]{1,1000}(?=\s|$)|[^]{1,1000}/g;

const leadsOn =
  /^(?:it|they|this|that|these|those|he|she|both|there|ele|ela|eles|elas|isso|isto|este|esta|esse|essa|ambos|él|ella|ellos|ellas|eso|esto|ambas)(?!\p{L})/iu;
const answers = /^(?:(yes|sim|s[ií])|no|n[ãa]o)\s*[,.!;:—–-]/i;

/** Reads a text; `place`: its title, heading and the question that it answers. */
export function sourceOf(text: string, place = '', question: string | null = null): Source {
  const language = mainLanguageOf(`${place}\n${text}`);
  const around = (heading: string) =>
    partOf({ ...statementOf([place, heading].filter(Boolean).join('. '), language), negations: 0 });
  const sentences = sentencesOf(text).flatMap((sentence) => sentence.match(pieces) ?? []);
  const units: Unit[] = [];
  let context = around('');
  let before: { text: string; statement: Statement } | null = null;
  for (const [index, sentence] of sentences.entries()) {
    const answered = index === 0 && question ? answers.exec(sentence) : null;
    const whole = answered
      ? `${answered[1] ? '' : 'not '}${question?.replace(/[?¿]/g, '')}. ${sentence.slice(answered[0].length)}`
      : sentence;
    const statement = statementOf(whole, language);
    const isAsked = /[?？]["”»)]?$/.test(sentence) && !answered;
    if (!isAsked) units.push(...unitsOf(sentence, statement, context));
    if (before && !isAsked && (leadsOn.test(sentence) || !hasSubject(statement)))
      units.push(unitOf(`${before.text} ${sentence}`, both(before.statement, statement), context, true));
    if (isAsked || isHeading(sentence)) context = around(sentence);
    before = isAsked || isHeading(sentence) ? null : { text: sentence, statement };
  }
  return {
    units,
    keys: new Set(units.flatMap(({ tokens }) => tokens.flatMap(({ keys }) => keys))),
    language,
    text,
    place,
  };
}

const isHeading = (text: string): boolean =>
  /^#{1,6}\s/.test(text) || (text.length <= 60 && !/[.!;:\d|]|^[-*•]/.test(text));
/** A sentence without a name, which may go on about the one before. */
const hasSubject = ({ tokens }: Statement): boolean => tokens.some(({ kind }) => kind === 'name') || tokens.length > 5;

const both = (one: Statement, other: Statement): Statement =>
  joined([...one.clauses, ...other.clauses], one.conditions + other.conditions);

/** A sentence, and each of its clauses if it has several. */
function unitsOf(text: string, statement: Statement, context: Part): Unit[] {
  const whole = unitOf(text, statement, context);
  const { clauses } = whole;
  return clauses.length < 2 ? [whole] : [whole, ...clauses.map((part) => ({ ...whole, ...part, clauses: [part] }))];
}

const unitOf = (text: string, statement: Statement, context: Part, isPair = false): Unit => ({
  ...partOf(statement),
  clauses: statement.clauses.map(partOf),
  context,
  text,
  isPair,
});

function partOf({ tokens, negations, conditions }: Clause): Part {
  const sides = new Map<number, Set<number>>();
  for (const { group, side } of tokens.flatMap((token) => (token.kind === 'term' ? (token.side ?? []) : [])))
    sides.set(group, (sides.get(group) ?? new Set()).add(side));
  return {
    tokens,
    negations,
    conditions,
    sides,
    keys: new Set(tokens.flatMap(({ keys }) => keys)),
    words: new Set(tokens.map(({ word }) => word)),
  };
}
