import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import type { Cell, Grid, Merge } from '../tables/grid.ts';
import type { FormatNumber } from './formats.ts';
import { walkXml } from './sax.ts';
import { type CellText, createCellText, unescaped } from './strings.ts';

/** Excel's own limits, and how many merges are honoured. */
const maxRows = 1_048_576;
const maxColumns = 16_384;
const maxMerges = 20_000;

/** What cells refer to; `struck`: the styles that strike out. */
type Shared = { strings: CellText[]; formatNumber: FormatNumber; struck: Set<string> };

type OpenCell = { type: string; style: string | undefined; value: string; hasFormula: boolean };

/**
 * Reads a sheet: the displayed text of its cells, its merges, and what is hidden. Cells and rows without an address
 * follow the ones before them. Throws `ExtractFailure`.
 */
export function readSheet(xml: string, shared: Shared): Grid {
  const rows: Cell[][] = [];
  const merges: Merge[] = [];
  const hiddenRows = new Set<number>();
  const hiddenColumns = new Set<number>();
  let row = -1;
  let column = -1;
  let cell: OpenCell | null = null;
  let isValue = false;
  const inline = createCellText();
  let formulas = 0;

  const openRow = ({ r, hidden, ht }: Record<string, string>) => {
    row = Number(r) > 0 ? Number(r) - 1 : row + 1;
    if (row >= maxRows) throw new ExtractFailure('It holds more than 1,048,576 rows: split it');
    while (rows.length <= row) rows.push(noCells);
    if (rows[row] === noCells) rows[row] = [];
    if (isTrue(hidden) || ht === '0') hiddenRows.add(row);
    column = -1;
  };
  const openCell = ({ r = '', t = 'n', s }: Record<string, string>) => {
    const address = addressOf(r);
    column = address ? address.column : column + 1;
    if (column >= maxColumns) throw new ExtractFailure('A sheet has more than 16,384 columns');
    cell = { type: t, style: s, value: '', hasFormula: false };
    inline.take();
  };
  walkXml(xml, {
    open(name, attributes) {
      if (name === 'row') openRow(attributes);
      else if (name === 'c') openCell(attributes);
      else if (name === 'f' && cell) cell.hasFormula = true;
      else if (name === 'v') isValue = true;
      else if (name === 'col') hideColumns(hiddenColumns, attributes);
      else if (name === 'mergeCell' && merges.length < maxMerges) merges.push(...mergeOf(attributes.ref ?? ''));
      else if (cell) inline.open(name, attributes);
    },
    text(part) {
      if (cell && isValue) cell.value += part;
      else if (cell) inline.text(part);
    },
    close(name) {
      if (name === 'v') isValue = false;
      else if (cell) inline.close(name);
      if (name !== 'c' || !cell) return;
      const text = textOfCell(cell, inline.take(), shared);
      if (cell.hasFormula && !cell.value && cell.type !== 'str') formulas++;
      cell = null;
      if (text === null || row < 0) return;
      const cells = rows[row] ?? [];
      while (cells.length < column) cells.push(null);
      cells[column] = text;
    },
  });
  return { rows, merges, hiddenRows, hiddenColumns, formulas };
}

const noCells: Cell[] = [];

function textOfCell({ type, style, value }: OpenCell, inline: CellText, shared: Shared): Cell {
  const isStruck = shared.struck.has(style ?? '0');
  if (type === 's' || type === 'inlineStr') {
    const given = type === 's' ? shared.strings[Number(value)] : inline;
    return given && (given.hasLooks || !isStruck) ? given.text : null;
  }
  if (isStruck) return null;
  if (type === 'str') return unescaped(value);
  if (type === 'e' || !value.trim()) return null;
  if (type === 'b') return value.trim() === '1' ? 'true' : 'false';
  if (type === 'd') return value.replace(/T00:00(:00(\.0+)?)?Z?$/, '').replace(/T(\d\d:\d\d).*/, ' $1');
  return Number.isFinite(Number(value)) ? shared.formatNumber(Number(value), style) : value;
}

function hideColumns(hiddenColumns: Set<number>, { min, max, hidden, width }: Record<string, string>): void {
  if (!isTrue(hidden) && width !== '0') return;
  const end = Math.min(Number(max) || 0, maxColumns);
  for (let column = Math.max(1, Number(min) || 1); column <= end; column++) hiddenColumns.add(column - 1);
}

export const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

function addressOf(reference: string): { row: number; column: number } | null {
  const match = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(reference.trim());
  if (!match) return null;
  let column = 0;
  for (const letter of match[1]?.toUpperCase() ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  return { row: Number(match[2]) - 1, column: column - 1 };
}

function mergeOf(reference: string): Merge[] {
  const [from, to] = reference.split(':').map(addressOf);
  if (!from || !to || to.row < from.row || to.column < from.column) return [];
  return [{ ...from, rows: to.row - from.row + 1, columns: to.column - from.column + 1 }];
}
