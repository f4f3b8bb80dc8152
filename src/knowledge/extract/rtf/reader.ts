import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { scriptDigits } from '../script-digits.ts';
import { latin } from '../xml-encoding.ts';
import { codePageOf, decode } from './code-pages.ts';
import { characters, type Destination, destinations, known } from './destinations.ts';

const maxDepth = 2_000;

/** The properties of a paragraph at its end. `style` is the number of its style. */
export type Paragraph = { style: number; outline: number | null; isInTable: boolean };

/** What a document consists of, in order. */
type Events = {
  text(text: string, destination: Destination): void;
  paragraph(properties: Paragraph): void;
  cell(): void;
  row(isHeader: boolean): void;
  style(number: number, name: string, outline: number | null): void;
  picture(): void;
  /** A passage of hidden text begins. */
  hidden(): void;
  endOf(destination: Destination): void;
};

type State = {
  destination: Destination;
  /** How many fallback characters follow a Unicode one. */
  fallback: number;
  font: number;
  isHidden: boolean;
  /** A change that is tracked has removed it. */
  isDeleted: boolean;
  isStruck: boolean;
  raised: 'sup' | 'sub' | null;
  /** Whether the text is that of the RTF only, in HTML in RTF. */
  isRtfOnly: boolean;
  paragraph: Paragraph;
};

const raises: Record<string, State['raised']> = { super: 'sup', sub: 'sub', nosupersub: null };
/** A note does not inherit these from the sign that refers to it, which is raised. */
const ownLook = { isDeleted: false, isStruck: false, raised: null };
const plain: Paragraph = { style: 0, outline: null, isInTable: false };

/** Reads the tokens of an RTF file, and tells `events` what it consists of. Returns whether the text is HTML in RTF. */
export function readTokens(bytes: Uint8Array, events: Events): { isHtml: boolean } {
  const reader = new Reader(events);
  for (const token of tokensOf(bytes)) reader.read(token);
  return reader.end();
}

