import { languageOf } from '../embedded/language.ts';
import { phrases } from '../embedded/phrases.ts';
import type { JsonValue } from '../types.ts';
import { type Grounds, groundsOf, type Heard, type Verdict } from './grounds.ts';
import { keepBlocks } from './html-blocks.ts';
import { unitsOf } from './units.ts';

/** What may be told of a text, and of how many sentences nothing is. `isEmpty`: it answers nothing. */
export type Kept = { text: string; withheld: number; isEmpty: boolean };

export type Sieve = {
  /** Reads the whole of a text as far as it is written, longer each time, and answers what may be told of it. */
  push(text: string, ended: boolean): Kept;
};

/** Keeps of what a restricted agent writes the sentences that rest on something, while it writes them, in their order. */
export function createSieve(request: Heard, grounds: Grounds = groundsOf(request)): Sieve {
  const verdicts: Record<Verdict, number> = { stated: 0, admitted: 0, talk: 0, bare: 0 };
  let read = 0;
  let text = '';
  let gap = '';
  let hasHole = false;
  // Sentences are looked for only where one may have ended, or each word would cost as much as all before it.
  let seen = 0;
  let chances = 0;
  const kept = (): Kept => {
    const { stated, admitted, bare } = verdicts;
    return { text, withheld: bare, isEmpty: stated + admitted === 0 && bare > 0 };
  };
  const judge = (sentence: string): boolean => {
    const verdict = grounds.judge(sentence);
    verdicts[verdict]++;
    return verdict !== 'bare';
  };
  const add = (unit: string, body: string) => {
    if (body) text += (text && (hasHole ? narrow(gap) : gap)) + body;
    gap = (body ? '' : gap) + unit.slice(unit.trimEnd().length);
    hasHole = !body;
  };
  return {
    push(written, ended) {
      const fresh = written.slice(seen);
      seen = written.length;
      if (ending.test(fresh)) chances = mostChances;
      if (!ended && (!fresh || chances-- <= 0)) return kept();
      const rest = written.slice(read);
      const units = request.format === 'html' ? [rest].filter(Boolean) : unitsOf(rest, ended);
      for (const unit of units) {
        read += unit.length;
        if (request.format === 'html') add(unit, keepBlocks(unit.replace(fence, ''), judge).trim());
        else add(unit, judge(unit) ? unit.trimEnd() : '');
      }
      return kept();
    },
  };
}

/** What may end a sentence, and how many pieces after it may show that it did: a mark, a space, a letter. */
const ending = /[\n>.!?…。！？]/;
const mostChances = 8;

/** Some models put one around their HTML. */
const fence = /^\s*```(?:html)?[ \t]*\n?/i;

/** The white space around what is left out. */
const narrow = (gap: string): string => (/\n\s*\n/.test(gap) ? '\n\n' : gap.includes('\n') ? '\n' : ' ');

/** What may be told of a whole reply; where that is no answer, it says that it does not know. */
export function keepGrounded(request: Heard, written: string): Kept {
  const kept = createSieve(request).push(written, true);
  return kept.isEmpty ? { ...kept, text: `${kept.text}${kept.text && '\n\n'}${inFormat(request)}` } : kept;
}

/** A reply in JSON in the form that the prompt asks for where nobody asks for another. */
export type JsonAnswer = { answer: string; references?: JsonValue };
export const isJsonAnswer = (value: JsonValue): value is JsonAnswer =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value.answer === 'string';

/** The same of the answer in such a reply. */
export function keepGroundedAnswer(request: Heard, value: JsonAnswer): Kept {
  const numbers = Array.isArray(value.references) ? value.references.map(Number).filter(Number.isInteger) : [];
  const marks = numbers.map((number) => `[${number}]`).join('');
  // It names its passages once for all of its sentences.
  const kept = createSieve({ ...request, format: 'text' }, citing(groundsOf(request), marks)).push(value.answer, true);
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

/** That it does not know, in the language of the conversation. */
function unknownOf({ agent, history }: Heard): string {
  const said = history.flatMap(({ role, content }) => (role === 'user' && content ? [content] : []));
  return phrases[languageOf(...said.toReversed(), agent.welcome, agent.instructions)].unknown;
}

const inFormat = (request: Heard): string =>
  request.format === 'html' ? `<p>${unknownOf(request)}</p>` : unknownOf(request);
