import { lazy } from '../../core/lazy.ts';
import { mainLanguageOf } from '../../text/language.ts';
import { phrases } from '../embedded/phrases.ts';
import { ClosedHtml } from '../reply/closed-html.ts';
import { withoutMarks } from '../reply/references.ts';
import type { Check, JsonValue } from '../types.ts';
import { type Grounds, groundsOf, type JudgedRequest, type Verdict } from './grounds.ts';
import { closesFence, opensFence, unitsOf } from './units.ts';

/** The text that is kept, and what was done with its sentences. `isEmpty`: what is kept answers nothing. */
type GroundedText = { text: string; withheld: number; checks: Check[]; isEmpty: boolean };

const maxChecks = 60;
const maxStatement = 300;

type GroundingFilter = {
  /** Reads a delta, and returns the text that may be emitted now. `ended`: this is the last delta. */
  push(delta: string, ended: boolean): string;
  /** Everything kept so far. */
  result(): GroundedText;
};

/** Keeps only those sentences of a restricted agent's streamed reply that are backed by a source, in order. */
export function createGroundingFilter(request: JudgedRequest, grounds: Grounds = groundsOf(request)): GroundingFilter {
  const verdicts: Record<Verdict, number> = { stated: 0, admitted: 0, talk: 0, unsupported: 0 };
  const units = request.format === 'html' ? htmlUnits() : sentenceUnits();
  let text = '';
  let gap = '';
  let hasHole = false;
  const unknown = lazy(() => unknownOf(request));
  const quoted = new Set<string>();
  const checks: Check[] = [];
  const note = (sentence: string, outcome: Check['outcome'], decided = grounds.decidedBy(sentence)): void => {
    if (checks.length >= maxChecks) return;
    const statement = withoutMarks(sentence).trim().slice(0, maxStatement).toWellFormed();
    checks.push({ statement, outcome, ...decided });
  };
  /** What replaces a sentence: nothing if it was said before; null if it is withheld. */
  const tell = (sentence: string): string | null => {
    const verdict = grounds.classify(sentence);
    if (verdict === 'admitted') {
      note(sentence, 'admitted', { by: null, passageIds: [] });
      return grounds.restate(sentence, verdicts.admitted++ > 0 ? '' : unknown());
    }
    const quotes = verdict === 'talk' ? null : grounds.quote(sentence);
    verdicts[quotes ? 'stated' : verdict]++;
    if (!quotes && verdict === 'stated' && grounds.decidedBy(sentence).by === 'judge') note(sentence, 'delivered');
    if (quotes || verdict === 'unsupported') note(sentence, quotes ? 'quoted' : 'withheld');
    if (!quotes) return verdict === 'unsupported' ? null : sentence;
    const more = quotes.filter((quote) => !quoted.has(quote));
    for (const quote of more) quoted.add(quote);
    return more.length > 0 ? `${lineStart.exec(sentence)?.[0] ?? ''}${more.join(' ')}` : '';
  };
  const backedPart = (unit: string): string =>
    request.format === 'html' ? filterBlocks(unit.replace(fence, ''), tell).trim() : (tell(unit) ?? '').trimEnd();
  const add = (unit: string): string => {
    const body = backedPart(unit);
    const more = body && (text && (hasHole ? narrow(gap) : gap)) + body;
    gap = (body ? '' : gap) + unit.slice(unit.trimEnd().length);
    hasHole = !body;
    text += more;
    return more;
  };
  return {
    push: (delta, ended) => units(delta, ended).map(add).join(''),
    result() {
      const { stated, admitted, unsupported } = verdicts;
      return { text, withheld: unsupported, checks, isEmpty: stated + admitted === 0 && unsupported > 0 };
    },
  };
}

/** What makes a line an item of a list. */
const lineStart = /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+/;

type Units = (delta: string, ended: boolean) => string[];

/** Splits HTML into closed parts. */
function htmlUnits(): Units {
  const html = new ClosedHtml();
  return (delta, ended) => [...html.push(delta), ...(ended ? [html.end()] : [])].filter(Boolean);
}

/** Splits text into sentences. Looks for them only where one may have ended: otherwise the cost would be quadratic. */
function sentenceUnits(): Units {
  let rest = '';
  let remainingBreaks = 0;
  let line = '';
  let inLine = false;
  const mayEnd = (delta: string): boolean => {
    const lines = `${line}${delta}`.split(/(?<=\n)/);
    const last = lines.at(-1) ?? '';
    line = last.endsWith('\n') ? '' : last.length > maxFenceLength ? '…' : last;
    if (!inLine && opensFence(rest)) return lines.some((each) => closesFence(each, false));
    if (ending.test(delta)) remainingBreaks = maxBreaks;
    return delta !== '' && remainingBreaks-- > 0;
  };
  return (delta, ended) => {
    const mayHaveEnded = mayEnd(delta);
    rest += delta;
    if (!mayHaveEnded && !ended) return [];
    const units = unitsOf(rest, ended, inLine);
    rest = rest.slice(units.join('').length);
    inLine = units.length > 0 ? !units.at(-1)?.endsWith('\n') : inLine;
    return units;
  };
}

