import type { Where } from '../database/query/list.ts';
import { containsText, fold } from '../text/fold.ts';
import { foldedWords } from '../text/lexemes.ts';

/** So many words of a text are looked for in vocabularies: the longest ones, which the fewest have. */
const mostWords = 3;

/** Passages that contain a text, as a condition on themselves. */
export const passagesWith = (text: string): Where => ({ searchText: containsText(text), in: mayHold(text) });

/**
 * Segments with a passage that can be seen and contains a text, as a condition on them. Those whose words rule it out are
 * not looked into; `within` is the condition of a workspace, without which the rows of all others would be looked at too.
 */
export const segmentsWith = (text: string, within: { workspaceId: string }): Where => ({
  ...within,
  draft: null,
  ...mayHold(text),
  passages: { some: { ...within, searchText: containsText(text) } },
});

/** What a text has inside of other characters is a whole word of whatever contains it; at its ends it may be cut. */
function mayHold(text: string): Where {
  const folded = fold(text);
  let end = 0;
  const words = foldedWords(folded).map((word) => {
    const start = folded.indexOf(word, end);
    end = start + word.length;
    return `${start > 0 ? ' ' : ''}${word}${end < folded.length ? ' ' : ''}`;
  });
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, mostWords);
  return { AND: longest.map((contains) => ({ vocabulary: { contains } })) };
}
