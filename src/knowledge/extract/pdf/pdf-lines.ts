import { blockStarts, isRotated, type TextItem } from './pdf-blocks.ts';

type Piece = { text: string; left: number; right: number; size: number; isRtl: boolean; isLtr: boolean };

const rtl = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const ltr = /[\p{L}\p{Nd}]/u;
/** A gap of this share of the font size is a space. */
const space = 0.12;
/** A gap of this many font sizes may be one between columns. */
const gutter = 1.2;
/** How many lines have two columns at least, and how much text each. */
const minLines = 5;
/** How many lines of two columns are looked at together, since each may begin a block: no page of prose has more. */
const maxLines = 300;
const minLength = 15;

/** The lines of a page in the order in which they are read, with an empty one before each heading and paragraph. */
export function linesOfItems(items: TextItem[]): string[] {
  const drawn: TextItem[][] = [[]];
  for (const item of items) {
    drawn.at(-1)?.push(item);
    if (item.hasEOL) drawn.push([]);
  }
  return inColumns(drawn.filter((line) => line.length > 0));
}

const asDrawn = (line: TextItem[]): string => line.map(({ str }) => str).join('');

/** A line of one direction reads as it is drawn; words of a script from right to left, in their order on the line. */
function lineText(line: TextItem[]): string {
  if (!line.some(({ str }) => rtl.test(str)) || line.some(isRotated)) return asDrawn(line);
  const pieces = line.flatMap(pieceOf).sort((a, b) => a.left - b.left);
  const letters = pieces.map(({ text }) => text).join('');
  const base = count(letters, rtl) * 2 >= count(letters, ltr);
  // Neutral pieces, such as a full stop, belong to the line; between two of the other direction, to them.
  const isOther = pieces.map((piece) => (base ? piece.isLtr : piece.isRtl));
  for (const [index] of pieces.entries()) {
    const isNeutral = !pieces[index]?.isLtr && !pieces[index]?.isRtl;
    if (isNeutral && isOther[index - 1] && isOther[index + 1]) isOther[index] = true;
  }
  const visual = base ? pieces.toReversed() : pieces;
  const others = base ? isOther.toReversed() : isOther;
  const ordered: Piece[] = [];
  for (let index = 0; index < visual.length; index++) {
    let end = index;
    while (others[index] && others[end + 1]) end++;
    ordered.push(...visual.slice(index, end + 1).toReversed());
    index = end;
  }
  return ordered.reduce((text, piece, index) => {
    const before = ordered[index - 1];
    return text + (before && isApart(before, piece) ? ' ' : '') + piece.text;
  }, '');
}

function pieceOf({ str, transform, width, height }: TextItem): Piece[] {
  const text = str.trim();
  if (!text) return [];
  const left = transform[4] ?? 0;
  const isRtl = rtl.test(text);
  const size = Math.abs(transform[3] ?? 0) || height;
  return [{ text, left, right: left + width, size, isRtl, isLtr: !isRtl && ltr.test(text) }];
}

const isApart = (a: Piece, b: Piece): boolean =>
  Math.max(a.left - b.right, b.left - a.right) > Math.max(a.size, b.size) * space;

const count = (text: string, of: RegExp): number => text.match(new RegExp(of.source, 'gu'))?.length ?? 0;

type Halves = { left: string; right: string; end: number; start: number };

/**
 * Where two columns of prose are drawn line by line across both, the left one is read before the right one. Rows of a
 * table are not: their cells do not go on in the next line.
 */
function inColumns(drawn: TextItem[][]): string[] {
  const lines: string[] = [];
  const halves = drawn.map(halvesOf);
  const starts = blockStarts(drawn);
  for (let index = 0; index < drawn.length; index++) {
    if (starts.has(index)) lines.push('');
    let to = index;
    let [end, start] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let next = halves[to]; next && to < index + maxLines; next = halves[to]) {
      if (Math.max(end, next.end) >= Math.min(start, next.start)) break;
      [end, start] = [Math.max(end, next.end), Math.min(start, next.start)];
      to++;
    }
    const block = halves.slice(index, to).flatMap((half) => half ?? []);
    if (isProse(block)) {
      lines.push(...block.map(({ left }) => left), ...block.map(({ right }) => right));
      index = to - 1;
    } else lines.push(...lineText(drawn[index] ?? []).split('\n'));
  }
  return lines;
}

/** The two parts of a line with one wide gap, if it is drawn from left to right. */
function halvesOf(line: TextItem[]): Halves | null {
  if (line.some(isRotated) || line.some(({ str }) => rtl.test(str))) return null;
  const filled = line.filter(({ str }) => str.trim());
  const cuts = filled.flatMap((item, index) => {
    const before = filled[index - 1];
    const gap = before ? (item.transform[4] ?? 0) - (before.transform[4] ?? 0) - before.width : 0;
    return gap > gutter * (Math.abs(item.transform[3] ?? 0) || item.height) ? [index] : [];
  });
  const [cut] = cuts;
  const [first, last] = [filled[(cut ?? 0) - 1], filled[cut ?? 0]];
  if (cut === undefined || cuts.length > 1 || !first || !last) return null;
  const at = line.indexOf(last);
  return {
    left: asDrawn(line.slice(0, at)).trim(),
    right: asDrawn(line.slice(at)).trim(),
    end: (first.transform[4] ?? 0) + first.width,
    start: last.transform[4] ?? 0,
  };
}

/** Whether both columns are long lines that go on in the next one. */
function isProse(block: Halves[]): boolean {
  if (block.length < minLines) return false;
  const isLong = ({ left, right }: Halves) => left.length >= minLength && right.length >= minLength;
  const goesOn = (text: string) => /^\p{Ll}/u.test(text);
  const share = (holds: (half: Halves) => boolean) => block.filter(holds).length / block.length;
  return share(isLong) >= 0.7 && share(({ left }) => goesOn(left)) >= 0.3 && share(({ right }) => goesOn(right)) >= 0.3;
}
