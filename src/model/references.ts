import { sentencesOf, squash, standsIn, termsOf } from './text.ts';
import type { ModelPassage, Reference, ReplyFormat } from './types.ts';

type Cited = { content: string; references: Reference[] };
type Options = { content: string; passages: ModelPassage[]; format: ReplyFormat; enabled: boolean };

/** `[2]`, `[1, 2]` or `[1 "words of the passage"]`; not the text of a Markdown link. */
export const mark = /[ \t]?\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)(?:\s*[:,]?\s*["“”«„]([^\]\n]{1,600}?)["“”»])?\](?!\()/g;
/** Where a bracket is code, not a citation. */
const code = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;
const quoted = /["“«„]([^"”»\n]{12,600})["”»]/g;
const maxQuote = 400;

/**
 * Maps the marks of a reply back to the passages. A mark stays only when a quote stands in its passage: the one the
 * mark carries, else one in quotation marks in its statement, else the passage's own sentence that the statement rests
 * on. Other marks are taken out of the text, and the ones that stay are numbered by the references, from 1.
 */
export function citeReferences({ content, passages, format, enabled }: Options): Cited {
  if (format === 'json') return citeJson(content, passages, enabled);
  if (passages.length === 0) return { content, references: [] };
  const references: Reference[] = [];
  const pieces = content.split(code).map((piece, index) => (index % 2 === 1 ? piece : citeText(piece)));
  return { content: pieces.join('').trim(), references };

  function citeText(text: string): string {
    return text.replace(mark, (found, numbers: string, quote: string | undefined, at: number) => {
      if (!enabled) return '';
      const statement = statementAt(text, at, at + found.length);
      const cited = numbers.split(/[,;]/).flatMap((number) => cite(Number(number), statement, quote) ?? []);
      return cited.length > 0
        ? `${/^\s/.test(found) ? ' ' : ''}${[...new Set(cited)].map((n) => `[${n}]`).join('')}`
        : '';
    });
  }

  function cite(number: number, statement: string, given: string | undefined): number | null {
    return addReference(references, passages[number - 1], statement, given);
  }
}

/** The number of the reference to a passage, which is added when its quote stands; null when there is none. */
function addReference(
  references: Reference[],
  passage: ModelPassage | undefined,
  statement: string,
  given?: string,
): number | null {
  const quote = passage && findQuote(passage.text, statement, given);
  if (!passage || !quote) return null;
  const known = references.findIndex(({ passageId }) => passageId === passage.id);
  if (known >= 0) return known + 1;
  const { id: passageId, sourceId, baseId } = passage;
  return references.push({ passageId, sourceId, baseId, quote });
}

/** A reply in JSON names its passages under `references`, where it has that key. */
function citeJson(content: string, passages: ModelPassage[], enabled: boolean): Cited {
  const value = JSON.parse(content) as { answer?: unknown; references?: unknown } | null;
  if (!Array.isArray(value?.references)) return { content, references: [] };
  const references: Reference[] = [];
  const statement = typeof value.answer === 'string' ? value.answer : content;
  const numbers = value.references.flatMap((number) => {
    const passage = enabled ? passages[Number(number) - 1] : undefined;
    return addReference(references, passage, statement) ?? [];
  });
  return { content: JSON.stringify({ ...value, references: [...new Set(numbers)] }), references };
}

/** A text without marks: those of an earlier reply name passages that this turn does not have. */
export const withoutMarks = (text: string): string =>
  text
    .split(code)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(mark, '')))
    .join('');

/** What a mark speaks for: the text between the mark before it, or the start of its line, and itself. */
function statementAt(text: string, start: number, end: number): string {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const before = line
    .replace(mark, '\0')
    .split('\0')
    .findLast((piece) => termsOf(piece).size > 0);
  return before ?? text.slice(end).split(/[\n[]/, 1)[0] ?? '';
}

/** A quote that stands in the passage and backs the statement, as the passage has it; null when there is none. */
function findQuote(passage: string, statement: string, given?: string): string | null {
  const claimed = given ? [given] : [...statement.matchAll(quoted)].map(([, words]) => words ?? '');
  if (claimed.length > 0) {
    const standing = claimed.flatMap((words) => [words, trimQuote(words)]).find((words) => standsIn(words, passage));
    return standing ? squash(standing).slice(0, maxQuote) : null;
  }
  return supportingSentence(passage, statement);
}

/** Quotes are often given a full stop or dots that the passage has not. */
const trimQuote = (words: string): string => words.replace(/^[\s.…]+|[\s.…,;]+$/g, '');

function supportingSentence(passage: string, statement: string): string | null {
  const sentences = sentencesOf(passage).map((sentence) => ({ sentence, terms: termsOf(sentence) }));
  for (const claim of sentencesOf(statement).reverse()) {
    const terms = [...termsOf(claim)];
    const shared = sentences.map((own) => terms.filter((term) => own.terms.has(term)).length);
    const most = Math.max(0, ...shared);
    if (most > 0 && most >= Math.min(2, terms.length) && most >= terms.length * 0.3) {
      return squash(sentences[shared.indexOf(most)]?.sentence ?? '')
        .slice(0, maxQuote)
        .trim();
    }
  }
  return null;
}
