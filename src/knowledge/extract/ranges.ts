const maxListed = 20;

/** Formats ascending numbers for people: `2, 5–7 and 9`; a long list ends with how many more there are. */
export function ranges(numbers: number[]): string {
  const spans: [number, number][] = [];
  for (const number of numbers) {
    const last = spans.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else spans.push([number, number]);
  }
  const listed = spans.slice(0, maxListed).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  const unlistedCount = spans.slice(maxListed).reduce((sum, [from, to]) => sum + to - from + 1, 0);
  if (unlistedCount > 0) listed.push(`${unlistedCount} more`);
  const last = listed.pop() ?? '';
  return listed.length > 0 ? `${listed.join(', ')} and ${last}` : last;
}

/** `Page 3 has` or `Pages 3 and 5 have`. */
export const pagesThat = (numbers: number[], one: string, several: string): string =>
  numbers.length === 1 ? `Page ${numbers[0]} ${one}` : `Pages ${ranges(numbers)} ${several}`;

/** `1 picture` or `2 pictures`. */
export const count = (number: number, one: string, several = `${one}s`): string =>
  `${number} ${number === 1 ? one : several}`;
