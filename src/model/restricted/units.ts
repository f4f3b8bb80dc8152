import { mark } from '../reply/marks.ts';
import { isUnfinished } from '../reply/text.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Stands for a mark while sentences are looked for: what that quotes may hold full stops. */
const held = '\uE000';
const toHold = new RegExp(`${mark.source}|${held}`, 'g');
const heldFirst = new RegExp(`^(?:\\s*${held})+`);
const longest = 1_000;

/**
 * The sentences of a text that is still being written, from its beginning and whole, each with its marks and the white space
 * behind it; a block of code is one. What follows cannot change them; `ended`: nothing follows, `inLine`: its line has begun before.
 */
export function unitsOf(text: string, ended: boolean, inLine = false): string[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const units: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (opensFence(line) && !(inLine && at === 0)) {
      let end = at + 1;
      while (end < lines.length && !closesFence(lines[end] ?? '', ended)) end++;
      if (end === lines.length && !ended) break;
      units.push(lines.slice(at, end + 1).join(''));
      at = end;
    } else units.push(...sentencesIn(line, ended || line.endsWith('\n')));
  }
  return units;
}

export const opensFence = (text: string): boolean => /^\s{0,100}```/.test(text);
/** A line that has not ended may still become another. */
export const closesFence = (line: string, ended: boolean): boolean =>
  /^\s{0,100}```\s*$/.test(line) && (ended || line.endsWith('\n'));

/** `shape`: the text with its marks held. */
type Sentence = { shape: string; marks: string[]; length: number };
type Piece = { text: string; shape: string };

function sentencesIn(line: string, ended: boolean): string[] {
  const marks: string[] = [];
  const plain = line.replace(toHold, (found) => (marks.push(found), held));
  const sentences: Sentence[] = [];
  const add = (shape: string, belongs: boolean) => {
    const own = marks.splice(0, shape.split(held).length - 1);
    append(sentences, { shape, marks: own, length: shape.length + own.join('').length - own.length }, belongs);
  };
  for (const { segment } of segmenter.segment(plain)) {
    // A mark behind a full stop is the one of the sentence before it.
    const own = sentences.length > 0 ? (heldFirst.exec(segment)?.[0] ?? '') : '';
    if (own) add(own, true);
    const rest = segment.slice(own.length);
    if (rest) add(rest, !rest.trim() || isOpen(sentences.at(-1)?.shape ?? ''));
  }
  const pieces = sentences.flatMap(cut);
  return (ended ? pieces : pieces.slice(0, certainOf(pieces))).map(({ text }) => text);
}

/** How many of them nothing can change that follows: a full stop ends no sentence when the next letter is a small one. */
function certainOf(pieces: Piece[]): number {
  let after = '';
  let certain = pieces.length;
  while (certain > 0 && after.length < longest && !/[\p{L}.!?…。！？]/u.test(after)) after += pieces[--certain]?.shape;
  return certain;
}

/** What never ends is judged piece by piece, or each word of it would cost more than the one before. */
function append(sentences: Sentence[], more: Sentence, belongs: boolean): void {
  const last = sentences.at(-1);
  if (!last || !belongs || last.length + more.length > longest) sentences.push(more);
  else {
    last.shape += more.shape;
    last.marks.push(...more.marks);
    last.length += more.length;
  }
}

function cut({ shape, marks }: Sentence): Piece[] {
  const pieces: Piece[] = [];
  let next = 0;
  let piece: Piece = { text: '', shape: '' };
  for (const character of shape) {
    const whole = character === held ? (marks[next++] ?? '') : character;
    if (piece.text.length + whole.length > longest) {
      pieces.push(piece);
      piece = { text: '', shape: '' };
    }
    piece.text += whole;
    piece.shape += character;
  }
  return [...pieces, piece];
}

/** "1.", "-", "See art.": what follows belongs to it. */
const isOpen = (shape: string): boolean => !/[\p{L}\p{N}]{2}/u.test(shape) || isUnfinished(shape.trimEnd());
