import type { ModelPassage, Reference, ReplyFormat } from '../types.ts';
import { type Token, TokenReader } from './marks.ts';
import { sentencesOf, squash, standsIn, termsOf } from './text.ts';

type Cited = { content: string; references: Reference[] };
type Options = { content: string; passages: ModelPassage[]; format: ReplyFormat; enabled: boolean };
type Mark = Extract<Token, { kind: 'mark' }>;

const quoted = /["“«„]([^"”»\n]{12,600})["”»]/g;
const maxQuote = 400;

/**
 * Maps the marks of a reply back to the passages. A mark stays only when a quote stands in its passage: the one the
 * mark carries, else one in quotation marks in its statement, else the passage's own sentence that the statement rests
 * on. Other marks are taken out of the text, and the ones that stay are numbered by the references, from 1.
 */
export function citeReferences({ content, passages, format, enabled }: Options): Cited {
  if (format === 'json') return citeJson(content, passages, enabled);
  const citer = new Citer(passages, enabled);
  return { content: citer.push(content, true).trim(), references: citer.references };
}

/** The same while a reply is written: what it answers is the same in whichever pieces the reply comes. */
export class Citer {
  readonly references: Reference[] = [];
  readonly #passages: ModelPassage[];
  readonly #enabled: boolean;
  readonly #reader = new TokenReader();
  /** The words since the last mark, or since the line or the code before them. */
  #words = '';
  /** What the marks here speak for: the last words of the line before them that say something. */
  #statement = '';
  /** The numbers that stand for marks which the same statement had before. */
  readonly #known = new Map<string, number | null>();
  /** A mark with nothing before it speaks for what follows. */
  #waiting: Mark | null = null;

  constructor(passages: ModelPassage[], enabled: boolean) {
    this.#passages = passages;
    this.#enabled = enabled;
  }

  /** What of a reply is certain now, beside what was before. `ended`: what follows is another part of it. */
  push(delta: string, ended: boolean): string {
    const shown = this.#reader.read(delta, ended).map((token) => this.#take(token));
    return ended ? `${shown.join('')}${this.#settle()}` : shown.join('');
  }

  #take(token: Token): string {
    if (token.kind === 'mark') return this.#settle() + this.#mark(token);
    if (token.kind === 'words' && this.#waiting && !token.text.startsWith('[')) {
      this.#words += token.text;
      return '';
    }
    const before = this.#settle();
    if (token.kind === 'words') this.#words += token.text;
    else this.#speakFor('', '');
    return before + token.text;
  }

  #mark(found: Mark): string {
    if (this.#passages.length === 0) return found.text;
    if (!this.#enabled) return '';
    if (termsOf(this.#words).size > 0) this.#speakFor(this.#words, '');
    this.#words = '';
    if (this.#statement) return this.#shown(found);
    this.#waiting = found;
    return '';
  }

  /** Decides on the mark that waits, whose statement has ended. */
  #settle(): string {
    const found = this.#waiting;
    if (!found) return '';
    this.#waiting = null;
    this.#speakFor(this.#words, this.#words);
    const shown = this.#shown(found) + this.#words;
    this.#speakFor('', this.#words);
    return shown;
  }

  #speakFor(statement: string, words: string): void {
    this.#statement = statement;
    this.#words = words;
    this.#known.clear();
  }

  #shown({ text, numbers, quote }: Mark): string {
    const cited = numbers.split(/[,;]/).flatMap((number) => this.#cite(Number(number), quote) ?? []);
    if (cited.length === 0) return '';
    return `${/^\s/.test(text) ? ' ' : ''}${[...new Set(cited)].map((n) => `[${n}]`).join('')}`;
  }

  #cite(number: number, quote: string | undefined): number | null {
    const name = `${number} ${quote ?? ''}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const cited = addReference(this.references, this.#passages[number - 1], this.#statement, quote);
    this.#known.set(name, cited);
    return cited;
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
  new TokenReader()
    .read(text, true)
    .map(({ kind, text }) => (kind === 'mark' ? '' : text))
    .join('');

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
