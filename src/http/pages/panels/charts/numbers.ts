import { type ChartSpec, isAdditive, measuresOf } from './spec.ts';
import type { Cell, ResultValue, Table } from './table.ts';

/** Writes a number with its unit, a share as a percentage. */
export function formatNumber(number: number, value: ResultValue | undefined): string {
  if (value?.kind === 'share') return number.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });
  const text = number.toLocaleString('en', { maximumFractionDigits: 4 });
  if (value?.unit === 'USD') return number < 0 ? `-$${text.slice(1)}` : `$${text}`;
  return value?.unit ? `${text} ${value.unit}` : text;
}

/** Every number of a single row with its column, or the sum of the chosen column: names and texts. */
export function numbersIn(
  { columns, rows, ...table }: Table,
  { y }: ChartSpec,
): [name: string, text: string, column?: string][] {
  const columnOf = (name: string | null) => columns.find((column) => column.name === name);
  const cellOf = (name: string | null, row: Cell[]) => row[columns.findIndex((column) => column.name === name)];
  const textOf = (value: unknown, what: ResultValue | undefined) =>
    typeof value === 'number' ? formatNumber(value, what) : '—';
  const [row] = rows;
  if (row && rows.length === 1) {
    const names = measuresOf({ ...table, columns, rows }).map(({ name }) => name);
    const ordered = y ? [y, ...names.filter((name) => name !== y)] : names;
    return ordered.map((name) => [
      columnOf(name)?.label ?? name,
      textOf(cellOf(name, row), columnOf(name)?.value),
      name,
    ]);
  }
  const values = rows.map((one) => cellOf(y, one)).filter((cell) => typeof cell === 'number');
  const isSummed = isAdditive(columnOf(y));
  const total = isSummed && values.length > 0 ? values.reduce((sum, value) => sum + value, 0) : null;
  const name = columnOf(y)?.label ?? y;
  const label = isSummed ? `${name}, all ${rows.length} rows` : `${name} cannot be added up`;
  return [[label, textOf(total, columnOf(y)?.value)]];
}
