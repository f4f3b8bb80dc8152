const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** The longest character that people write, a family of emoji, has 25 code units. */
const longest = 32;

/**
 * The beginning of a text, of at most `limit` characters: whole words, unless the last one is long or the script has no
 * spaces, and always whole characters as a reader sees them.
 */
export function beginningOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const words = text.slice(0, limit + 1);
  const space = words.search(/\s\S*$/);
  if (space >= limit - limit / 4 - 1) return text.slice(0, space).trimEnd();
  return wholeCharacters(text, limit);
}

/** The same, of which the last word may be half. */
export function wholeCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = graphemes.segment(text.slice(0, limit + longest)).containing(limit)?.index;
  return text.slice(0, cut || limit).toWellFormed();
}

/** The same with an ellipsis, which counts, where something is left out. */
export const shorten = (text: string, limit: number): string =>
  text.length <= limit ? text : `${beginningOf(text, limit - 1).trimEnd()}…`;
