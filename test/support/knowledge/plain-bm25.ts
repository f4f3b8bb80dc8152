/** A word of its own for each number, without its ending. */
export const rareWord = (number: number): string =>
  `za${String(number).replace(/\d/g, (digit) => 'bdfgkmnprv'.charAt(Number(digit)))}`;

/**
 * Queries in forms that no passage of a test has, only their stems: a word in a passage's own form counts more than in
 * a plain BM25.
 */
export const inOtherForms = [
  'storming',
  'oaring of the boating',
  'crewed with anchored on decking',
  `tiding ${rareWord(7)}ing piering`,
  `${rareWord(259)}ing`,
];

/** The ids of each run of places whose scores in `wanted` are equal to 9 digits, sorted within it. */
export function groupsOf(passages: { id: string }[], wanted: { score: number }[]): string[][] {
  const groups: string[][] = [];
  for (const [index, { id }] of passages.entries()) {
    if ((wanted[index - 1]?.score ?? Infinity) - (wanted[index]?.score ?? 0) < 1e-9) groups.at(-1)?.push(id);
    else groups.push([id]);
  }
  return groups.map((ids) => ids.toSorted());
}
