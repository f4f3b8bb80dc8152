import type { Where } from '../database/query/delegate.ts';
import { containsText, fold } from '../text/fold.ts';
import { foldedWords } from '../text/lexemes.ts';

/** How many words of a text are looked up in vocabularies: the longest ones, which are the rarest. */
const maxWords = 3;

/** Returns the condition for passages that contain a text. */
export const passagesWith = (text: string): Where => ({ searchText: containsText(text), in: mayContain(text) });

/**
 * Returns the condition for segments with a visible passage that contains a text. Segments whose vocabulary rules it
 * out are skipped; without the workspace of `within`, the rows of all other workspaces would be scanned too.
 */
export const segmentsWith = (text: string, within: { workspaceId: string }): Where => ({
  ...within,
  draft: null,
  ...mayContain(text),
  passages: { some: { ...within, searchText: containsText(text) } },
});

/** A word in the middle of the text is a whole word of any match; the words at its ends may be cut off. */
function mayContain(text: string): Where {
  const folded = fold(text);
  let end = 0;
  const words = foldedWords(folded).map((word) => {
    const start = folded.indexOf(word, end);
    end = start + word.length;
    return `${start > 0 ? ' ' : ''}${word}${end < folded.length ? ' ' : ''}`;
  });
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, maxWords);
  return { AND: longest.map((contains) => ({ vocabulary: { contains } })) };
}
