import type { ProseCell } from './prose.ts';

type Table = { rows: ProseCell[][]; headers: number; end: number };

const rule = /^\s*\+(?:[-=]+\+)+\s*$/;
export const isGrid = (lines: string[], at: number): boolean => rule.test(lines[at] ?? '');

/** `+---+---+` around each cell, `+===+` below the names. A cell may span columns. */
export function gridTable(lines: string[], start: number): Table {
  let end = start;
  while (/^\s*[+|].*[+|]\s*$/.test(lines[end] ?? '')) end++;
  const grid = lines.slice(start, end).map((line) => line.trim());
  const columns = new Set(grid.filter((line) => rule.test(line)).flatMap((line) => positions(line, '+')));
  const edges = new Map([...columns].sort((a, b) => a - b).map((edge, index) => [edge, index]));
  const rows: ProseCell[][] = [];
  let texts: Map<number, ProseCell> = new Map();
  let headers = 0;
  const close = () => {
    if (texts.size > 0) rows.push([...texts.entries()].sort(([a], [b]) => a - b).map(([, each]) => each));
    texts = new Map();
  };
  for (const line of grid) {
    if (rule.test(line)) {
      close();
      if (line.includes('=')) headers = rows.length;
      continue;
    }
    // A line of the grid beside a cell that spans rows belongs to that cell.
    if (line.startsWith('+') || line.includes('+--')) {
      close();
      continue;
    }
    const bars = positions(line, '|').filter((at) => edges.has(at));
    for (const [index, from] of bars.slice(0, -1).entries()) {
      const to = bars[index + 1] ?? line.length;
      const known = texts.get(from) ?? { text: '', span: (edges.get(to) ?? 0) - (edges.get(from) ?? 0) };
      texts.set(from, { ...known, text: `${known.text} ${line.slice(from + 1, to).trim()}` });
    }
  }
  close();
  return { rows, headers, end };
}

const ruled = /^\s*={2,}(?: +={2,})+\s*$/;
export const isSimple = (lines: string[], at: number): boolean => ruled.test(lines[at] ?? '');

/** `=====  =====` above and below, and below the names. A row whose first cell is empty goes on with the one before. */
export function simpleTable(lines: string[], start: number): Table {
  const head = lines[start] ?? '';
  const columns = [...head.matchAll(/=+/g)].map(({ index }) => index);
  const rows: ProseCell[][] = [];
  let headers = 0;
  let end = start + 1;
  for (let rules = 1; end < lines.length; end++) {
    const line = lines[end] ?? '';
    if (/^\s*=+(?: +=+)*\s*$/.test(line)) {
      rules++;
      const next = lines[end + 1] ?? '';
      if (rules > 2 || !next.trim()) {
        end++;
        break;
      }
      headers = rows.length;
      continue;
    }
    if (!line.trim() || /^\s*-+(?: +-+)*\s*$/.test(line)) continue;
    const cells: ProseCell[] = [];
    for (const [index, from] of columns.entries()) {
      if (from >= line.length) break;
      cells.push({ text: line.slice(from, columns[index + 1] ?? line.length).trim() });
    }
    const last = rows.at(-1);
    if (!cells[0]?.text && last && rows.length > headers) {
      for (const [index, cell] of cells.entries()) {
        const above = last[index];
        if (above) above.text += ` ${cell.text}`;
        else last.push(cell);
      }
    } else rows.push(cells);
  }
  return { rows, headers, end };
}

/** `* - cell` begins a row, and `- cell` at its indentation another cell. */
export function listTable(lines: string[]): ProseCell[][] {
  const rows: ProseCell[][] = [];
  for (const line of lines) {
    const [, isRow, text] = /^\s*(\* +)?- ?(.*)$/.exec(line) ?? [];
    if (isRow) rows.push([]);
    if (text !== undefined) rows.at(-1)?.push({ text });
    else {
      const last = rows.at(-1)?.at(-1);
      if (last && line.trim()) last.text += ` ${line.trim()}`;
    }
  }
  return rows;
}

const positions = (line: string, sign: string): number[] =>
  line.split('').flatMap((letter, at) => (letter === sign ? [at] : []));
