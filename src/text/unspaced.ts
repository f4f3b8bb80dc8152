/**
 * Unspaced scripts: Chinese, Japanese, Thai, Lao, Khmer and Burmese put no spaces between words, and Korean attaches
 * particles to words. They are indexed as overlapping bigrams, as in Lucene's CJKBigramFilter, which needs no
 * dictionary whose words would change between versions; and as single letters, which only a query of one letter uses.
 */
const unspaced = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const runs = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu');
const letter = new RegExp(`[${unspaced}]`, 'u');
/** Cheap first check: all of these scripts are beyond this code point, and few words of other texts are. */
const beyondLatin = /[\u0e00-\u{10ffff}]/u;

/** Whether a word has letters of an unspaced script. */
export const isUnspaced = (word: string): boolean => beyondLatin.test(word) && letter.test(word);

/** Returns the words within a folded word: itself, or the bigrams of its unspaced runs. */
export function piecesOf(word: string): string[] {
  if (!isUnspaced(word)) return [word];
  return (word.match(runs) ?? []).flatMap((run) => (isUnspaced(run) ? pairsOf(run) : [run]));
}

/** Returns the letters that `piecesOf` a folded word holds in bigrams only, with duplicates; none of other scripts. */
export const lettersOf = (word: string): string[] =>
  isUnspaced(word)
    ? (word.match(runs) ?? [])
        .map((run) => (isUnspaced(run) ? lettersIn(run) : []))
        .flatMap((letters) => (letters.length > 1 ? letters : []))
    : [];

// Folding has decomposed Korean syllables.
const lettersIn = (run: string): string[] => Array.from(run.normalize('NFC'));

function pairsOf(run: string): string[] {
  const letters = lettersIn(run);
  return letters.length === 1 ? letters : letters.slice(1).map((next, index) => `${letters[index]}${next}`);
}

export type Span = { text: string; start: number; end: number };

/** Like `piecesOf`, for a word as written, with positions. */
export function spansOf(word: string): Span[] {
  if (!isUnspaced(word)) return [{ text: word, start: 0, end: word.length }];
  return [...word.matchAll(runs)].flatMap(({ 0: run, index }): Span[] => {
    if (!isUnspaced(run)) return [{ text: run, start: index, end: index + run.length }];
    const letters = letterSpans(run, index);
    if (letters.length < 2) return letters;
    return letters.slice(1).map(({ text, end }, before) => {
      const first = letters[before] as Span;
      return { text: first.text + text, start: first.start, end };
    });
  });
}

/** Returns the letters of a run as written, with positions; the run begins at `start`. */
const letterSpans = (run: string, start: number): Span[] =>
  [...run.matchAll(/\P{M}\p{M}*/gu)].map(({ 0: text, index }) => ({
    text,
    start: start + index,
    end: start + index + text.length,
  }));

/** Returns the letters of the unspaced runs of a text as written, with positions. */
export const letterSpansOf = (text: string): Span[] =>
  [...text.matchAll(runs)].flatMap(({ 0: run, index }) => (isUnspaced(run) ? letterSpans(run, index) : []));
