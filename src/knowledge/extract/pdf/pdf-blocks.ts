/** A piece of text as it is drawn: `x` is its left edge, and lengths are in points. */
export type TextItem = {
  str: string;
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
  fontName?: string;
};

/** What tells where a block begins: lengths are in points. */
type Shape = { text: string; size: number; y: number; font: string | null; hasLetters: boolean };

/** A heading is larger than its text by this factor. */
const larger = 1.08;
/** Lines of a block are no further apart than this many times the usual distance of lines. */
const wider = 1.3;

/**
 * The indices of lines that begin a heading or a paragraph: the size changes, the gap is wider than between other
 * lines, or a whole line after a sentence is in another font. A line that begins in lower case goes on in any case.
 */
export function blockStarts(lines: TextItem[][]): Set<number> {
  const starts = new Set<number>();
  const shapes = lines.flatMap((line, index) => shapeOf(line, index));
  const pairs = shapes.slice(1).map((next, at) => ({ next, before: shapes[at] ?? next }));
  const gaps = pairs.flatMap(({ before, next }) => (before.size === next.size ? (gapOf(before, next) ?? []) : []));
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? Number.POSITIVE_INFINITY;
  for (const { before, next } of pairs) {
    if (/^\P{L}*\p{Ll}/u.test(next.text)) continue;
    const isResized =
      before.hasLetters &&
      next.hasLetters &&
      Math.max(before.size, next.size) > larger * Math.min(before.size, next.size);
    const isApart = (gapOf(before, next) ?? 0) > wider * usual;
    const isOther = before.font !== null && next.font !== null && before.font !== next.font;
    if (isResized || isApart || (isOther && /[.!?]$/.test(before.text))) starts.add(next.index);
  }
  return starts;
}

function shapeOf(line: TextItem[], index: number): (Shape & { index: number })[] {
  const filled = line.filter(({ str }) => str.trim());
  const [first] = filled;
  if (!first || line.some(isRotated)) return [];
  const sizes = filled.map(({ transform, height }) => Math.abs(transform[3] ?? 0) || height);
  const text = filled
    .map(({ str }) => str)
    .join('')
    .trim();
  const fonts = new Set(filled.map(({ fontName }) => fontName ?? ''));
  return [
    {
      index,
      text,
      // A mark of a footnote, or a number of one, is smaller and no block.
      hasLetters: /\p{L}/u.test(text),
      size: Math.round(sizes.reduce((most, size) => Math.max(most, size), 0) * 10) / 10,
      y: first.transform[5] ?? 0,
      font: fonts.size === 1 ? (first.fontName ?? '') : null,
    },
  ];
}

/** How far a line is below another; null if it is not. */
const gapOf = (before: Shape, next: Shape): number | null => (before.y > next.y ? before.y - next.y : null);

/** Whether text is drawn upwards or downwards. */
export const isRotated = ({ transform }: TextItem): boolean =>
  Math.abs(transform[1] ?? 0) > Math.abs(transform[0] ?? 0);
