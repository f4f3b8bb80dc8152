import { parseHTML } from 'linkedom';
import type { Section } from '../../../search/types.ts';
import { cleanLine, cleanText } from '../clean.ts';
import { isReadable } from './html-limits.ts';
import { linesOf } from './html-text.ts';

const maxQuestions = 500;
/** An answer of fewer letters is known only if its question is: "Yes" stands anywhere. */
const short = 60;
/** How much of a page and of an answer is compared, in letters and digits, which bounds the time. */
const compared = { page: 400_000, answer: 300 };

/**
 * The questions with answers that a page states for search engines (schema.org's FAQPage and QAPage, as JSON-LD) and
 * that are not in its text, because a script fetches them by a click.
 */
export function statedQuestions(document: Document, sections: Section[]): Section[] {
  const scripts = [...document.querySelectorAll('script[type="application/ld+json"]')];
  const found = scripts.flatMap((script) => questionsIn(parsed(script.textContent ?? ''))).slice(0, maxQuestions);
  if (found.length === 0) return [];
  const shown = sections.map(({ heading = '', text }) => `${heading}\n${text.replaceAll(/^(?:\d+\.|-) /gm, '')}`);
  const page = squeezed(shown.join('\n'), compared.page);
  const added = new Map<string, Section>();
  for (const { question, answer } of found) {
    const text = cleanText(textOf(answer)).trim();
    const letters = squeezed(text, compared.answer);
    const isKnown =
      page.includes(letters) && (letters.length >= short || page.includes(squeezed(question ?? '', short)));
    if (question && text && !isKnown) added.set(`${question}\n${text}`, { question, text });
  }
  return [...added.values()];
}

type Stated = { question: string | undefined; answer: string };
type Thing = Record<string, unknown>;

/** All questions in a value of JSON-LD, at whatever depth: pages of them are parts of graphs and of lists. */
function questionsIn(value: unknown): Stated[] {
  const found: Stated[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const thing = waiting.pop();
    if (!thing || typeof thing !== 'object') continue;
    const { name, acceptedAnswer, suggestedAnswer, ...rest } = thing as Thing;
    const isQuestion = [(thing as Thing)['@type']].flat().some((type) => /(^|[/:])Question$/.test(String(type)));
    const [answer] = [acceptedAnswer, suggestedAnswer].flat().flatMap((one) => (one as Thing | null)?.text ?? []);
    if (isQuestion && typeof name === 'string' && typeof answer === 'string') {
      found.push({ question: cleanLine(textOf(name), 2_000), answer });
    } else for (const part of (Array.isArray(thing) ? thing : Object.values(rest)).toReversed()) waiting.push(part);
  }
  return found;
}

/** What is no JSON states nothing. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Names and answers may be HTML; empty if it would take long to read. */
function textOf(html: string): string {
  if (!/[<&]/.test(html)) return html;
  if (!isReadable(html)) return '';
  const block = html.replaceAll(/<\/(?:p|li|div|h\d|tr)>/gi, '<br>$&');
  return linesOf(parseHTML(`<!doctype html><html><body>${block}</body></html>`).document.body);
}

/** The letters and digits of a text: marks of lists and tables aside. */
const squeezed = (text: string, limit: number): string => text.replace(/[^\p{L}\p{N}]+/gu, '').slice(0, limit);
