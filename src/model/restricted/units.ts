import { mark } from '../reply/marks.ts';
import { isUnfinished } from '../reply/text.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Placeholder for a mark during sentence splitting, since the mark's quote may contain full stops. */
const placeholder = '\uE000';
const markOrPlaceholder = new RegExp(`${mark.source}|${placeholder}`, 'g');
const leadingMarks = new RegExp(`^(?:\\s*${placeholder})+`);
const maxLength = 1_000;

/**
 * Splits streamed text into complete sentences, each with its marks and trailing white space; a code block counts as
 * one. Only sentences that further text cannot change are returned. `ended`: no text follows; `inLine`: the text starts
 * mid-line.
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
/** A line without a line break may still grow. */
export const closesFence = (line: string, ended: boolean): boolean =>
  /^\s{0,100}```\s*$/.test(line) && (ended || line.endsWith('\n'));

/** `shape`: the text with placeholders for its marks. */
type Sentence = { shape: string; marks: string[]; length: number };
type Piece = { text: string; shape: string };

function sentencesIn(line: string, ended: boolean): string[] {
  const marks: string[] = [];
  const plain = line.replace(markOrPlaceholder, (found) => (marks.push(found), placeholder));
  const sentences: Sentence[] = [];
  const add = (shape: string, belongs: boolean) => {
    const own = marks.splice(0, shape.split(placeholder).length - 1);
    append(sentences, { shape, marks: own, length: shape.length + own.join('').length - own.length }, belongs);
  };
  for (const { segment } of segmenter.segment(plain)) {
    // A mark after a full stop belongs to the sentence before it.
    const own = sentences.length > 0 ? (leadingMarks.exec(segment)?.[0] ?? '') : '';
    if (own) add(own, true);
    const rest = segment.slice(own.length);
    if (rest) add(rest, !rest.trim() || isOpen(sentences.at(-1)?.shape ?? ''));
  }
  const pieces = sentences.flatMap(cut);
  return (ended ? pieces : pieces.slice(0, countFinal(pieces))).map(({ text }) => text);
}

/** How many pieces are final: a full stop does not end a sentence if the next letter is lower case. */
function countFinal(pieces: Piece[]): number {
  let after = '';
  let count = pieces.length;
  while (count > 0 && after.length < maxLength && !/[\p{L}.!?…。！？]/u.test(after)) after += pieces[--count]?.shape;
  return count;
}

/** A sentence that does not end is cut and judged in pieces: otherwise the cost would be quadratic. */
function append(sentences: Sentence[], more: Sentence, belongs: boolean): void {
  const last = sentences.at(-1);
  if (!last || !belongs || last.length + more.length > maxLength) sentences.push(more);
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
    const whole = character === placeholder ? (marks[next++] ?? '') : character;
    if (piece.text.length + whole.length > maxLength) {
      pieces.push(piece);
      piece = { text: '', shape: '' };
    }
    piece.text += whole;
    piece.shape += character;
  }
  return [...pieces, piece];
}

/** "1.", "-", "See art.": what follows still belongs to it. */
const isOpen = (shape: string): boolean => !/[\p{L}\p{N}]{2}/u.test(shape) || isUnfinished(shape.trimEnd());
