/** Lines from the top and the bottom of a page among which headers and footers are. */
const edge = 3;
/** On how many pages, and on what share of them, a line stands that is one. */
const fewest = 3;
const share = 0.5;
/** By how much the number that is printed on a page may differ from its place in the file. */
const shift = 60;
const mostNumbers = 4;

/** The lines of pages, with headers and footers on the first page alone that has them. Their page numbers may count on. */
export function withoutRepeats(pages: string[][]): string[][] {
  const seen = new Map<string, number>();
  const keysOfEdges = pages.map((lines, index) => {
    const edges = new Map(edgesOf(lines).map((at) => [at, keysOf(lines[at] ?? '', index + 1)]));
    for (const key of new Set([...edges.values()].flat())) seen.set(key, (seen.get(key) ?? 0) + 1);
    return edges;
  });
  const least = Math.max(fewest, pages.length * share);
  const told = new Set<string>();
  return pages.map((lines, index) => {
    const isRepeated = (at: number): boolean => {
      const repeated = keysOfEdges[index]?.get(at)?.filter((key) => (seen.get(key) ?? 0) >= least) ?? [];
      const isKnown = repeated.some((key) => told.has(key));
      for (const key of repeated) told.add(key);
      return isKnown;
    };
    return lines.filter((_line, at) => !isRepeated(at));
  });
}

/** The places of the first and last lines with words. */
function edgesOf(lines: string[]): number[] {
  const filled = lines.flatMap((line, at) => (line.trim() ? [at] : []));
  return [...new Set([...filled.slice(0, edge), ...filled.slice(-edge)])];
}

/** By what a line is known on other pages: as it is, and with one of its numbers told from the number of the page. */
function keysOf(line: string, page: number): string[] {
  const plain = line.replace(/\s+/g, ' ').trim();
  const numbers = [...plain.matchAll(/\d+/g)].slice(0, mostNumbers);
  const numbered = numbers.flatMap(({ 0: digits, index }) => {
    const off = Number(digits) - page;
    return Math.abs(off) > shift ? [] : `${plain.slice(0, index)}#${off}${plain.slice(index + digits.length)}`;
  });
  return [plain, ...numbered];
}
