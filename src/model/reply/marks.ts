/** The tokens of a reply: `words` within a line, the `line` break, verbatim `code`, and the `mark` of a citation. */
export type Token =
  | { kind: 'words' | 'line' | 'code'; text: string }
  | { kind: 'mark'; text: string; numbers: string; quote: string | undefined };

/** `[2]`, `[1, 2]` or `[1 "words of the passage"]`; not the text of a Markdown link. */
export const mark =
  /[ \t]?\[(\d{1,3}(?:[^\S\n]*[,;][^\S\n]*\d{1,3})*)(?:[^\S\n]*(?:[,:][^\S\n]*)?["“”«„]([^\]\n]{1,600}?)["“”»])?\](?!\()/g;
const markHere = new RegExp(mark.source, 'y');
/** The maximum length of a mark, brackets included. */
const maxMarkLength = 652;

const special = /`|\n|[ \t]?\[/g;
const endsCode = /[`\n]/g;
const endsMark = /[\]\n]/;

/**
 * Tokenizes a streamed reply in a single pass, in linear time. Text that may still become a mark or code is held back.
 */
export class TokenReader {
  #rest = '';
  /** How far into the rest tokens have been emitted. */
  #start = 0;
  /** Where to continue scanning the rest. */
  #at = 0;
  /** How far the rest was searched in vain for the end of its leading code. */
  #searched = 0;
  #isFenced = false;
  #tokens: Token[] = [];

  /** Returns the tokens that are final now. `ended`: this is the last delta. */
  read(delta: string, ended: boolean): Token[] {
    this.#rest += delta;
    this.#at = 0;
    while (this.#step(ended));
    this.#rest = this.#rest.slice(this.#start);
    this.#start = 0;
    return this.#tokens.splice(0);
  }

  /** Advances to the next token; false if the rest has to wait for more input. */
  #step(ended: boolean): boolean {
    if (this.#isFenced) return this.#fence(ended);
    special.lastIndex = this.#at;
    const found = special.exec(this.#rest);
    if (!found) {
      // The space may belong to a mark.
      const isSpace = !ended && /[ \t]/.test(this.#rest.at(-1) ?? '');
      return this.#wait(this.#rest.length - (isSpace ? 1 : 0));
    }
    if (found[0] === '`') return this.#code(found.index, ended);
    if (found[0] !== '\n') return this.#bracket(found.index, found.index + found[0].length - 1, ended);
    this.#take('words', found.index);
    return this.#take('line', found.index + 1);
  }

  #fence(ended: boolean): boolean {
    const { length } = this.#rest;
    const close = this.#rest.indexOf('```', this.#start);
    this.#take('code', close >= 0 ? close + 3 : ended ? length : length - ticksAtEnd(this.#rest));
    this.#isFenced = close < 0;
    return close >= 0;
  }

  #code(index: number, ended: boolean): boolean {
    const rest = this.#rest;
    if (rest.startsWith('```', index)) {
      this.#take('words', index);
      this.#isFenced = true;
      return this.#take('code', index + 3);
    }
    if (!ended && index >= rest.length - ticksAtEnd(rest)) return this.#wait(index);
    endsCode.lastIndex = Math.max(index + 1, this.#searched);
    const end = endsCode.exec(rest);
    this.#searched = end || ended ? 0 : rest.length - index;
    if (!end && !ended) return this.#wait(index);
    if (end?.[0] !== '`') return this.#goOn(index + 1);
    this.#take('words', index);
    return this.#take('code', end.index + 1);
  }

  #bracket(index: number, open: number, ended: boolean): boolean {
    const window = this.#rest.slice(open, open + maxMarkLength);
    const close = window.search(endsMark);
    const isLast = open + window.length === this.#rest.length;
    // "(" after the closing bracket would make it a link.
    const isOpen =
      close < 0 ? window.length < maxMarkLength : isLast && close === window.length - 1 && window[close] === ']';
    if (isOpen && !ended) return this.#wait(index);
    markHere.lastIndex = index;
    const [text, numbers = '', quote] = (window[close] === ']' && markHere.exec(this.#rest)) || [];
    this.#take('words', text ? index : open);
    if (!text) return this.#goOn(open + 1);
    this.#tokens.push({ kind: 'mark', text, numbers, quote });
    this.#start = index + text.length;
    return this.#goOn(this.#start);
  }

  #take(kind: 'words' | 'line' | 'code', end: number): true {
    if (end > this.#start) this.#tokens.push({ kind, text: this.#rest.slice(this.#start, end) });
    this.#start = Math.max(this.#start, end);
    return this.#goOn(this.#start);
  }

  #goOn(at: number): true {
    this.#at = at;
    return true;
  }

  #wait(from: number): false {
    this.#take('words', from);
    return false;
  }
}

/** One or two backticks at the end, which a third may follow. */
const ticksAtEnd = (text: string): number => (text.endsWith('``') ? 2 : text.endsWith('`') ? 1 : 0);