class Reader {
  readonly #events: Events;
  readonly #fonts = new Map<number, number>();
  readonly #stack: State[] = [];
  #state: State = {
    destination: 'body',
    fallback: 1,
    font: -1,
    isHidden: false,
    ...ownLook,
    isRtfOnly: false,
    paragraph: plain,
  };
  #codePage = 1252;
  #isHtml = false;
  #wasHidden = false;
  #isHeader = false;
  #style = { number: 0, name: '', outline: null as number | null };
  /** Bytes that are not decoded yet. */
  #raw = '';
  /** How many characters to skip, as the fallback of a Unicode one. */
  #toSkip = 0;
  /** Whether the next token is the first of a group, and whether readers that do not know it must skip the group. */
  #isFirst = false;
  #isOptional = false;

  constructor(events: Events) {
    this.#events = events;
  }

  read(token: Token): void {
    if (token.kind === 'text' || token.kind === 'byte') this.#readText(token.text);
    else this.#readControl(token);
    this.#isOptional = this.#isFirst && token.kind === 'symbol' && token.text === '*';
    this.#isFirst = token.kind === 'open' || this.#isOptional;
    if (token.kind === 'open' || token.kind === 'close') this.#toSkip = 0;
  }

  end(): { isHtml: boolean } {
    this.#flush();
    return { isHtml: this.#isHtml };
  }

  #readText(text: string): void {
    const skipped = Math.min(this.#toSkip, text.length);
    this.#toSkip -= skipped;
    this.#raw += text.slice(skipped);
  }

  #readControl(token: Token): void {
    this.#flush();
    if (token.kind === 'open') {
      if (this.#stack.length >= maxDepth) throw new ExtractFailure('The file is too deeply nested to be read');
      this.#stack.push({ ...this.#state });
    } else if (token.kind === 'close') this.#endGroup();
    else if (token.kind === 'word') {
      if (this.#isFirst) this.#setDestination(token.word);
      if (token.word !== 'u') this.#toSkip = 0;
      this.#readWord(token.word, token.value);
    } else if ('text' in token && token.text !== '*') this.#readSymbol(token.text);
  }

  #flush(): void {
    if (this.#raw) this.#say(decode(this.#raw, this.#fonts.get(this.#state.font) ?? this.#codePage));
    this.#raw = '';
  }

  #say(text: string): void {
    const { destination, isHidden, isDeleted, isStruck, isRtfOnly, raised: raisedAs } = this.#state;
    if (destination === 'styles') this.#style.name += text;
    else if (destination !== 'skip' && destination !== 'fonts' && !isRtfOnly) {
      const isRead = destination === 'body' || destination === 'note';
      if (isRead && (isDeleted || isStruck)) return;
      if (!isHidden) this.#events.text((raisedAs && scriptDigits(text, raisedAs)) ?? text, destination);
      else if (isRead && !this.#wasHidden && text.trim()) this.#events.hidden();
      if (isRead && text.trim()) this.#wasHidden = isHidden;
    }
  }

  #endGroup(): void {
    const ended = this.#state;
    this.#state = this.#stack.pop() ?? ended;
    if (ended.destination === 'styles') {
      const { number, name, outline } = this.#style;
      if (name) this.#events.style(number, name.replace(/;$/, '').trim(), outline);
      this.#style = { number: 0, name: '', outline: null };
    }
    if (ended.destination !== this.#state.destination) this.#events.endOf(ended.destination);
  }

  /** A control word at the start of a group may set its destination. */
  #setDestination(word: string): void {
    const state = this.#state;
    if (state.destination === 'skip') return;
    if (this.#isOptional && !known.has(word)) state.destination = 'skip';
    else if (state.destination === 'info') state.destination = word === 'title' || word === 'subject' ? word : 'skip';
    else state.destination = destinations[word] ?? state.destination;
    if (word === 'footnote') Object.assign(state, ownLook);
    if (word === 'pict') this.#events.picture();
  }

  #readWord(word: string, value: number | null): void {
    const state = this.#state;
    const isOn = value !== 0;
    if (word === 'u') {
      this.#say(String.fromCharCode((value ?? 0) & 0xffff));
      this.#toSkip = state.fallback;
    } else if (word === 'uc') state.fallback = Math.min(10, Math.max(0, value ?? 1));
    else if (word === 'ansicpg' && value) this.#codePage = value;
    else if (word === 'mac') this.#codePage = 10_000;
    else if (word === 'f') state.font = value ?? -1;
    else if (word === 'fcharset' && state.destination === 'fonts') this.#setCodePage(value ?? 0);
    else if (word === 'v') state.isHidden = isOn;
    else if (word === 'deleted') state.isDeleted = isOn;
    else if (word === 'strike' || word === 'striked') state.isStruck = isOn;
    else if (raises[word] !== undefined) state.raised = isOn ? raises[word] : null;
    else if (word === 'plain') Object.assign(state, { isHidden: false, ...ownLook });
    else if (word === 'fromhtml') this.#isHtml = isOn;
    else if (word === 'htmlrtf') state.isRtfOnly = isOn;
    else if (word === 's') this.#setStyle(value ?? 0);
    else if (word === 'outlinelevel') this.#setOutline(value);
    else if (characters[word]) this.#say(characters[word]);
    else if (state.destination === 'body' || state.destination === 'note') this.#readLayout(word);
    else if (word === 'par') this.#say('\n');
  }

  /** Sets the code page of the current font, from its character set. */
  #setCodePage(charset: number): void {
    const page = codePageOf(charset);
    if (page) this.#fonts.set(this.#state.font, page);
  }

  #setStyle(number: number): void {
    if (this.#state.destination === 'styles') this.#style.number = number;
    else this.#setParagraph({ style: number });
  }

  #setOutline(outline: number | null): void {
    if (this.#state.destination === 'styles') this.#style.outline = outline;
    else this.#setParagraph({ outline });
  }

  #setParagraph(properties: Partial<Paragraph>): void {
    this.#state.paragraph = { ...this.#state.paragraph, ...properties };
  }

  #readLayout(word: string): void {
    const { destination, paragraph } = this.#state;
    if (word === 'pard') this.#setParagraph(plain);
    else if (word === 'intbl') this.#setParagraph({ isInTable: true });
    else if (word === 'trowd') this.#isHeader = false;
    else if (word === 'trhdr') this.#isHeader = true;
    else if (destination === 'note' && (word === 'par' || word === 'sect')) this.#say(' ');
    else if (word === 'par' || word === 'sect' || word === 'page') this.#events.paragraph(paragraph);
    else if (word === 'nestcell' || word === 'nestrow') this.#say(' ');
    else if (word === 'cell') this.#events.cell();
    else if (word === 'row') this.#events.row(this.#isHeader);
  }

  #readSymbol(symbol: string): void {
    if (/^[\\{}]$/.test(symbol)) this.#say(symbol);
    else if (symbol === '~') this.#say(' ');
    else if (symbol === '_') this.#say('-');
    else if (/^[\r\n]$/.test(symbol)) this.#readWord('par', null);
  }
}

/**
 * A token of RTF. `text` and `byte` are bytes in the current code page, as Latin-1; a symbol is a control of one
 * character.
 */
type Token =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; word: string; value: number | null }
  | { kind: 'symbol'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'byte'; text: string };

const pattern = /([{}])|\\'([0-9a-f]{2})|\\([a-z]{1,40})(-?\d{1,10})? ?|\\([^a-z])|[\r\n]+|[^\\{}\r\n]+|\\/giy;

/** Splits RTF into tokens. Binary data is skipped. */
function* tokensOf(bytes: Uint8Array): Generator<Token> {
  const rtf = latin(bytes, bytes.length);
  const scanner = new RegExp(pattern);
  for (let found = scanner.exec(rtf); found; found = scanner.exec(rtf)) {
    const [all, brace, hex, word, number, symbol] = found;
    if (brace) yield { kind: brace === '{' ? 'open' : 'close' };
    else if (hex) yield { kind: 'byte', text: String.fromCharCode(Number.parseInt(hex, 16)) };
    else if (word === 'bin') scanner.lastIndex += Math.max(0, Number(number ?? 0));
    else if (word) yield { kind: 'word', word, value: number === undefined ? null : Number(number) };
    else if (symbol !== undefined) yield { kind: 'symbol', text: symbol };
    else if (!/^[\r\n\\]/.test(all)) yield { kind: 'text', text: all };
  }
}
