import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { codePageOf, decode } from './code-pages.ts';
import { characters, type Destination, destinations, known } from './destinations.ts';
import { type Token, tokensOf } from './tokens.ts';

const maxDepth = 2_000;

/** The properties of a paragraph at its end. `style` is the number of its style. */
export type Paragraph = { style: number; outline: number | null; isInTable: boolean };

/** What a document consists of, in order. */
export type Events = {
  text(text: string, destination: Destination): void;
  paragraph(properties: Paragraph): void;
  cell(): void;
  row(isHeader: boolean): void;
  style(number: number, name: string, outline: number | null): void;
  picture(): void;
  endOf(destination: Destination): void;
};

type State = {
  destination: Destination;
  /** How many fallback characters follow a Unicode one. */
  fallback: number;
  font: number;
  isHidden: boolean;
  /** Whether the text is that of the RTF only, in HTML in RTF. */
  isRtfOnly: boolean;
  paragraph: Paragraph;
};

const plain: Paragraph = { style: 0, outline: null, isInTable: false };

/** Reads the tokens of an RTF file, and tells `events` what it consists of. Returns whether the text is HTML in RTF. */
export function readTokens(bytes: Uint8Array, events: Events): { isHtml: boolean } {
  const fonts = new Map<number, number>();
  const stack: State[] = [];
  let state: State = {
    destination: 'body',
    fallback: 1,
    font: -1,
    isHidden: false,
    isRtfOnly: false,
    paragraph: plain,
  };
  let codePage = 1252;
  let isHtml = false;
  let isHeader = false;
  let style = { number: 0, name: '', outline: null as number | null };
  let raw = '';
  let toSkip = 0;
  let isFirst = false;
  let isOptional = false;

  const flush = () => {
    if (raw) say(decode(raw, fonts.get(state.font) ?? codePage));
    raw = '';
  };
  const say = (text: string) => {
    if (state.destination === 'styles') style.name += text;
    else if (state.destination !== 'skip' && state.destination !== 'fonts' && !state.isHidden && !state.isRtfOnly)
      events.text(text, state.destination);
  };
  const endGroup = () => {
    const ended = state;
    state = stack.pop() ?? state;
    if (ended.destination === 'styles') {
      if (style.name) events.style(style.number, style.name.replace(/;$/, '').trim(), style.outline);
      style = { number: 0, name: '', outline: null };
    }
    if (ended.destination !== state.destination) events.endOf(ended.destination);
  };
  /** A control word at the start of a group may set its destination. */
  const begin = (word: string) => {
    if (state.destination === 'skip') return;
    if (isOptional && !known.has(word)) state.destination = 'skip';
    else if (state.destination === 'info') state.destination = word === 'title' || word === 'subject' ? word : 'skip';
    else state.destination = destinations[word] ?? state.destination;
    if (word === 'pict') events.picture();
  };
  const readWord = (word: string, value: number | null) => {
    const isOn = value !== 0;
    if (word === 'u') {
      say(String.fromCharCode((value ?? 0) & 0xffff));
      toSkip = state.fallback;
    } else if (word === 'uc') state.fallback = Math.min(10, Math.max(0, value ?? 1));
    else if (word === 'ansicpg' && value) codePage = value;
    else if (word === 'mac') codePage = 10_000;
    else if (word === 'f') state.font = value ?? -1;
    else if (word === 'fcharset' && state.destination === 'fonts') setFont(value ?? 0);
    else if (word === 'v') state.isHidden = isOn;
    else if (word === 'plain') state.isHidden = false;
    else if (word === 'fromhtml') isHtml = isOn;
    else if (word === 'htmlrtf') state.isRtfOnly = isOn;
    else if (word === 's') setStyle(value ?? 0);
    else if (word === 'outlinelevel') setOutline(value);
    else if (characters[word]) say(characters[word]);
    else if (state.destination === 'body' || state.destination === 'note') readLayout(word);
    else if (word === 'par') say('\n');
  };
  const setFont = (charset: number) => {
    const page = codePageOf(charset);
    if (page) fonts.set(state.font, page);
  };
  const setStyle = (number: number) => {
    if (state.destination === 'styles') style.number = number;
    else state.paragraph = { ...state.paragraph, style: number };
  };
  const setOutline = (value: number | null) => {
    if (state.destination === 'styles') style.outline = value;
    else state.paragraph = { ...state.paragraph, outline: value };
  };
  const readLayout = (word: string) => {
    if (word === 'pard') state.paragraph = plain;
    else if (word === 'intbl') state.paragraph = { ...state.paragraph, isInTable: true };
    else if (word === 'trowd') isHeader = false;
    else if (word === 'trhdr') isHeader = true;
    else if (state.destination === 'note' && (word === 'par' || word === 'sect')) say(' ');
    else if (word === 'par' || word === 'sect' || word === 'page') events.paragraph(state.paragraph);
    else if (word === 'nestcell' || word === 'nestrow') say(' ');
    else if (word === 'cell') events.cell();
    else if (word === 'row') events.row(isHeader);
  };
  const readSymbol = (symbol: string) => {
    if (/^[\\{}]$/.test(symbol)) say(symbol);
    else if (symbol === '~') say(' ');
    else if (symbol === '_') say('-');
    else if (/^[\r\n]$/.test(symbol)) readWord('par', null);
  };
  const read = (token: Token) => {
    if (token.kind === 'text' || token.kind === 'byte') {
      const skipped = Math.min(toSkip, token.text.length);
      toSkip -= skipped;
      raw += token.text.slice(skipped);
      return;
    }
    flush();
    if (token.kind === 'open') {
      if (stack.length >= maxDepth) throw new ExtractFailure('The file is too deeply nested to be read');
      stack.push({ ...state });
    } else if (token.kind === 'close') endGroup();
    else if (token.kind === 'word') {
      if (isFirst) begin(token.word);
      if (token.word !== 'u') toSkip = 0;
      readWord(token.word, token.value);
    } else if ('text' in token && token.text !== '*') readSymbol(token.text);
  };

  for (const token of tokensOf(bytes)) {
    read(token);
    isOptional = isFirst && token.kind === 'symbol' && token.text === '*';
    isFirst = token.kind === 'open' || isOptional;
    if (token.kind === 'open' || token.kind === 'close') toSkip = 0;
  }
  flush();
  return { isHtml };
}