/** What may end a sentence, and how many more chunks may confirm it: a mark, a space, a letter. */
const ending = /[\n>.!?…。！？]/;
const maxBreaks = 8;
const maxFenceLength = 200;

/** Some models wrap their HTML in a fence. */
const fence = /^\s*```(?:html)?[ \t]*\n?/i;

/** The white space left around omitted sentences. */
const narrow = (gap: string): string => (/\n\s*\n/.test(gap) ? '\n\n' : gap.includes('\n') ? '\n' : ' ');

/** Keeps what is backed of a complete reply; if that answers nothing, adds that the agent does not know. */
export function keepGrounded(request: JudgedRequest, written: string): GroundedText {
  const filtered = filterAll(createGroundingFilter(request), written);
  return filtered.isEmpty
    ? { ...filtered, text: `${filtered.text}${filtered.text && '\n\n'}${inFormat(request)}` }
    : filtered;
}

function filterAll(filter: GroundingFilter, written: string): GroundedText {
  filter.push(written, true);
  return filter.result();
}

/** The form of JSON reply that the prompt asks for unless the caller asks for another. */
type JsonAnswer = { answer: string; references?: JsonValue };
export const isJsonAnswer = (value: JsonValue): value is JsonAnswer =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value.answer === 'string';

/** Like `keepGrounded`, for the answer in such a reply. */
export function keepGroundedAnswer(request: JudgedRequest, value: JsonAnswer): GroundedText {
  const numbers = Array.isArray(value.references) ? value.references.map(Number).filter(Number.isInteger) : [];
  const marks = numbers.map((number) => `[${number}]`).join('');
  // The reply lists its passages once, for all of its sentences.
  const filter = createGroundingFilter({ ...request, format: 'text' }, citing(groundsOf(request), marks));
  const filtered = filterAll(filter, value.answer);
  const answer = filtered.isEmpty ? `${filtered.text} ${unknownOf(request)}`.trim() : filtered.text;
  return { ...filtered, text: JSON.stringify({ ...value, answer, ...(filtered.isEmpty && { references: [] }) }) };
}

const citing = ({ classify: isBacked, ...grounds }: Grounds, marks: string): Grounds => ({
  ...grounds,
  quote: (sentence) => grounds.quote(`${sentence.trimEnd()} ${marks}`)?.map((text) => withoutMarks(text)) ?? null,
  decidedBy: (sentence) => grounds.decidedBy(`${sentence.trimEnd()} ${marks}`),
  classify(sentence) {
    const isBackedAlone = isBacked(sentence);
    return isBackedAlone === 'unsupported' && marks ? isBacked(`${sentence.trimEnd()} ${marks}`) : isBackedAlone;
  },
});

/** "I don't know", in the language of the conversation. */
function unknownOf({ agent, history, passages }: JudgedRequest): string {
  const userTexts = history.flatMap(({ role, content }) => (role === 'user' && content ? [content] : []));
  const spoken = [...userTexts.toReversed(), agent.welcome, agent.instructions];
  return phrases[mainLanguageOf(...spoken, ...passages.map(({ text }) => text)) ?? 'e'].unknown;
}

const inFormat = (request: JudgedRequest): string =>
  request.format === 'html' ? `<p>${unknownOf(request)}</p>` : unknownOf(request);

const blocks = 'p|li|td|th|h[1-6]|dt|dd|blockquote|pre|caption';
/** A block that contains no other block. */
const innermost = new RegExp(
  `<(${blocks})\\b[^<>]*>(?:(?!</?(?:${blocks}|ul|ol|dl|table|tr|div|section|article)\\b)[\\s\\S])*</\\1>`,
  'gi',
);
const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

/** Returns what replaces a sentence: itself, other words, or nothing; null if it is withheld. */
type Replace = (sentence: string) => string | null;

/**
 * Removes the blocks of HTML that contain a withheld sentence, and the text between blocks if it does. A block with a
 * sentence that is replaced becomes plain text.
 */
export function filterBlocks(html: string, replace: Replace): string {
  const kept = html.replace(innermost, (block: string, name: string) => replacedHtml(block, name, replace) ?? block);
  const around = replacedHtml(html.replace(innermost, ''), 'p', replace);
  return around === null ? kept : [...(kept.match(innermost) ?? []), around].filter(Boolean).join('\n');
}

/** HTML with its sentences replaced; null if none was. */
function replacedHtml(html: string, name: string, replace: Replace): string | null {
  const sentences = unitsOf(textOf(html), true).filter((sentence) => sentence.trim());
  const parts = sentences.map(replace);
  if (parts.every((part, at) => part === sentences[at])) return null;
  if (parts.includes(null)) return '';
  const text = parts.filter(Boolean).join(' ');
  return text && `<${name}>${escaped(text)}</${name}>`;
}

/** A link is judged as well as its words. */
const hrefOf = (tag: string): string => ` ${/\bhref\s*=\s*["']?([^"'\s>]+)/i.exec(tag)?.[1] ?? ''} `;

const textOf = (html: string): string =>
  html.replace(/<[^<>]*>/g, hrefOf).replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? character);
