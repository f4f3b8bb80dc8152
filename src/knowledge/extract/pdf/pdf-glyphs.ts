import { getResolvedPDFJS } from 'unpdf';
import type { TextItem } from './pdf-blocks.ts';
import type { Marked } from './pdf-spellings.ts';

type Glyph = { unicode: string; width: number; isSpace: boolean };
/** A sign, how far the next one moves, or nothing. */
type Shown = Glyph | number | null;
type Operators = { fnArray: number[]; argsArray: unknown[][] };
type Matrix = [number, number, number, number, number, number];
type State = {
  matrix: Matrix;
  size: number;
  leading: number;
  letters: number;
  words: number;
  stretch: number;
  rise: number;
};

const identity: Matrix = [1, 0, 0, 1, 0, 0];
/** A gap of this share of the font size is a space; one backwards, or up or down, of another one is a new line. */
const space = 0.25;
const newLine = { back: 1, across: 0.5 };

/**
 * The text of a page as its operators draw it, with the spellings of its marked pieces. Unlike the text content of
 * pdf.js, which takes a sign that contains a mark (`त्त`) to be without width, it has the right place of each. Null if
 * the marks are others than those given, as where a form within the page has some of its own; null for `marked`: none
 * has a spelling.
 */
export async function spelledText(
  { fnArray, argsArray }: Operators,
  marked: Marked[] | null,
): Promise<TextItem[] | null> {
  const { OPS } = await getResolvedPDFJS();
  const begins = fnArray.flatMap((operator, at) =>
    operator === OPS.beginMarkedContentProps ? [argsArray[at]?.[0]] : [],
  );
  const isOther = (tag: unknown, index: number) => tag !== marked?.[index]?.tag;
  if (marked && (begins.length !== marked.length || begins.some(isOther))) return null;
  const pieces = new Pieces();
  const pen = new Pen();
  let next = 0;
  for (const [at, operator] of fnArray.entries()) {
    const args = argsArray[at] ?? [];
    if (operator === OPS.showText) pen.show(args[0] as Shown[], (piece) => pieces.add(piece));
    else if (operator === OPS.beginMarkedContent) pieces.begin(null);
    else if (operator === OPS.beginMarkedContentProps) pieces.begin(marked?.[next++]?.spelling ?? null);
    else if (operator === OPS.endMarkedContent) pieces.end();
    else pen.set(OPS, operator, args);
  }
  return pieces.items();
}

/** Where and how the next sign is drawn. */
class Pen {
  readonly #saved: State[] = [];
  #state: State = { matrix: identity, size: 1, leading: 0, letters: 0, words: 0, stretch: 1, rise: 0 };
  #text: Matrix = identity;
  #at: Point = [0, 0];
  #line: Point = [0, 0];

  set(OPS: { [name: string]: number }, operator: number | undefined, args: unknown[]): void {
    const [first = 0, second = 0] = args as number[];
    const state = this.#state;
    if (operator === OPS.save) this.#saved.push({ ...state });
    else if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) this.#state = this.#saved.pop() ?? state;
    else if (operator === OPS.transform) state.matrix = multiply(state.matrix, args as Matrix);
    else if (operator === OPS.paintFormXObjectBegin) {
      this.#saved.push({ ...state });
      if (args[0]) state.matrix = multiply(state.matrix, args[0] as Matrix);
    } else if (operator === OPS.beginText) this.#begin(identity);
    else if (operator === OPS.setTextMatrix) this.#begin((args.length === 6 ? args : args[0]) as Matrix);
    else if (operator === OPS.moveText) this.#move(first, second);
    else if (operator === OPS.setLeadingMoveText) {
      state.leading = second;
      this.#move(first, second);
    } else if (operator === OPS.nextLine) this.#move(0, state.leading);
    else if (operator === OPS.setLeading) state.leading = -first;
    else if (operator === OPS.setFont) state.size = second;
    else if (operator === OPS.setCharSpacing) state.letters = first;
    else if (operator === OPS.setWordSpacing) state.words = first;
    else if (operator === OPS.setHScale) state.stretch = first / 100;
    else if (operator === OPS.setTextRise) state.rise = first;
  }

  /** Draws signs; a number moves the next one by thousandths of the font size. */
  show(shown: Shown[], add: (piece: Piece) => void): void {
    const { matrix, size, stretch, rise, letters, words } = this.#state;
    const base = multiply(matrix, this.#text);
    const [a, b, c, d] = base;
    const [start, y] = this.#at;
    let x = start;
    for (const glyph of shown) {
      if (typeof glyph === 'number') x -= (glyph * size * stretch) / 1_000;
      if (!glyph || typeof glyph === 'number') continue;
      const width = (glyph.width * size * stretch) / 1_000;
      const [from, to] = [apply(base, x, y + rise), apply(base, x + width, y + rise)];
      add({ str: glyph.unicode, from, to, transform: [a * size, b * size, c * size, d * size, ...from] });
      x += width + (letters + (glyph.isSpace ? words : 0)) * stretch;
    }
    this.#at = [x, y];
  }

  #begin(text: Matrix): void {
    this.#text = [...text];
    this.#at = [0, 0];
    this.#line = [0, 0];
  }

  #move(x: number, y: number): void {
    this.#line = [this.#line[0] + x, this.#line[1] + y];
    this.#at = this.#line;
  }
}

