import { beginningOf } from '../../text/shorten.ts';
import type { ModelPassage, Reference, ReplyFormat } from '../types.ts';
import { type Token, TokenReader } from './marks.ts';
import { collapseSpaces, occursIn, sentencesOf, termsOf } from './text.ts';

type Cited = { content: string; references: Reference[] };
type Options = { content: string; passages: ModelPassage[]; format: ReplyFormat; enabled: boolean };
type Mark = Extract<Token, { kind: 'mark' }>;

const quoted = /["“«„]([^"”»\n]{12,600})["”»]/g;
const maxQuote = 400;

/**
 * Maps the marks of a reply to passages. A mark is kept only if a quote occurs in its passage: the one the mark
 * carries, otherwise one in quotation marks in its statement, otherwise the passage's own sentence that supports the
 * statement. Other marks are removed, and the kept ones renumbered by the references, from 1.
 */
export function citeReferences({ content, passages, format, enabled }: Options): Cited {
  if (format === 'json') return citeJson(content, passages, enabled);
  const citer = new Citer(passages, enabled);
  return { content: citer.push(content, true).trim(), references: citer.references };
}

/** The streaming form of `citeReferences`. The output does not depend on how the reply is chunked. */
export class Citer {
  readonly references: Reference[] = [];
  readonly #passages: ModelPassage[];
  readonly #enabled: boolean;
  readonly #reader = new TokenReader();
  /** The words since the last mark, or since the line break or code before them. */
  #words = '';
  /** The statement that a mark here refers to: the last words on the line before it that carry meaning. */
  #statement = '';
  /** The results for marks that the current statement has had already. */
  readonly #resolved = new Map<string, number | null>();
  /** A mark with nothing before it refers to what follows. */
  #pending: Mark | null = null;

  constructor(passages: ModelPassage[], enabled: boolean) {
    this.#passages = passages;
    this.#enabled = enabled;
  }

  /** Returns the text that is final now, beyond what was returned before. `ended`: this part is complete. */
  push(delta: string, ended: boolean): string {
    const output = this.#reader.read(delta, ended).map((token) => this.#take(token));
    return ended ? `${output.join('')}${this.#settle()}` : output.join('');
  }

  #take(token: Token): string {
    if (token.kind === 'mark') return this.#settle() + this.#mark(token);
    if (token.kind === 'words' && this.#pending && !token.text.startsWith('[')) {
      this.#words += token.text;
      return '';
    }
    const before = this.#settle();
    if (token.kind === 'words') this.#words += token.text;
    else this.#setStatement('', '');
    return before + token.text;
  }

  #mark(found: Mark): string {
    if (this.#passages.length === 0) return found.text;
    if (!this.#enabled) return '';
    if (termsOf(this.#words).size > 0) this.#setStatement(this.#words, '');
    this.#words = '';
    if (this.#statement) return this.#shown(found);
    this.#pending = found;
    return '';
  }

  /** Resolves the waiting mark, whose statement has ended. */
  #settle(): string {
    const found = this.#pending;
    if (!found) return '';
    this.#pending = null;
    this.#setStatement(this.#words, this.#words);
    const output = this.#shown(found) + this.#words;
    this.#setStatement('', this.#words);
    return output;
  }

  #setStatement(statement: string, words: string): void {
    this.#statement = statement;
    this.#words = words;
    this.#resolved.clear();
  }

  #shown({ text, numbers, quote }: Mark): string {
    const cited = numbers.split(/[,;]/).flatMap((number) => this.#cite(Number(number), quote) ?? []);
    if (cited.length === 0) return '';
    return `${/^\s/.test(text) ? ' ' : ''}${[...new Set(cited)].map((n) => `[${n}]`).join('')}`;
  }

  #cite(number: number, quote: string | undefined): number | null {
    const name = `${number} ${quote ?? ''}`;
    const known = this.#resolved.get(name);
    if (known !== undefined) return known;
    const cited = addReference(this.references, this.#passages[number - 1], this.#statement, quote);
    this.#resolved.set(name, cited);
    return cited;
  }
}

/** Returns the number of the reference to a passage, adding it if its quote is found; null if there is none. */
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

/** A JSON reply lists its passages under `references`, if it has that key. */
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

/** Removes the marks from a text: those of an earlier reply refer to passages that this turn does not have. */
export const withoutMarks = (text: string): string =>
  new TokenReader()
    .read(text, true)
    .map(({ kind, text }) => (kind === 'mark' ? '' : text))
    .join('');

/**
 * Returns a quote that occurs in the passage and supports the statement, as the passage has it; null if there is none.
 */
function findQuote(passage: string, statement: string, given?: string): string | null {
  const claimed = given ? [given] : [...statement.matchAll(quoted)].map(([, words]) => words ?? '');
  if (claimed.length > 0) {
    const verbatim = claimed.flatMap((words) => [words, trimQuote(words)]).find((words) => occursIn(words, passage));
    return verbatim ? beginningOf(collapseSpaces(verbatim), maxQuote) : null;
  }
  return supportingSentence(passage, statement);
}

/** Models often add a full stop or ellipsis that the passage lacks. */
const trimQuote = (words: string): string => words.replace(/^[\s.…]+|[\s.…,;]+$/g, '');

function supportingSentence(passage: string, statement: string): string | null {
  const sentences = sentencesOf(passage).map((sentence) => ({ sentence, terms: termsOf(sentence) }));
  for (const claim of sentencesOf(statement).reverse()) {
    const terms = [...termsOf(claim)];
    const shared = sentences.map((own) => terms.filter((term) => own.terms.has(term)).length);
    const max = Math.max(0, ...shared);
    if (max > 0 && max >= Math.min(2, terms.length) && max >= terms.length * 0.3) {
      return beginningOf(collapseSpaces(sentences[shared.indexOf(max)]?.sentence ?? ''), maxQuote);
    }
  }
  return null;
}
