import { LRUCache } from 'lru-cache';
import { estimateTokenCount, sliceByTokens } from 'tokenx';
import { fold } from '../../text/fold.ts';
import { wholeCharacters } from '../../text/shorten.ts';
import { isUnspaced, piecesOf } from '../../text/unspaced.ts';

/** Collapses white space, and trims. */
export const collapseSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * Estimates the number of tokens in a text from its words and scripts. Calibrated on OpenAI's tokenizer: within a few
 * per cent for Latin, Cyrillic and East Asian scripts. Other models' counts differ slightly.
 */
export function estimateTokens(text: string): number {
  if (text === '') return 0;
  const known = estimates.get(text);
  if (known !== undefined) return known;
  const count = estimateTokenCount(text);
  estimates.set(text, count);
  return count;
}

/** Turns estimate the same texts again: instructions for each, messages for each of their conversation. */
const estimates = new LRUCache<string, number>({ maxSize: 4_000_000, sizeCalculation: (_, text) => 100 + text.length });

/** The beginning of a text, of about `tokens` tokens. */
export const firstTokens = (text: string, tokens: number): string => {
  if (tokens === Number.POSITIVE_INFINITY) return text;
  // Text beyond this cannot fit, and would take time to count.
  const shown = text.slice(0, Math.max(0, tokens) * 12);
  const length = estimateTokenCount(shown) <= tokens ? shown.length : sliceByTokens(shown, 0, tokens).length;
  return wholeCharacters(text, length);
};

/** The end of a text, of about `tokens` tokens. */
export const lastTokens = (text: string, tokens: number): string => {
  const shown = text.slice(-Math.max(1, tokens) * 12);
  const last = estimateTokenCount(shown) <= tokens ? shown : sliceByTokens(shown, -tokens);
  return last.replace(/^[\udc00-\udfff]/, '');
};

/** Escapes tags, so that material cannot close its own fence and continue as if it were the prompt. */
export const fenceOff = (text: string, tag: 'passage' | 'summary' | 'notes' | 'conversation' | 'file'): string =>
  text.replace(new RegExp(`<(?=/?${tag}\\b)`, 'gi'), '‹');

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Splits a text into sentences; a heading or a list item counts as one without a full stop. */
export function sentencesOf(text: string): string[] {
  return unwrap(text)
    .flatMap((line) => joinSplit([...segmenter.segment(line)].map(({ segment }) => segment.trim())))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/**
 * Undoes the line wrapping of PDFs and editors: joins a line to the next if it is long or the next starts in lower
 * case.
 */
function unwrap(text: string): string[] {
  const lines: string[] = [];
  let open = false;
  for (const line of text.split('\n').map((piece) => piece.trim())) {
    const item = /^([-*•#>|]|\d+[.)])\s/.test(line);
    if (open && !item && (/^\p{Ll}/u.test(line) || (lines.at(-1)?.length ?? 0) >= 60))
      lines.push(`${lines.pop()} ${line}`);
    else if (line) lines.push(line);
    open = line !== '' && !/[.!?:;|]["”»)\]]?$/.test(line);
  }
  return lines;
}

/** Abbreviations with full stops (U.S., e.g.) count; hours (9 a.m.) do not, as they end as many sentences as not. */
const unfinished =
  /(?:^|[\s(])(?:arts?|no|n[rº]|n[uú]ms?|pp?|pág|fig|sec|srt?as?|srs?|dra?s?|mrs?|ms|profa?|exm[oa]s?|ilm[oa]s?|ste?|sto|jr|inc|ltd|ltda|vs|approx|aprox|depto|vol|cap|av|tel|ee|uu|(?![ap]\.m\.)(?:\p{L}\.)*\p{L}|\d+)\.$/iu;

/** Abbreviations are shorter than this. */
const maxEndLength = 40;

/** Whether a piece of a sentence ends with an abbreviation or an ordinal, whose full stop does not end the sentence. */
export const isUnfinished = (piece: string): boolean =>
  unfinished.test(piece.length > maxEndLength ? `…${piece.slice(-maxEndLength)}` : piece);

/** The segmenter ends a sentence after "Dr." or "1."; joins such a piece to the next. */
function joinSplit(pieces: string[]): string[] {
  const joined: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    const before = pieces[index - 1];
    if (before !== undefined && isUnfinished(before)) joined.push(`${joined.pop()} ${piece}`);
    else joined.push(piece);
  }
  return joined;
}

const stopWords = new Set(
  `a about after all also am an and any are as at be because been before but by can could did do does for from get give
  had has have he hello her hi him his how i if in into is it its just know let like may me more my need no not of on or
  our out please say she should so some tell than thank thanks that the their them then there these they this to up us
  want was we were what when where which who whom why will with would you your much many long
  ao aos as ate boa bom com como da das de dela dele depois do dos e ela ele eles em entre era essa esse esta este eu
  foi gostaria ha isso isto ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o
  obrigado obrigada oi ola onde os ou para pela pelo por porque posso pode podem pra quais qual quando quanto quanta
  quantos quantas que quem quero se sem ser seu seus sim sao sobre sua tem tenho ter um uma voce voces
  al con cual cuales cuando cuanto cuanta cuantos cuantas del donde el ella ellos en eres es esa ese eso esta este esto
  gracias hay hola las le les lo los mi muy nosotros para pero por puedo puede quiero quien se si sin sobre son soy su
  sus te tengo tiene tu un una unos usted y ya yo`.split(/\s+/),
);

/** A crude stemmer: enough to match "returned" with "returns", and "entregar" with "entregas". */
function stem(word: string): string {
  if (/\d/.test(word)) return word;
  const singular = word.length > 4 ? word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '') : word;
  return singular.slice(0, 6);
}

/**
 * Returns the set of terms in a text that carry its meaning, folded and stemmed. Stop words in capitals, in mixed-case
 * text, are names such as IT, and are kept as they are.
 */
export function termsOf(text: string): Set<string> {
  const words = (fold(text).match(/[\p{L}\p{N}]+/gu) ?? []).flatMap(piecesOf);
  const meaning = words.filter(
    (word) => !stopWords.has(word) && (word.length > 1 || /\d/.test(word) || isUnspaced(word)),
  );
  const capitals = /\p{Ll}/u.test(text) ? (text.match(/(?<![\p{L}\p{N}])[A-Z]{2,}(?![\p{L}\p{N}])/gu) ?? []) : [];
  return new Set([...meaning.map(stem), ...capitals.filter((word) => stopWords.has(word.toLowerCase()))]);
}

/** Whether a quote occurs in a text, ignoring differences in white space. */
export const occursIn = (quote: string, text: string): boolean => {
  const needle = collapseSpaces(quote);
  return needle !== '' && collapseSpaces(text).includes(needle);
};
