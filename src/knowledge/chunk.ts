import type { NewPassage, Section } from '../search/types.ts';

type SplitOptions = {
  /** The maximum length of a passage in characters (UTF-16 units); at least 50. */
  maxCharacters?: number;
  /**
   * How many characters of a passage may be repeated at the start of the next one in its section, in whole pieces; at
   * most a quarter of the maximum.
   */
  overlap?: number;
};

let segmenter: Intl.Segmenter | undefined;
/** Created on first use: its rules take a while to load. */
const sentences = () => (segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' }));
/** From the best position to cut to the worst; each keeps every character. */
const cuts: ((text: string) => string[])[] = [
  (text) => text.split(/(?<=\n\n)/),
  (text) => text.split(/(?<=\n)/),
  (text) => [...sentences().segment(text)].map(({ segment }) => segment),
  (text) => text.split(/(?<=\s)/),
];

/**
 * Splits sections into passages, the units of retrieval and citation. A passage never crosses a section boundary, so
 * its place applies to all of it; a section that fits becomes one passage, as does each pair of an FAQ. Longer ones are
 * cut between paragraphs, or else lines, sentences or words, into passages of about equal length.
 */
export function splitPassages(
  sections: Section[],
  { maxCharacters = 1_200, overlap = 150 }: SplitOptions = {},
): NewPassage[] {
  if (maxCharacters < 50) throw new RangeError('maxCharacters must be at least 50');
  return sections
    .flatMap(({ text, ...place }) =>
      pack(atoms(text.trim(), maxCharacters), maxCharacters, overlap).map((part) => ({ text: part, place })),
    )
    .filter(({ text }) => text)
    .map((passage, position) => ({ position, ...passage }));
}

/** Splits a text into pieces of at most `max` characters, losing none. */
function atoms(text: string, max: number, level = 0): string[] {
  if (text.length <= max) return [text];
  const cut = cuts[level];
  return cut ? cut(text).flatMap((part) => atoms(part, max, level + 1)) : slices(text, max);
}

/** Cuts anywhere but inside a surrogate pair. */
function slices(text: string, max: number): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + max;
    const next = /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end;
    parts.push(text.slice(start, next));
    start = next;
  }
  return parts;
}

function pack(pieces: string[], max: number, overlap: number): string[] {
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const target = Math.ceil(total / Math.ceil(total / max));
  const passages: string[] = [];
  let current: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (length && (length >= target || length + piece.length > max)) {
      passages.push(current.join('').trim());
      current = tail(current, Math.min(overlap, max / 4, max - piece.length));
      length = current.join('').length;
    }
    current.push(piece);
    length += piece.length;
  }
  return [...passages, current.join('').trim()];
}

/** The last pieces that fit into `room` characters together. */
function tail(pieces: string[], room: number): string[] {
  let start = pieces.length;
  for (let left = room; start > 0; start--) {
    left -= pieces[start - 1]?.length ?? 0;
    if (left < 0) break;
  }
  return pieces.slice(start);
}
