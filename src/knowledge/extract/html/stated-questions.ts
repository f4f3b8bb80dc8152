import { parseHTML } from 'linkedom';
import type { Section } from '../../../search/types.ts';
import { cleanLine, cleanText } from '../clean.ts';
import { refuseCostlyHtml } from './html-limits.ts';
import { linesOf } from './html-text.ts';

const maxQuestions = 500;
/** By so many characters, spaces aside, an answer is recognised in the text of the page. */
const known = 60;

/**
 * The questions with answers that a page states for search engines (schema.org's FAQPage and QAPage, as JSON-LD) and
 * that are not in its text, because a script fetches them by a click.
 */
export function statedQuestions(document: Document, sections: Section[]): Section[] {
  const scripts = [...document.querySelectorAll('script[type="application/ld+json"]')];
  const found = scripts.flatMap((script) => questionsIn(parsed(script.textContent ?? ''))).slice(0, maxQuestions);
  if (found.length === 0) return [];
  const text = squeezed(sections.map((section) => section.text).join('\n'));
  return found.flatMap(({ question, answer }) => {
    const said = cleanText(textOf(answer)).trim();
    const isKnown = text.includes(squeezed(said).slice(0, known));
    return question && said && !isKnown ? [{ question, text: said }] : [];
  });
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

/** Names and answers may be HTML. */
function textOf(html: string): string {
  if (!/[<&]/.test(html)) return html;
  refuseCostlyHtml(html);
  const block = html.replaceAll(/<\/(?:p|li|div|h\d|tr)>/gi, '<br>$&');
  return linesOf(parseHTML(`<!doctype html><html><body>${block}</body></html>`).document.body);
}

const squeezed = (text: string): string => text.replace(/\s+/g, '');
