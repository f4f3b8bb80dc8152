import { mark } from '../references.ts';
import { isUnfinished } from '../text.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** A mark while sentences are looked for: what it quotes may hold full stops. */
const held = /\uE000(\d+)\uE001/g;
const longest = 1_000;
const heldFirst = /^(?:\s*\uE000\d+\uE001)+/;

/**
 * The sentences of a text that is still being written, from its beginning and whole, each with its marks and the white space
 * behind it; a block of code is one. What follows cannot change them; `ended`: nothing follows.
 */
export function unitsOf(text: string, ended: boolean): string[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const units: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (/^\s*```/.test(line)) {
      const end = lines.findIndex((other, index) => index > at && /^\s*```\s*$/.test(other));
      if (end < 0 && !ended) break;
      units.push(lines.slice(at, end < 0 ? undefined : end + 1).join(''));
      at = end < 0 ? lines.length : end;
    } else if (ended || line.endsWith('\n')) units.push(...sentencesIn(line));
    else units.push(...sentencesIn(line).slice(0, -1));
  }
  return units;
}

function sentencesIn(line: string): string[] {
  const marks: string[] = [];
  const plain = line.replace(mark, (found) => `\uE000${marks.push(found) - 1}\uE001`);
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(plain)) {
    const last = sentences.at(-1);
    // A mark behind a full stop is the one of the sentence before it.
    const own = last === undefined ? '' : (heldFirst.exec(segment)?.[0] ?? '');
    if (last !== undefined && own) sentences[sentences.length - 1] = last + own;
    const rest = segment.slice(own.length);
    if (last !== undefined && (isOpen(last + own) || !rest.trim())) sentences[sentences.length - 1] += rest;
    else sentences.push(rest);
  }
  return sentences.flatMap((sentence) => cut(sentence.replace(held, (_, index: string) => marks[Number(index)] ?? '')));
}

/** What never ends is judged piece by piece, or each word of it would cost more than the one before. */
const cut = (sentence: string): string[] =>
  sentence.length <= longest ? [sentence] : [sentence.slice(0, longest), ...cut(sentence.slice(longest))];

/** "1.", "-", "See art.": what follows belongs to it. */
const isOpen = (piece: string): boolean => !/[\p{L}\p{N}]{2}/u.test(piece) || isUnfinished(piece.trimEnd());
