import { languageOf } from '../embedded/language.ts';
import { phrases } from '../embedded/phrases.ts';
import { ClosedHtml } from '../reply/closed-html.ts';
import type { JsonValue } from '../types.ts';
import { type Grounds, groundsOf, type JudgedRequest, type Verdict } from './grounds.ts';
import { keepBlocks } from './html-blocks.ts';
import { closesFence, opensFence, unitsOf } from './units.ts';

/** The text that is kept, and how many sentences were withheld. `isEmpty`: what is kept answers nothing. */
export type Kept = { text: string; withheld: number; isEmpty: boolean };

export type Sieve = {
  /** Reads a delta, and returns the text that may be emitted now. `ended`: this is the last delta. */
  push(delta: string, ended: boolean): string;
  /** Everything kept so far. */
  kept(): Kept;
};

/** Keeps only those sentences of a restricted agent's streamed reply that are backed by a source, in order. */
export function createSieve(request: JudgedRequest, grounds: Grounds = groundsOf(request)): Sieve {
  const verdicts: Record<Verdict, number> = { stated: 0, admitted: 0, talk: 0, bare: 0 };
  const units = request.format === 'html' ? htmlUnits() : sentenceUnits();
  let text = '';
  let gap = '';
  let hasHole = false;
  const judge = (sentence: string): boolean => {
    const verdict = grounds.judge(sentence);
    verdicts[verdict]++;
    return verdict !== 'bare';
  };
  const told = (unit: string): string => {
    if (request.format === 'html') return keepBlocks(unit.replace(fence, ''), judge).trim();
    return judge(unit) ? unit.trimEnd() : '';
  };
  const add = (unit: string): string => {
    const body = told(unit);
    const more = body && (text && (hasHole ? narrow(gap) : gap)) + body;
    gap = (body ? '' : gap) + unit.slice(unit.trimEnd().length);
    hasHole = !body;
    text += more;
    return more;
  };
  return {
    push: (delta, ended) => units(delta, ended).map(add).join(''),
    kept() {
      const { stated, admitted, bare } = verdicts;
      return { text, withheld: bare, isEmpty: stated + admitted === 0 && bare > 0 };
    },
  };
}

type Units = (delta: string, ended: boolean) => string[];

/** Splits HTML into closed parts. */
function htmlUnits(): Units {
  const html = new ClosedHtml();
  return (delta, ended) => [...html.push(delta), ...(ended ? [html.end()] : [])].filter(Boolean);
}

/** Splits text into sentences. Looks for them only where one may have ended: otherwise the cost would be quadratic. */
function sentenceUnits(): Units {
  let rest = '';
  let chances = 0;
  let line = '';
  let inLine = false;
  const mayEnd = (delta: string): boolean => {
    const lines = `${line}${delta}`.split(/(?<=\n)/);
    const last = lines.at(-1) ?? '';
    line = last.endsWith('\n') ? '' : last.length > longestFence ? '…' : last;
    if (!inLine && opensFence(rest)) return lines.some((each) => closesFence(each, false));
    if (ending.test(delta)) chances = mostChances;
    return delta !== '' && chances-- > 0;
  };
  return (delta, ended) => {
    const may = mayEnd(delta);
    rest += delta;
    if (!may && !ended) return [];
    const units = unitsOf(rest, ended, inLine);
    rest = rest.slice(units.join('').length);
    inLine = units.length > 0 ? !units.at(-1)?.endsWith('\n') : inLine;
    return units;
  };
}

/** What may end a sentence, and how many more chunks may confirm it: a mark, a space, a letter. */
const ending = /[\n>.!?…。！？]/;
const mostChances = 8;
const longestFence = 200;

/** Some models wrap their HTML in a fence. */
const fence = /^\s*```(?:html)?[ \t]*\n?/i;

/** The white space left around omitted sentences. */
const narrow = (gap: string): string => (/\n\s*\n/.test(gap) ? '\n\n' : gap.includes('\n') ? '\n' : ' ');

/** Keeps what is backed of a complete reply; if that answers nothing, adds that the agent does not know. */
export function keepGrounded(request: JudgedRequest, written: string): Kept {
  const kept = keptOf(createSieve(request), written);
  return kept.isEmpty ? { ...kept, text: `${kept.text}${kept.text && '\n\n'}${inFormat(request)}` } : kept;
}

function keptOf(sieve: Sieve, written: string): Kept {
  sieve.push(written, true);
  return sieve.kept();
}

/** The form of JSON reply that the prompt asks for unless the caller asks for another. */
export type JsonAnswer = { answer: string; references?: JsonValue };
export const isJsonAnswer = (value: JsonValue): value is JsonAnswer =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value.answer === 'string';

/** Like `keepGrounded`, for the answer in such a reply. */
export function keepGroundedAnswer(request: JudgedRequest, value: JsonAnswer): Kept {
  const numbers = Array.isArray(value.references) ? value.references.map(Number).filter(Number.isInteger) : [];
  const marks = numbers.map((number) => `[${number}]`).join('');
  // The reply lists its passages once, for all of its sentences.
  const sieve = createSieve({ ...request, format: 'text' }, citing(groundsOf(request), marks));
  const kept = keptOf(sieve, value.answer);
  const answer = kept.isEmpty ? `${kept.text} ${unknownOf(request)}`.trim() : kept.text;
  return { ...kept, text: JSON.stringify({ ...value, answer, ...(kept.isEmpty && { references: [] }) }) };
}

const citing = ({ judge, holds }: Grounds, marks: string): Grounds => ({
  holds,
  judge(sentence) {
    const alone = judge(sentence);
    return alone === 'bare' && marks ? judge(`${sentence.trimEnd()} ${marks}`) : alone;
  },
});

/** "I don't know", in the language of the conversation. */
function unknownOf({ agent, history }: JudgedRequest): string {
  const said = history.flatMap(({ role, content }) => (role === 'user' && content ? [content] : []));
  return phrases[languageOf(...said.toReversed(), agent.welcome, agent.instructions)].unknown;
}

const inFormat = (request: JudgedRequest): string =>
  request.format === 'html' ? `<p>${unknownOf(request)}</p>` : unknownOf(request);
