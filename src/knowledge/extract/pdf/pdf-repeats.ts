/** How many lines at the top and bottom of a page may be headers and footers. */
const edgeLines = 3;
/** The number and the share of pages on which such a line must recur. */
const minPages = 3;
const minShare = 0.5;
/** How far a printed page number may be from the page's index in the file. */
const shift = 60;
const maxNumbers = 4;

/** What a browser prints around a page: its title, the address, the time, and "1/2" or "1 of 2". */
const [address, time, pageOf] = [
  String.raw`(?:[a-z][a-z+.-]*:\/\/\S+|about:\S+)`,
  String.raw`\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s+\d{1,2}:\d{2}(?:\s*[ap]\.?\s?m\.?)?`,
  String.raw`\d{1,4}(?:\s*\/\s*|\s+\p{L}{1,4}\s+)\d{1,4}`,
];
/** Where one edge of a page has the first, the line with the second is one too. */
const printed = [
  [new RegExp(`^${address}\\s+${pageOf}$`, 'iu'), new RegExp(`^${time}(?:\\s|$)`, 'iu')],
  [new RegExp(`^${pageOf}\\s+${time}$`, 'iu'), new RegExp(`(?:^|\\s)${address}$`, 'iu')],
] as const;

/** Removes what browsers print at the edges of each page, which is of no page's text. */
export function withoutPrinted(lines: string[]): string[] {
  const edges = edgesOf(lines);
  const at = (shape: RegExp) => edges.filter((index) => shape.test((lines[index] ?? '').trim()));
  const found = printed.flatMap(([foot, head]) => (at(foot).length > 0 ? [...at(foot), ...at(head)] : []));
  return found.length > 0 ? lines.filter((_line, index) => !found.includes(index)) : lines;
}

/** Removes repeated headers and footers, keeping the first occurrence. They may contain a running page number. */
export function withoutRepeats(pages: string[][]): string[][] {
  const counts = new Map<string, number>();
  const keysOfEdges = pages.map((lines, index) => {
    const edges = new Map(edgesOf(lines).map((at) => [at, keysOf(lines[at] ?? '', index + 1)]));
    for (const key of new Set([...edges.values()].flat())) counts.set(key, (counts.get(key) ?? 0) + 1);
    return edges;
  });
  const minOccurrences = Math.max(minPages, pages.length * minShare);
  const keptKeys = new Set<string>();
  return pages.map((lines, index) => {
    const isRepeated = (at: number): boolean => {
      const repeated = keysOfEdges[index]?.get(at)?.filter((key) => (counts.get(key) ?? 0) >= minOccurrences) ?? [];
      const isKnown = repeated.some((key) => keptKeys.has(key));
      for (const key of repeated) keptKeys.add(key);
      return isKnown;
    };
    return lines.filter((_line, at) => !isRepeated(at));
  });
}

/** The indices of the first and last lines that have text. */
function edgesOf(lines: string[]): number[] {
  const filled = lines.flatMap((line, at) => (line.trim() ? [at] : []));
  return [...new Set([...filled.slice(0, edgeLines), ...filled.slice(-edgeLines)])];
}

/**
 * Keys under which a line recurs: the line itself, and variants with one number replaced by its offset from the page
 * number.
 */
function keysOf(line: string, page: number): string[] {
  const plain = line.replace(/\s+/g, ' ').trim();
  const numbers = [...plain.matchAll(/\d+/g)].slice(0, maxNumbers);
  const numbered = numbers.flatMap(({ 0: digits, index }) => {
    const offset = Number(digits) - page;
    return Math.abs(offset) > shift ? [] : `${plain.slice(0, index)}#${offset}${plain.slice(index + digits.length)}`;
  });
  return [plain, ...numbered];
}