type Point = [number, number];
type Piece = { str: string; from: Point; to: Point; transform: number[] };

/** Pieces of text in the order in which they are drawn, of which those within a mark that spells them are one. */
class Pieces {
  readonly #pieces: Piece[] = [];
  /** The level of marks; and the one that spells what stands within it. */
  #level = 0;
  #spelled: { level: number; spelling: string; pieces: Piece[] } | null = null;

  add(piece: Piece): void {
    (this.#spelled?.pieces ?? this.#pieces).push(piece);
  }

  begin(spelling: string | null): void {
    this.#level++;
    if (spelling !== null && !this.#spelled) this.#spelled = { level: this.#level, spelling, pieces: [] };
  }

  end(): void {
    if (this.#spelled && this.#spelled.level === this.#level) {
      const { pieces, spelling } = this.#spelled;
      const [first, last] = [pieces[0] ?? this.#pieces.at(-1), pieces.at(-1) ?? this.#pieces.at(-1)];
      if (first && last) this.#pieces.push({ ...first, to: last.to, str: spelling });
      this.#spelled = null;
    }
    this.#level--;
  }

  items(): TextItem[] {
    const items: TextItem[] = [];
    let before: Piece | undefined;
    for (const piece of this.#pieces) {
      const size = Math.hypot(piece.transform[0] ?? 0, piece.transform[1] ?? 0) || 1;
      const last = items.at(-1);
      const { along, across } = before ? distance(before, piece, size) : { along: 0, across: 0 };
      const isNext = Math.abs(across) < newLine.across && along > -newLine.back;
      const isSpaced = along > space && !/\s$/.test(before?.str ?? ' ') && !/^\s/.test(piece.str);
      if (last && isNext && !isSpaced) {
        last.str += piece.str;
        last.width = Math.hypot(piece.to[0] - (last.transform[4] ?? 0), piece.to[1] - (last.transform[5] ?? 0));
      } else {
        if (last && isNext) items.push({ ...last, str: ' ', width: 0 });
        else if (last) last.hasEOL = true;
        items.push({ str: piece.str, transform: piece.transform, width: 0, height: size, hasEOL: false });
        const added = items.at(-1) as TextItem;
        added.width = Math.hypot(piece.to[0] - piece.from[0], piece.to[1] - piece.from[1]);
      }
      before = piece;
    }
    return items;
  }
}

/** How far a piece is from the end of the one before, along its line and across it, in font sizes. */
function distance(before: Piece, { from, transform }: Piece, size: number): { along: number; across: number } {
  const [cos, sin] = [(transform[0] ?? 0) / size, (transform[1] ?? 0) / size];
  const [dx, dy] = [from[0] - before.to[0], from[1] - before.to[1]];
  return { along: (dx * cos + dy * sin) / size, across: (dy * cos - dx * sin) / size };
}

const apply = ([a, b, c, d, e, f]: Matrix, x: number, y: number): Point => [a * x + c * y + e, b * x + d * y + f];

function multiply([a, b, c, d, e, f]: Matrix, [A, B, C, D, E, F]: Matrix): Matrix {
  return [a * A + c * B, b * A + d * B, a * C + c * D, b * C + d * D, a * E + c * F + e, b * E + d * F + f];
}
