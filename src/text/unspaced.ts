/**
 * Scripts whose words do not stand apart: Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces, and in Korean
 * particles are written onto words. Every two letters that follow one another are a word to search, as Lucene has it: it takes no
 * dictionary, whose words would differ from one version to the next.
 */
const unspaced = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const runs = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu');
const letter = new RegExp(`[${unspaced}]`, 'u');
/** Every one of these scripts begins here, and few words do: they are told by this first. */
const beyondLatin = /[\u0e00-\u{10ffff}]/u;

/** Whether a word has letters of a script whose words do not stand apart. */
export const isUnspaced = (word: string): boolean => beyondLatin.test(word) && letter.test(word);

/** The words in a folded word: itself, or every two letters of a run whose words do not stand apart. */
export function piecesOf(word: string): string[] {
  if (!isUnspaced(word)) return [word];
  return (word.match(runs) ?? []).flatMap((run) => (isUnspaced(run) ? pairsOf(run) : [run]));
}

function pairsOf(run: string): string[] {
  // Folding has taken Korean syllables apart.
  const letters = Array.from(run.normalize('NFC'));
  return letters.length === 1 ? letters : letters.slice(1).map((next, index) => `${letters[index]}${next}`);
}

export type Span = { text: string; start: number; end: number };

/** The same of a word as it is written, each with where it stands. */
export function spansOf(word: string): Span[] {
  if (!isUnspaced(word)) return [{ text: word, start: 0, end: word.length }];
  return [...word.matchAll(runs)].flatMap(({ 0: run, index }): Span[] => {
    if (!isUnspaced(run)) return [{ text: run, start: index, end: index + run.length }];
    const letters = [...run.matchAll(/\P{M}\p{M}*/gu)].map((found) => ({
      text: found[0],
      start: index + found.index,
      end: index + found.index + found[0].length,
    }));
    if (letters.length < 2) return letters;
    return letters.slice(1).map(({ text, end }, before) => {
      const first = letters[before] as Span;
      return { text: first.text + text, start: first.start, end };
    });
  });
}
